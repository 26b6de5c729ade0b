#include "token_stream.h"

#include <algorithm>

#include <fmt/format.h>

#include "messages/foreign_words.h"

namespace nesl {

namespace {

constexpr int kMaxErrors = 20;  // maximum for one text

/// Returns a hint about the likely intention behind a misplaced token, or null.
const char* hint_for(TokenKind kind) {
  switch (kind) {
    case TokenKind::kAssign:
      return "== compares";
    case TokenKind::kOptional:
      return "name := value is an optional argument, only between the parentheses of a call or definition";
    case TokenKind::kExclamation:
      return "not(a) negates, and a /= b is inequality";
    case TokenKind::kAmpersand:
      return "and joins conditions";
    case TokenKind::kPair:
      return "pair is a reserved word; a pair is written (a, b)";
    default:
      return nullptr;
  }
}

/// Whether the line behind a # is probably a comment: its first words do not form an expression, and so cannot be the
/// operand of the operator #.
bool begins_with_words(std::string_view line) {
  Lexer lexer(line);
  Token token = lexer.next();
  if (token.kind == TokenKind::kIf || token.kind == TokenKind::kLet || token.kind == TokenKind::kTime ||
      token.kind == TokenKind::kClosure)
    return false;
  int words = 0;
  while ((token.kind == TokenKind::kName || is_word(token.kind)) &&
         (words == 0 || infix_strength(token.kind) == strength::kNone)) {
    ++words;
    token = lexer.next();
  }
  const bool alone = token.kind == TokenKind::kEnd;
  while (token.kind != TokenKind::kEnd && !is_terminator(token.kind)) token = lexer.next();
  const bool terminated = token.kind != TokenKind::kEnd;
  return words > (terminated ? 2 : alone && line.starts_with(' ') ? 0 : 1);
}

}  // namespace

TokenStream::TokenStream(const base::Source& source, base::Diagnostics& diagnostics)
    : source_(source), diagnostics_(diagnostics), lexer_(source.text()) {
  current_ = lexer_.next();
}

Token TokenStream::peek_token(int ahead) const {
  if (at(TokenKind::kEnd)) return {};
  Lexer lexer(lexer_);
  for (; ahead > 1; --ahead) lexer.next();
  return lexer.next();
}

Token TokenStream::advance() {
  if (failed_) return current_;
  previous_ = current_;
  current_ = lexer_.next();
  return previous_;
}

bool TokenStream::accept(TokenKind kind) {
  if (!at(kind)) return false;
  advance();
  return true;
}

base::Diagnostic* TokenStream::report(Span span, std::string message, const char* code) {
  if (errors_ > kMaxErrors) return nullptr;
  const bool last = ++errors_ > kMaxErrors;
  base::Diagnostic& d =
      diagnostics_.error(span, last ? "too many errors; the rest is not looked at" : std::move(message));
  d.code = code;
  return last ? nullptr : &d;
}

/// Finds the first word of the statement, up to the current token, that only other languages write before another word.
std::optional<Token> TokenStream::foreign_form() const {
  if (at(TokenKind::kBad)) return std::nullopt;
  Lexer lexer(lexer_);
  lexer.seek(statement_begin_);
  Token before;
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; before = token, token = lexer.next()) {
    const bool word = token.kind == TokenKind::kName || token.kind == TokenKind::kInt ||
                      token.kind == TokenKind::kTrue || token.kind == TokenKind::kFalse;
    if (before.kind == TokenKind::kName && word && begins_foreign_form(fold_case(text(before)))) return before;
    if (token.span.begin >= current_.span.begin) break;
  }
  return std::nullopt;
}

