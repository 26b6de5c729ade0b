#pragma once

#include <span>
#include <string_view>

namespace nesl {

struct PreludeFile {
  std::string_view name;
  std::string_view text;
};

/// Files of nesl-compiler/prelude, embedded, in loading order.
std::span<const PreludeFile> prelude_files();
/// Those that are loaded only if operations are checked: all checked operations, and the checks of ints and of floats.
inline constexpr std::string_view kChecksFile = "90_checks.nesl", kIntChecksFile = "91_int_checks.nesl",
                                  kFloatChecksFile = "92_float_checks.nesl";

/// Names of NESL functions that this implementation lacks, for plotting and windows; one a line.
std::string_view unavailable_names();

}  // namespace nesl
