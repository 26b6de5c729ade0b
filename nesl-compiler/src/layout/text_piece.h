#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "syntax/token.h"

namespace nesl {

/// A part of a text that stays as it is: a token, a comment, or a command of the top level.
struct Piece {
  enum class Kind : std::uint8_t { kToken, kComment, kCommand };
  Kind kind = Kind::kToken;
  TokenKind token = TokenKind::kEnd;  ///< of kToken
  std::string text;
  bool begins_statement = false;
  bool ends_statement = false;  ///< a terminator between statements
  std::size_t blanks = 0;       ///< characters before it, line ends included
  int line_ends = 0;            ///< number before it

  bool after_blank() const { return blanks > 0; }
  bool is(TokenKind wanted) const { return kind == Kind::kToken && token == wanted; }
};

}  // namespace nesl
