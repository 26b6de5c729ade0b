#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "token.h"

namespace nesl {

/// Splits a NESL text into tokens, one at a time, and drops blanks and comments. A copy continues independently.
class Lexer {
 public:
  /// Reason why characters form no token.
  struct Error {
    std::string message;
    std::optional<base::Diagnostic::Note> hint;
  };

  explicit Lexer(std::string_view text);

  Token next();
  /// Error of the last token, if its kind is kBad.
  const Error& error() const { return error_; }
  /// Skips the rest of the line.
  void skip_line();
  /// Continues at position `at`.
  void seek(std::size_t at) { at_ = at; }

 private:
  bool skip_blanks();
  Token token(TokenKind kind, std::size_t end);
  Token bad(std::size_t end, std::string message, std::optional<base::Diagnostic::Note> hint = {});
  Token number();
  Token word();
  Token character();
  Token string();
  Token sign();
  Token lookalike(std::size_t begin);
  char at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  Span span(std::size_t begin, std::size_t end) const;

  std::string_view text_;
  std::size_t at_ = 0;     ///< position of the next character to read
  std::size_t begin_ = 0;  ///< position of the token being read
  bool new_line_ = true;
  Error error_;
  std::optional<Span> comment_;                     ///< the last comment
  std::optional<Span> long_string_, long_comment_;  ///< first ones of several lines: an unclosed one may begin there
};

/// The text in lower case, as names are stored. Only ASCII letters have case.
std::string fold_case(std::string_view text);
/// Factors of 1000 of the letter that may end an int token, in either case: K, M or G. 0 for other characters.
int thousands_of(char multiplier);
/// Contents of a string token, whose text includes its quotes.
std::string string_contents(std::string_view token);
/// Text of a string token with these contents.
std::string quoted_string(std::string_view contents);
/// True if the text is one token of kind kName: neither an operator nor a reserved word.
bool is_plain_name(std::string_view text);

}  // namespace nesl
