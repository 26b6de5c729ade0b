#pragma once

#include <string_view>

#include "base/diagnostics.h"

namespace vcode {

enum class TokenKind : std::uint8_t {
  kInteger,
  kReal,
  kWord,
  kString,
  kOpen,
  kClose,
  kStray,                ///< characters that can begin no token
  kUnterminatedComment,  ///< reaches to the end of the text
  kUnterminatedString,   ///< reaches to the end of the text
  kEnd,
};

/// "integer", "real", …, as in the output of `vinterp -d lex`.
std::string_view token_kind_name(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::kEnd;
  base::Span span = {};
};

/// Splits a VCODE text into tokens, one at a time; comments and blanks between them are dropped.
class Lexer {
 public:
  explicit Lexer(std::string_view text);

  Token next();

 private:
  Token token(TokenKind kind, const char* from, const char* to);

  const char* begin_;
  const char* end_;
  const char* at_;
};

}  // namespace vcode
