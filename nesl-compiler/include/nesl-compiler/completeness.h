#pragma once

#include <string_view>

namespace nesl {

/// State of an unfinished text, for a prompt that decides whether to read another line.
enum class Completeness {
  kEmpty,       ///< only blanks and comments
  kIncomplete,  ///< a continuation is required: a bracket, string or comment is open, an operator lacks its operand, …
  kDefinition,  ///< a function or datatype complete but for its terminator; further text could still belong to it
  kStatement,   ///< any other statement complete but for its terminator
  kTerminated,  ///< one or more statements with their terminators
};

/// Classifies a text by its tokens alone; does not check its syntax.
Completeness completeness(std::string_view text);

}  // namespace nesl
