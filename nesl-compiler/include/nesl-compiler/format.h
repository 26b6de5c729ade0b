#pragma once

#include <optional>
#include <string>

#include "base/diagnostics.h"

namespace nesl {

/// Lays out a NESL text in the usual way, also one of the library: each statement begins a line, lines are indented by
/// the constructs that they continue, operators stand between blanks, and lines of more than 100 columns are divided,
/// as far as there is a place. Line breaks inside a statement, single empty lines, comments and tokens are kept, so
/// that the syntax tree stays the same. A text that has been formatted does not change. Returns nothing if the text has
/// errors of syntax, which are then in the diagnostics.
std::optional<std::string> format(const base::Source& source, base::Diagnostics& diagnostics);

}  // namespace nesl
