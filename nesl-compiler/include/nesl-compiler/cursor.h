#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace nesl {

/// The surroundings of a position in a text that is being written, by its tokens alone.
struct CursorContext {
  bool in_code = true;     ///< false inside a comment, a string or a number
  base::Span word{};       ///< the name or word at the position or directly before it; empty if there is none
  bool after_dot = false;  ///< the word names a field, or a field is to be named here
  /// The innermost call `name(…` whose parentheses are open here.
  struct OpenCall {
    std::string function;      ///< in lower case
    std::size_t argument = 0;  ///< number of the argument at the position, from 0
  };
  std::optional<OpenCall> call{};
  std::vector<std::string> names{};  ///< names in the statement, each once, without the word itself; in lower case
};
CursorContext cursor_context(std::string_view text, std::uint32_t offset);

/// The end of the last token that begins before an offset; 0 if there is none.
std::uint32_t end_of_code_before(std::string_view text, std::uint32_t offset);

/// Whether a name can be given to a variable or function: one token that is neither an operator nor a reserved word.
bool can_be_defined(std::string_view name);
/// The reserved words, in the order of the grammar.
std::vector<std::string> reserved_words();

/// The name that a note of a diagnostic suggests for a misspelt one, "did you mean NAME?"; empty for other notes.
std::string suggested_name(std::string_view note);

}  // namespace nesl