base::Diagnostic* TokenStream::fail(Span span, std::string message, const char* code) {
  if (failed_) return nullptr;
  const std::optional<Token> foreign = foreign_form();
  base::Diagnostic* d = foreign ? report(foreign->span, fmt::format("{} is no word of NESL", text(*foreign)), "syntax")
                                : report(span, std::move(message), code);
  if (foreign && d != nullptr) {
    add_note(*d, hint_for_word(fold_case(text(*foreign))));
    d = nullptr;  // the caller would add notes about `message`
  }
  failed_ = true;
  failing_ = current_;
  current_ = {TokenKind::kEnd, false, {previous_end(), previous_end()}};
  return d;
}

bool TokenStream::begins_definition() const {
  return current_.new_line && (at(TokenKind::kFunction) || at(TokenKind::kDatatype)) && previous_.span.end > 0;
}

std::string TokenStream::found() const {
  if (source_.is_added(current_.span.begin)) return "the end of the text";
  switch (current_.kind) {
    case TokenKind::kEnd:
      return "the end of the text";
    case TokenKind::kString:
      return "a string";
    case TokenKind::kChar:
      return "a character";
    default:
      return std::string(text(current_));
  }
}

base::Diagnostic* TokenStream::fail_unexpected(std::string_view what) {
  if (failed_) return nullptr;
  if (at(TokenKind::kBad)) {
    const Lexer::Error& error = lexer_.error();
    base::Diagnostic* d = fail(current_.span, error.message);
    if (d != nullptr && error.hint) d->notes.push_back(*error.hint);
    return d;
  }
  const bool ends_list = at(TokenKind::kEnd) && is_terminator(previous_.kind);
  if (begins_definition() || ends_list) {
    if (const std::optional<Token> open = unclosed()) return fail_unclosed(*open);
    if (!ends_list) return fail(current_.span, "missing ; or $ before this");
  }
  const Token unexpected = current_;
  const bool at_end = at(TokenKind::kEnd) || source_.is_added(unexpected.span.begin);
  const Span span = at_end ? Span{previous_end(), previous_end()} : unexpected.span;
  base::Diagnostic* d = fail(span, fmt::format("{} was expected, not {}", what, found()));
  if (d == nullptr) return d;
  const bool begins_assignment = unexpected.kind == TokenKind::kAssign && previous_.kind == TokenKind::kName &&
                                 previous_.new_line && source_.position(previous_.span.begin).line > 1;
  if (begins_assignment)
    add_note(*d, previous_.span, "if a statement begins here, the one before it lacks its ; or $");
  else if (const char* hint = hint_for(unexpected.kind))
    add_note(*d, hint);
  return d;
}

bool TokenStream::skip_foreign_comment() {
  if (!at(TokenKind::kLength) && !at(TokenKind::kDivide)) return false;
  const std::string_view rest = source_.text().substr(current_.span.begin);
  const std::string_view line = rest.substr(0, rest.find('\n'));
  const bool block = line.starts_with("/*");
  bool comment = block || line.starts_with("//");
  if (line.starts_with('#')) comment = line.starts_with("#!") || begins_with_words(line.substr(1));
  if (!comment) return false;
  report({current_.span.begin, current_.span.begin + (line[0] == '#' ? 1 : 2)}, "a comment is written % like this %",
         "syntax");
  const std::size_t end = block ? rest.find("*/") : std::string_view::npos;
  lexer_.seek(current_.span.begin + (end == std::string_view::npos ? line.size() : end + 2));
  if (end == std::string_view::npos) lexer_.skip_line();
  current_ = errors_ > kMaxErrors ? Token{} : lexer_.next();
  return true;
}

void TokenStream::report_unterminated() {
  if (at(TokenKind::kEnd))
    report({previous_end(), previous_end()}, "missing ; or $ at the end", "syntax");
  else
    report(current_.span, "missing ; or $ before this", "syntax");
}

