#pragma once

#include <span>
#include <string_view>

namespace nesl {

struct PreludeFile {
  std::string_view name;
  std::string_view text;
};

/// The files of nesl-compiler/prelude, embedded, in the order in which they are loaded.
std::span<const PreludeFile> prelude_files();

/// The names of NESL that this implementation does not have, for plotting and windows: one a line.
std::string_view unavailable_names();

}  // namespace nesl
