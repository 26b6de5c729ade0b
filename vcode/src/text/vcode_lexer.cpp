#include "vcode_lexer.h"

#include <boost/spirit/home/x3.hpp>

namespace vcode {
namespace {

namespace x3 = boost::spirit::x3;

const auto kBlank = x3::char_(" \t\n\r\f");
const auto kComment = '{' >> *~x3::char_('}') >> '}';
const auto kSkipped = *(kBlank | kComment);

const auto kWordCharacters = +x3::char_("-+*/%<>=!._A-Za-z0-9");
const auto kString = '"' >> *~x3::char_('"') >> '"';
const auto kStray = +~x3::char_("-+*/%<>=!._A-Za-z0-9 \t\n\r\f{\"()");

// Numbers are matched against a whole run of word characters: 1-2 and 5CONST are words, not numbers.
const auto kSign = x3::char_("-+");
const auto kDigits = +x3::digit;
const auto kInteger = -kSign >> kDigits >> x3::eoi;
const auto kReal = -kSign >> kDigits >> '.' >> *x3::digit >> -(x3::char_("Ee") >> -kSign >> kDigits) >> x3::eoi;

/// Advances `at` past the text that the grammar matches.
template <class Grammar>
bool match(const char*& at, const char* end, const Grammar& grammar) {
  return x3::parse(at, end, grammar);
}

TokenKind classify(const char* from, const char* to) {
  auto is = [=](const auto& grammar) {
    const char* at = from;
    return match(at, to, grammar);
  };
  return is(kInteger) ? TokenKind::kInteger : is(kReal) ? TokenKind::kReal : TokenKind::kWord;
}

}  // namespace

std::string_view token_kind_name(TokenKind kind) {
  constexpr std::string_view kNames[] = {
      "integer", "real", "word", "string", "open", "close", "stray", "unterminated comment", "unterminated string",
      "end"};
  return kNames[static_cast<int>(kind)];
}

Lexer::Lexer(std::string_view text) : begin_(text.data()), end_(text.data() + text.size()), at_(begin_) {}

Token Lexer::token(TokenKind kind, const char* from, const char* to) {
  at_ = to;
  return {kind, {static_cast<std::uint32_t>(from - begin_), static_cast<std::uint32_t>(to - begin_)}};
}

Token Lexer::next() {
  match(at_, end_, kSkipped);
  const char* from = at_;
  const char* to = from;
  if (from == end_) return token(TokenKind::kEnd, from, from);
  if (match(to, end_, kWordCharacters)) return token(classify(from, to), from, to);
  switch (*from) {
    case '(':
      return token(TokenKind::kOpen, from, from + 1);
    case ')':
      return token(TokenKind::kClose, from, from + 1);
    case '"':
      return match(to, end_, kString) ? token(TokenKind::kString, from, to)
                                      : token(TokenKind::kUnterminatedString, from, end_);
    case '{':
      return token(TokenKind::kUnterminatedComment, from, end_);
    default:
      match(to, end_, kStray);
      return token(TokenKind::kStray, from, to);
  }
}

}  // namespace vcode