/// Finds the last word or bracket of the statement, up to the current token, that lacks its counterpart: a bracket that
/// closes it, `in` for let, `else` for if.
std::optional<Token> TokenStream::unclosed() const {
  std::vector<Token> open;
  const auto leave = [&](TokenKind kind) {
    while (!open.empty() && open.back().kind != kind) open.pop_back();
    if (!open.empty()) open.pop_back();
  };
  Lexer lexer(lexer_);
  lexer.seek(statement_begin_);
  for (Token token = lexer.next(); token.span.begin < current_.span.begin && token.kind != TokenKind::kEnd;
       token = lexer.next()) {
    switch (token.kind) {
      case TokenKind::kOpenParenthesis:
      case TokenKind::kOpenBracket:
      case TokenKind::kOpenBrace:
      case TokenKind::kLet:
      case TokenKind::kIf:
        open.push_back(token);
        break;
      case TokenKind::kCloseParenthesis:
        leave(TokenKind::kOpenParenthesis);
        break;
      case TokenKind::kCloseBracket:
        leave(TokenKind::kOpenBracket);
        break;
      case TokenKind::kCloseBrace:
        leave(TokenKind::kOpenBrace);
        break;
      case TokenKind::kElse:
        leave(TokenKind::kIf);
        break;
      case TokenKind::kIn:  // the `in` of a let, or of a binding in braces
        if (!open.empty() && open.back().kind == TokenKind::kLet) open.pop_back();
        break;
      default:
        break;
    }
  }
  return open.empty() ? std::nullopt : std::optional(open.back());
}

/// Reports that the statement ends before the counterpart of a word or bracket.
base::Diagnostic* TokenStream::fail_unclosed(const Token& open) {
  const bool definition = begins_definition();
  const char* const lack = open.kind == TokenKind::kLet ? "has no in" : "has no else";
  base::Diagnostic* d =
      fail(open.span, fmt::format("this {} {}", text(open), is_word(open.kind) ? lack : "is not closed"));
  if (failing_.kind != TokenKind::kEnd)
    add_note(d, failing_.span, definition ? "another statement begins here" : "the statement ends here");
  return nullptr;  // the caller would add notes about the expected token
}

void TokenStream::close(TokenKind kind, const Token& open, std::string_view expected) {
  if (failed_ || accept(kind)) return;
  if (at(TokenKind::kBad)) {
    fail_unexpected(expected);
  } else if (at(TokenKind::kEnd) || is_terminator(this->kind()) || begins_definition()) {
    fail_unclosed(open);
  } else {
    add_note(fail_unexpected(expected), open.span, fmt::format("to close this {}", text(open)));
  }
}

/// Decides, after a semicolon within a list, whether the current token probably begins a new statement, not a further
/// element of the list in the statement that began with `first`.
bool TokenStream::ends_statement_of(const Token& first) {
  return at(TokenKind::kEnd) || (current_.new_line && column(current_) <= column(first));
}

void TokenStream::recover(const Token& first) {
  failed_ = false;
  current_ = failing_;
  if (errors_ > kMaxErrors) current_ = {TokenKind::kEnd, false, {}};
  while (!at(TokenKind::kEnd) && !begins_definition()) {
    const TokenKind kind = current_.kind;
    if (kind == TokenKind::kDollar || (kind == TokenKind::kSemicolon && lists_.empty())) {
      advance();
      break;
    }
    if (kind == TokenKind::kLet) {
      lists_.push_back(List::kLet);
    } else if (kind == TokenKind::kOpenBrace) {
      lists_.push_back(List::kEach);
    } else if (kind == TokenKind::kIn && !lists_.empty() && lists_.back() == List::kLet) {
      lists_.pop_back();
    } else if (kind == TokenKind::kCloseBrace) {
      while (!lists_.empty() && lists_.back() == List::kLet) lists_.pop_back();
      if (!lists_.empty()) lists_.pop_back();
    }
    advance();
    if (kind == TokenKind::kSemicolon && ends_statement_of(first)) break;
  }
  lists_.clear();
}

void TokenStream::enter() {
  if (++depth_ > kDeepest) fail(current_.span, fmt::format("nested more than {} levels deep", kDeepest));
}

}  // namespace nesl
