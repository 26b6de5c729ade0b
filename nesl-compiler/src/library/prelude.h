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

/// Names of NESL functions that this implementation lacks, for plotting and windows; one a line.
std::string_view unavailable_names();

}  // namespace nesl
