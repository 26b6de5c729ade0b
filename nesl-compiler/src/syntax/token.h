#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/diagnostics.h"

namespace nesl {

using base::Span;

/// Kinds of tokens. Kinds from kIf on have one spelling each, in kSpellings.
enum class TokenKind : std::uint8_t {
  kEnd,  ///< end of the text
  kBad,  ///< characters that form no token; Lexer::error() gives the reason
  kName,
  kInt,
  kFloat,
  kChar,
  kString,
  // Words.
  kIf,
  kThen,
  kElse,
  kLet,
  kIn,
  kFunction,
  kDatatype,
  kClosure,
  kPair,
  kDefconfig,
  kTrue,
  kFalse,
  kTime,
  kAnd,
  kOr,
  kNand,
  kNor,
  kXor,
  // Signs of two characters.
  kArrow,      ///< ->
  kWrite,      ///< <-
  kLambda,     ///< =>
  kEqual,      ///< ==
  kNotEqual,   ///< /=
  kLessEqual,  ///< <=
  kGreaterEqual,
  kAppend,      ///< ++
  kPad,         ///< ||
  kContext,     ///< ::
  kOptional,    ///< :=
  kFileAssign,  ///< |=
  kJobAssign,   ///< &=
  kShift,       ///< >>, which the lexer recognizes but no rule of the grammar uses
  // Signs of one character.
  kPlus,
  kMinus,
  kTimes,
  kDivide,
  kPower,
  kLess,
  kGreater,
  kAssign,  ///< =
  kLength,  ///< #
  kPrint,   ///< @
  kComma,
  kColon,
  kSemicolon,
  kDollar,
  kBar,
  kOpenParenthesis,
  kCloseParenthesis,
  kOpenBracket,
  kCloseBracket,
  kOpenBrace,
  kCloseBrace,
  kQuote,  ///< '
  kQuestion,
  kAmpersand,
  kBackslash,
  kExclamation,
  kDot,
};

inline constexpr TokenKind kFirstWord = TokenKind::kIf;
inline constexpr TokenKind kFirstSign = TokenKind::kArrow;
inline constexpr TokenKind kLastKind = TokenKind::kDot;

/// Binding strengths of operators, weakest first.
namespace strength {
inline constexpr int kNone = 0;  ///< not an infix operator
inline constexpr int kComma = 4;
inline constexpr int kLambda = 5;
inline constexpr int kOr = 7;
inline constexpr int kAnd = 8;
inline constexpr int kCompare = 10;
inline constexpr int kAdd = 20;
inline constexpr int kMultiply = 21;
inline constexpr int kPower = 22;
inline constexpr int kWrite = 23;
inline constexpr int kRead = 24;
inline constexpr int kPrefix = 25;
inline constexpr int kApply = 30;
}  // namespace strength

/// Spelling of a token whose text is always the same; for infix operators also strength and direction.
struct Spelling {
  TokenKind kind;
  std::string_view text;
  int strength = strength::kNone;
  bool right = false;  ///< right-associative: a op b op c is a op (b op c)
};

/// Spellings in the order of TokenKind.
inline constexpr std::array kSpellings = {
    Spelling{TokenKind::kIf, "if"},
    Spelling{TokenKind::kThen, "then"},
    Spelling{TokenKind::kElse, "else"},
    Spelling{TokenKind::kLet, "let"},
    Spelling{TokenKind::kIn, "in"},
    Spelling{TokenKind::kFunction, "function"},
    Spelling{TokenKind::kDatatype, "datatype"},
    Spelling{TokenKind::kClosure, "closure"},
    Spelling{TokenKind::kPair, "pair"},
    Spelling{TokenKind::kDefconfig, "defconfig"},
    Spelling{TokenKind::kTrue, "t"},
    Spelling{TokenKind::kFalse, "f"},
    Spelling{TokenKind::kTime, "time"},
    Spelling{TokenKind::kAnd, "and", strength::kAnd},
    Spelling{TokenKind::kOr, "or", strength::kOr},
    Spelling{TokenKind::kNand, "nand", strength::kAnd},
    Spelling{TokenKind::kNor, "nor", strength::kOr},
    Spelling{TokenKind::kXor, "xor", strength::kOr},
    Spelling{TokenKind::kArrow, "->", strength::kRead, true},
    Spelling{TokenKind::kWrite, "<-", strength::kWrite},
    Spelling{TokenKind::kLambda, "=>", strength::kLambda, true},
    Spelling{TokenKind::kEqual, "==", strength::kCompare},
    Spelling{TokenKind::kNotEqual, "/=", strength::kCompare},
    Spelling{TokenKind::kLessEqual, "<=", strength::kCompare},
    Spelling{TokenKind::kGreaterEqual, ">=", strength::kCompare},
    Spelling{TokenKind::kAppend, "++", strength::kAdd},
    Spelling{TokenKind::kPad, "||", strength::kMultiply},
    Spelling{TokenKind::kContext, "::"},
    Spelling{TokenKind::kOptional, ":="},
    Spelling{TokenKind::kFileAssign, "|="},
    Spelling{TokenKind::kJobAssign, "&="},
    Spelling{TokenKind::kShift, ">>"},
    Spelling{TokenKind::kPlus, "+", strength::kAdd},
    Spelling{TokenKind::kMinus, "-", strength::kAdd},
    Spelling{TokenKind::kTimes, "*", strength::kMultiply},
    Spelling{TokenKind::kDivide, "/", strength::kMultiply},
    Spelling{TokenKind::kPower, "^", strength::kPower},
    Spelling{TokenKind::kLess, "<", strength::kCompare},
    Spelling{TokenKind::kGreater, ">", strength::kCompare},
    Spelling{TokenKind::kAssign, "="},
    Spelling{TokenKind::kLength, "#"},
    Spelling{TokenKind::kPrint, "@"},
    Spelling{TokenKind::kComma, ",", strength::kComma, true},
    Spelling{TokenKind::kColon, ":"},
    Spelling{TokenKind::kSemicolon, ";"},
    Spelling{TokenKind::kDollar, "$"},
    Spelling{TokenKind::kBar, "|"},
    Spelling{TokenKind::kOpenParenthesis, "("},
    Spelling{TokenKind::kCloseParenthesis, ")"},
    Spelling{TokenKind::kOpenBracket, "["},
    Spelling{TokenKind::kCloseBracket, "]"},
    Spelling{TokenKind::kOpenBrace, "{"},
    Spelling{TokenKind::kCloseBrace, "}"},
    Spelling{TokenKind::kQuote, "'"},
    Spelling{TokenKind::kQuestion, "?"},
    Spelling{TokenKind::kAmpersand, "&"},
    Spelling{TokenKind::kBackslash, "\\"},
    Spelling{TokenKind::kExclamation, "!"},
    Spelling{TokenKind::kDot, "."},
};
static_assert(kSpellings.size() == static_cast<std::size_t>(kLastKind) - static_cast<std::size_t>(kFirstWord) + 1);

constexpr bool is_spelled(TokenKind kind) { return kind >= kFirstWord; }
/// Spelling of a kind for which is_spelled() is true.
constexpr const Spelling& spelling(TokenKind kind) {
  VC_CHECK(is_spelled(kind));
  return kSpellings[static_cast<std::size_t>(kind) - static_cast<std::size_t>(kFirstWord)];
}
static_assert([] {
  for (std::size_t i = 0; i < kSpellings.size(); ++i)
    if (static_cast<std::size_t>(kSpellings[i].kind) != i + static_cast<std::size_t>(kFirstWord)) return false;
  return true;
}());

constexpr bool is_word(TokenKind kind) { return kind >= kFirstWord && kind < kFirstSign; }
/// Binding strength of an infix operator; strength::kNone for other tokens.
constexpr int infix_strength(TokenKind kind) { return is_spelled(kind) ? spelling(kind).strength : strength::kNone; }
/// Whether an infix or prefix operator is a function, as all are but the comma and =>.
constexpr bool is_operator(TokenKind kind) {
  return infix_strength(kind) > strength::kLambda || kind == TokenKind::kLength || kind == TokenKind::kPrint;
}
constexpr bool is_terminator(TokenKind kind) { return kind == TokenKind::kSemicolon || kind == TokenKind::kDollar; }

struct Token {
  TokenKind kind = TokenKind::kEnd;
  bool new_line = false;  ///< first token of its line
  Span span{};
};

}  // namespace nesl
