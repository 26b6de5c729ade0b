#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limited_errors.h"
#include "site_comment.h"
#include "vcode_lexer.h"
#include "words.h"

namespace vcode {

/// Text in the form that messages show: printable() and not too long.
std::string quoted(std::string_view text);

/// The value of an integer token; nothing if it does not fit.
std::optional<std::int64_t> to_int(std::string_view text);

/// Steps through a text token by token for the parts of the reader, with one token of look-ahead, and collects their
/// errors.
class TokenCursor {
 public:
  TokenCursor(const base::Source& source, base::Diagnostics& diagnostics)
      : source_(source), errors_(diagnostics), lexer_(source.text()) {}

  const Token& token() const { return token_; }
  const Word& word() const { return word_; }
  std::string_view text() const { return source_.text(token_.span); }

  /// Advances to the next token, and reports characters that form none. An unterminated comment or string ends the
  /// text.
  void advance();

  bool is(WordClass word_class) const { return token_.kind == TokenKind::kWord && word_.word_class == word_class; }
  bool is_label(std::string_view label) const { return is(WordClass::kLabel) && text() == label; }
  bool begins_statement() const {
    return is(WordClass::kOp) || is(WordClass::kStatement) || is(WordClass::kLabel) || ends_body();
  }
  bool ends_body() const { return is(WordClass::kRet) || is(WordClass::kFunc) || token_.kind == TokenKind::kEnd; }
  /// The present token, for a message.
  std::string found() const { return token_.kind == TokenKind::kEnd ? "the end of the file" : quoted(text()); }

  /// Reports an error; ignored behind an unterminated comment or string, where all tokens are missing.
  void error(base::Span span, std::string message, std::vector<base::Diagnostic::Note> notes = {});
  bool any_error() const { return errors_.any(); }
  /// Whether there have been so many errors that the rest is not read.
  bool stopped() const { return errors_.exhausted(); }
  /// The span for an error about a missing token: the present token or, at the end of the file, the last one.
  base::Span here() const {
    return token_.kind == TokenKind::kEnd && last_.kind != TokenKind::kEnd ? last_.span : token_.span;
  }
  /// The span from an offset to the end of the last token.
  base::Span span_from(std::uint32_t begin) const { return {begin, last_.span.end}; }
  /// Skips the rest of a faulty statement.
  void skip_operands() {
    while (!stopped() && !begins_statement()) advance();
  }

  /// Reads a non-negative integer; for any other token reports `complaint` and that token.
  std::optional<std::int64_t> read_count(base::Span statement, std::string_view complaint);
  /// Reads the suffix behind the mnemonic of `op`; nothing, and an error, if the operation does not take it.
  std::optional<Suffix> read_suffix(base::Span mnemonic, const OpInfo& op);
  /// Reads the site in the comment that may follow the last token, with the calls that it spells out, into the program.
  /// Returns the index of the site, or kNoSite. The look-ahead has passed the comment already, so the comment is found
  /// in the text.
  std::uint32_t read_site(Program& program);

 private:
  void report_stray();

  const base::Source& source_;
  LimitedErrors errors_;
  Lexer lexer_;
  Token token_;
  Word word_;
  Token last_;  ///< token before token_; kEnd at the beginning
  bool cut_off_ = false;
  CallNumbers call_numbers_;
};

}  // namespace vcode
