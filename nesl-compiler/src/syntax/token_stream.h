#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/diagnostics.h"
#include "messages/reporter.h"
#include "nesl_lexer.h"
#include "token.h"

namespace nesl {

/// Largest nesting of brackets and of syntax trees that the parser accepts.
inline constexpr std::uint32_t kDeepest = 1'000'000;

/// Tokens of a text for the parsing functions, and the first error of each statement.
///
/// After an error the stream pretends that the text has ended, so that all parsing functions return soon. Further
/// errors of the statement are dropped, and so is its tree. The statement parser then calls recover() to continue
/// behind the statement.
class TokenStream {
 public:
  TokenStream(const base::Source& source, base::Diagnostics& diagnostics);

  const Token& current() const { return current_; }
  TokenKind kind() const { return current_.kind; }
  bool at(TokenKind kind) const { return current_.kind == kind; }
  /// Kind of the token `ahead` positions behind the current one; kEnd behind the last token.
  TokenKind peek(int ahead = 1) const { return peek_token(ahead).kind; }
  /// The token `ahead` positions behind the current one.
  Token peek_token(int ahead) const;
  /// End of the token before the current one.
  std::uint32_t previous_end() const { return previous_.span.end; }
  const Token& previous() const { return previous_; }
  /// Advances to the next token and returns the previous current one.
  Token advance();
  /// Advances if the current token is of this kind; returns whether it was.
  bool accept(TokenKind kind);
  /// Accepts a token of this kind, or reports that `what` was expected.
  void expect(TokenKind kind, std::string_view what) {
    if (!accept(kind)) fail_unexpected(what);
  }
  /// Marks the current token as the beginning of a statement.
  void begin_statement() { statement_begin_ = current_.span.begin; }
  /// If a comment of another language begins here, as # or //, reports and skips it and returns true.
  bool skip_foreign_comment();

  std::string_view text(Span span) const { return source_.text(span); }
  std::string_view text(const Token& token) const { return source_.text(token.span); }
  const base::Source& source() const { return source_; }

  bool failed() const { return failed_; }
  /// Reports an error of the class `code`, unless the statement already has one, or the text has too many. The caller
  /// may add notes to the result, which is null if nothing was reported.
  base::Diagnostic* fail(Span span, std::string message, const char* code = "syntax");
  /// Reports "`what` was expected, not the current token", or a likelier cause, such as a missing terminator.
  base::Diagnostic* fail_unexpected(std::string_view what);
  /// Reports that the terminator before the current token is missing. The statement counts as terminated.
  void report_unterminated();
  /// Accepts the token that closes `open`, or reports that it is missing.
  void close(TokenKind kind, const Token& open, std::string_view expected);
  /// The current token in the words of a message.
  std::string found() const;

  /// Kind of an open list separated by semicolons; tells recover() which semicolons end a statement.
  enum class List : std::uint8_t { kLet, kEach };
  void open_list(List list) {
    if (!failed_) lists_.push_back(list);
  }
  void close_list() {
    if (failed_) return;
    VC_CHECK(!lists_.empty());
    lists_.pop_back();
  }

  /// Skips, after an error in the statement that began with `first`, to the likely beginning of the next statement.
  void recover(const Token& first);

  /// Counts an open construct, and reports nesting that is too deep.
  void enter();
  void leave() {
    VC_CHECK(depth_ > 0);
    --depth_;
  }

 private:
  base::Diagnostic* report(Span span, std::string message, const char* code);
  bool begins_definition() const;
  std::optional<Token> unclosed() const;
  base::Diagnostic* fail_unclosed(const Token& open);
  std::optional<Token> foreign_form() const;
  bool ends_statement_of(const Token& first);
  std::uint32_t column(const Token& token) const { return source_.position(token.span.begin).column; }

  const base::Source& source_;
  base::Diagnostics& diagnostics_;
  Lexer lexer_;
  Token current_, previous_;
  Token failing_;  ///< current token when the error was found
  bool failed_ = false;
  int errors_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t statement_begin_ = 0;
  std::vector<List> lists_;
};

/// Scope of one nested construct: enter() at construction, leave() at destruction.
class NestingLevel {
 public:
  explicit NestingLevel(TokenStream& stream) : stream_(stream) { stream_.enter(); }
  ~NestingLevel() { stream_.leave(); }
  NestingLevel(const NestingLevel&) = delete;

 private:
  TokenStream& stream_;
};

}  // namespace nesl
