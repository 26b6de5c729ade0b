#include "nesl-compiler/completeness.h"

#include <vector>

#include "syntax/nesl_lexer.h"

namespace nesl {

namespace {

/// Open constructs within one pair of brackets, or outside of all brackets.
struct Bracket {
  int lets = 0;  ///< number whose `in` is missing
  int ifs = 0;   ///< number whose `else` is missing
};

/// True for tokens that cannot end an expression or statement.
bool wants_more(TokenKind kind) {
  if (infix_strength(kind) != strength::kNone) return true;
  switch (kind) {
    case TokenKind::kIf:
    case TokenKind::kThen:
    case TokenKind::kElse:
    case TokenKind::kLet:
    case TokenKind::kIn:
    case TokenKind::kFunction:
    case TokenKind::kDatatype:
    case TokenKind::kContext:
    case TokenKind::kOptional:
    case TokenKind::kFileAssign:
    case TokenKind::kJobAssign:
    case TokenKind::kAssign:
    case TokenKind::kLength:
    case TokenKind::kPrint:
    case TokenKind::kColon:
    case TokenKind::kBar:
    case TokenKind::kQuote:
    case TokenKind::kDot:
      return true;
    default:
      return false;
  }
}

}  // namespace

Completeness completeness(std::string_view text) {
  Lexer lexer(text);
  std::vector<Bracket> levels(1);
  bool any = false, terminated = false;  // a statement has begun; a statement has ended
  bool quoted = false;                   // the previous token was ', which makes a name of any token
  TokenKind first = TokenKind::kEnd, last = TokenKind::kEnd;
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    // An unterminated string or comment is a bad token at its first character, and so is a ` at the end of the text.
    if (token.kind == TokenKind::kBad && token.span.end - token.span.begin == 1 &&
        (text[token.span.begin] == '"' || text[token.span.begin] == '%' || text[token.span.begin] == '`'))
      return Completeness::kIncomplete;
    if (is_terminator(token.kind) && !quoted && levels.size() == 1 && levels[0].lets == 0) {
      levels[0] = {};
      any = false;
      terminated = true;
      continue;
    }
    if (!any) first = token.kind;
    any = true;
    last = token.kind;
    if (quoted) {
      quoted = false;
      last = TokenKind::kName;
      continue;
    }
    switch (token.kind) {
      case TokenKind::kQuote:
        quoted = true;
        break;
      case TokenKind::kOpenParenthesis:
      case TokenKind::kOpenBracket:
      case TokenKind::kOpenBrace:
        levels.emplace_back();
        break;
      case TokenKind::kCloseParenthesis:
      case TokenKind::kCloseBracket:
      case TokenKind::kCloseBrace:
        if (levels.size() > 1) levels.pop_back();
        break;
      case TokenKind::kLet:
        ++levels.back().lets;
        break;
      case TokenKind::kIn:
        if (levels.back().lets > 0) --levels.back().lets;
        break;
      case TokenKind::kIf:
        ++levels.back().ifs;
        break;
      case TokenKind::kElse:
        if (levels.back().ifs > 0) --levels.back().ifs;
        break;
      default:
        break;
    }
  }
  if (!any) return terminated ? Completeness::kTerminated : Completeness::kEmpty;
  if (levels.size() > 1 || levels[0].lets > 0 || levels[0].ifs > 0 || wants_more(last))
    return Completeness::kIncomplete;
  return first == TokenKind::kFunction || first == TokenKind::kDatatype ? Completeness::kDefinition
                                                                        : Completeness::kStatement;
}

}  // namespace nesl
