#include "nesl_lexer.h"

#include <algorithm>

#include <fmt/format.h>

#include "messages/lookalike.h"
#include "nesl-compiler/escapes.h"

namespace nesl {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr const char* kEscapeHint =
    R"(a backslash is written \\; \n, \t, \r and \0 are a newline, tab, return and zero, and \" is a quote)";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; }

bool is_special(char c) {
  static constexpr std::string_view kSpecial = "-+#&'()*,/:;<=>@[\\]^{}?|!$`";
  return kSpecial.find(c) != std::string_view::npos;
}

/// Whether a character may occur within a name.
bool is_name_part(char c) {
  return !is_blank(c) && !is_special(c) && !is_control(c) && c != '"' && c != '.' && c != '%';
}

bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

char fold(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

TokenKind word_kind(std::string_view folded) {
  for (const Spelling& s : kSpellings) {
    if (!is_word(s.kind)) break;
    if (s.text == folded) return s.kind;
  }
  return TokenKind::kName;
}

}  // namespace

Lexer::Lexer(std::string_view text) : text_(text) {
  if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

Span Lexer::span(std::size_t begin, std::size_t end) const {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

Token Lexer::token(TokenKind kind, std::size_t end) {
  const bool new_line = new_line_;
  new_line_ = false;
  at_ = end;
  return {kind, new_line, span(begin_, end)};
}

Token Lexer::bad(std::size_t end, std::string message, std::optional<base::Diagnostic::Note> hint) {
  error_ = {std::move(message), std::move(hint)};
  return token(TokenKind::kBad, end);
}

void Lexer::skip_line() {
  at_ = std::min(text_.find('\n', at_), text_.size());
  new_line_ = true;
}

/// Skips blanks and comments. Returns false if a comment does not end; at_ is then its beginning.
bool Lexer::skip_blanks() {
  for (; at_ < text_.size(); ++at_) {
    if (text_[at_] == '\n') new_line_ = true;
    if (is_blank(text_[at_])) continue;
    if (text_[at_] != '%') return true;
    const std::size_t end = text_.find('%', at_ + 1);
    if (end == std::string_view::npos) return false;
    comment_ = span(at_, end + 1);
    if (text_.substr(at_, end - at_).find('\n') != std::string_view::npos) {
      new_line_ = true;
      if (!long_comment_) long_comment_ = span(at_, end + 1);
    }
    at_ = end;
  }
  return true;
}

Token Lexer::next() {
  const bool complete = skip_blanks();
  begin_ = at_;
  if (!complete) {
    std::optional<base::Diagnostic::Note> hint;
    const bool same_line = comment_ && text_.substr(comment_->end, begin_ - comment_->end).find('\n') == text_.npos;
    if (same_line)
      hint = {*comment_, "a % inside a comment ends it, as this one"};
    else if (long_comment_)
      hint = {*long_comment_, "or the one that begins here lacks its % and takes the next comment's"};
    Token unclosed = bad(begin_ + 1, "this comment is not closed: comments end at the next %", std::move(hint));
    at_ = text_.size();
    return unclosed;
  }
  if (at_ == text_.size()) return token(TokenKind::kEnd, at_);
  const char c = text_[at_];
  if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1)))) return number();
  if (c == '`') return character();
  if (c == '"') return string();
  if (is_control(c)) return bad(at_ + 1, fmt::format("unexpected byte 0x{:02X}", static_cast<unsigned char>(c)));
  return is_special(c) || c == '.' ? sign() : word();
}

Token Lexer::number() {
  std::size_t end = at_;
  const auto digits = [&] {
    while (is_digit(at(end))) ++end;
  };
  bool real = false;
  digits();
  if (at(end) == '.') {
    real = true;
    ++end;
    digits();
  }
  std::string_view problem;
  if (fold(at(end)) == 'e') {
    std::size_t exponent = end + 1;
    if (at(exponent) == '+' || at(exponent) == '-') ++exponent;
    if (is_digit(at(exponent))) {
      real = true;
      end = exponent;
      digits();
    } else if (exponent > end + 1 || !is_name_part(at(exponent))) {
      problem = "the exponent has no digits";
      end = exponent;
    }
  }
  if (problem.empty() && !real && thousands_of(at(end)) > 0 && !is_name_part(at(end + 1))) ++end;
  if (problem.empty() && end < text_.size() && is_name_part(text_[end]) &&
      find_lookalike(text_.substr(end)).length == 0)
    problem = "a name cannot begin with a digit";
  if (problem.empty() && real && at(end) == '.' && is_digit(at(end + 1))) {
    problem = "it has two points";
    ++end;
  }
  if (problem.empty()) return token(real ? TokenKind::kFloat : TokenKind::kInt, end);
  while (end < text_.size() && is_name_part(text_[end])) ++end;
  return bad(end, fmt::format("malformed number {}: {}", text_.substr(begin_, end - begin_), problem));
}

