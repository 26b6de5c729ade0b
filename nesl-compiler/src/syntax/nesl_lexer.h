#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "token.h"

namespace nesl {

/// Cuts a NESL text into tokens, one at a time; blanks and comments vanish. A copy goes on independently.
class Lexer {
 public:
  /// Why characters are no token.
  struct Error {
    std::string message;
    std::optional<base::Diagnostic::Note> hint;
  };

  explicit Lexer(std::string_view text);

  Token next();
  /// Of the last token, if its kind is kBad.
  const Error& error() const { return error_; }
  /// Throws the rest of the line away.
  void skip_line();
  /// Goes on there.
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
  std::size_t at_ = 0;     ///< what is not read yet
  std::size_t begin_ = 0;  ///< of the token being read
  bool new_line_ = true;
  Error error_;
  std::optional<Span> comment_;                     ///< the last one
  std::optional<Span> long_string_, long_comment_;  ///< the first that spans lines: where one that never ends may begin
};

/// The text in lower case, as names are kept: only ASCII letters have case.
std::string fold_case(std::string_view text);
/// The contents of a string token, which includes its quotes.
std::string string_contents(std::string_view token);
/// The token text of a string with these contents.
std::string quoted_string(std::string_view contents);
/// True if the text is a token of kind kName: neither an operator nor a reserved word.
bool is_plain_name(std::string_view text);

}  // namespace nesl
