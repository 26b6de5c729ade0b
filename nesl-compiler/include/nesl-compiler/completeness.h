#pragma once

#include <string_view>

namespace nesl {

/// How far a text that somebody is typing has come.
enum class Completeness {
  kEmpty,       ///< nothing but blanks and comments
  kIncomplete,  ///< something must follow: a bracket, string or comment is open, an operator lacks its operand, …
  kDefinition,  ///< a function or datatype that lacks nothing but its terminator, but could also go on
  kStatement,   ///< any other statement that lacks nothing but its terminator
  kTerminated,  ///< one or more statements with their terminators
};

/// Judges by the tokens alone: whether a text that is complete is also right, the parser says.
Completeness completeness(std::string_view text);

}  // namespace nesl