Token Lexer::word() {
  std::size_t end = at_;
  for (; end < text_.size() && is_name_part(text_[end]); ++end)
    if (is_beyond_ascii(text_[end]) && find_lookalike(text_.substr(end)).length > 0) {
      if (end == at_) return lookalike(end);
      break;
    }
  constexpr std::size_t kLongestWord = 9;
  const bool may_be_reserved = end - at_ <= kLongestWord;
  return token(may_be_reserved ? word_kind(fold_case(text_.substr(at_, end - at_))) : TokenKind::kName, end);
}

/// Reports a look-alike of another character as a bad token. A text in typographic quotes becomes one bad token.
Token Lexer::lookalike(std::size_t begin) {
  const Lookalike found = find_lookalike(text_.substr(begin));
  Token token = bad(begin + found.length, found.message);
  if (!found.opens_quote) return token;
  const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
  for (std::size_t at = at_; at < line_end; ++at)
    if (text_[at] == '"' || find_lookalike(text_.substr(at)).opens_quote) {
      at_ = at + (text_[at] == '"' ? 1 : found.length);
      break;
    }
  return token;
}

Token Lexer::character() {
  if (at_ + 1 == text_.size()) return bad(text_.size(), "` must be followed by a character");
  const std::size_t length = base::character_length(text_.substr(at_ + 1));
  if (length > 1)
    return bad(at_ + 1 + length, fmt::format("the character {} is {} bytes long, and a char is one byte",
                                             text_.substr(at_ + 1, length), length));
  return token(TokenKind::kChar, at_ + 2);
}

Token Lexer::string() {
  std::size_t end = at_ + 1;
  bool lines = false;
  std::size_t wrong = 0;  // position of a backslash that begins no escape
  for (; end < text_.size() && text_[end] != '"'; ++end) {
    if (text_[end] == '\\') {
      ++end;
      if (wrong == 0 && find_escape(&Escape::letter, at(end)) == nullptr) wrong = end - 1;
    }
    if (at(end) == '\n') lines = true;
  }
  if (end >= text_.size()) {
    std::optional<base::Diagnostic::Note> hint;
    if (long_string_)
      hint = {*long_string_, "or the one that begins here lacks its closing quote and takes the next string's"};
    Token unclosed = bad(begin_ + 1, "this string has no closing quote", std::move(hint));
    at_ = text_.size();
    return unclosed;
  }
  if (wrong > 0) {
    const std::size_t length = std::max<std::size_t>(base::character_length(text_.substr(wrong + 1)), 1);
    const bool shown = !is_control(text_[wrong + 1]);
    begin_ = wrong;
    Token escape = bad(wrong + 1 + length,
                       shown ? fmt::format("{} means nothing in a string", text_.substr(wrong, 1 + length))
                             : "this backslash means nothing in a string",
                       base::Diagnostic::Note{{}, kEscapeHint, false});
    at_ = end + 1;
    return escape;
  }
  if (lines && !long_string_) long_string_ = span(begin_, end + 1);
  return token(TokenKind::kString, end + 1);
}

Token Lexer::sign() {
  const std::string_view rest = text_.substr(at_);
  // The table lists signs of two characters first, so that the longest match wins.
  for (auto kind = static_cast<std::size_t>(kFirstSign); kind <= static_cast<std::size_t>(kLastKind); ++kind) {
    const Spelling& s = spelling(static_cast<TokenKind>(kind));
    if (rest.starts_with(s.text)) return token(s.kind, at_ + s.text.size());
  }
  return bad(at_ + 1, fmt::format("unexpected {}", rest[0]));
}

std::string fold_case(std::string_view text) {
  std::string folded(text);
  std::transform(folded.begin(), folded.end(), folded.begin(), fold);
  return folded;
}

int thousands_of(char multiplier) {
  switch (multiplier) {
    case 'k':
    case 'K':
      return 1;
    case 'm':
    case 'M':
      return 2;
    case 'g':
    case 'G':
      return 3;
    default:
      return 0;
  }
}

std::string string_contents(std::string_view token) {
  std::string contents;
  for (std::size_t i = 1; i + 1 < token.size(); ++i) {
    const Escape* escape = token[i] == '\\' ? find_escape(&Escape::letter, token[++i]) : nullptr;
    contents += escape != nullptr ? escape->character : token[i];
  }
  return contents;
}

std::string quoted_string(std::string_view contents) {
  std::string token = "\"";
  for (const char c : contents) {
    const Escape* escape = find_escape(&Escape::character, c);
    if (escape != nullptr) token += '\\';
    token += escape != nullptr ? escape->letter : c;
  }
  return token += '"';
}

bool is_plain_name(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (is_beyond_ascii(text[i]) && find_lookalike(text.substr(i)).length > 0) return false;
  return !text.empty() && !is_digit(text[0]) && std::all_of(text.begin(), text.end(), is_name_part) &&
         word_kind(fold_case(text)) == TokenKind::kName;
}

}  // namespace nesl
