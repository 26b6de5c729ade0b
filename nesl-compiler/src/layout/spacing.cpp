#include "spacing.h"

namespace nesl {

namespace {

bool is_quoted(const std::vector<Piece>& pieces, std::size_t at) {
  return at > 0 && pieces[at - 1].is(TokenKind::kQuote);
}

bool opens(const Piece& piece) {
  return piece.is(TokenKind::kOpenParenthesis) || piece.is(TokenKind::kOpenBracket) || piece.is(TokenKind::kOpenBrace);
}

bool closes(const Piece& piece) {
  return piece.is(TokenKind::kCloseParenthesis) || piece.is(TokenKind::kCloseBracket) ||
         piece.is(TokenKind::kCloseBrace);
}

/// Whether the operand of a prefix operator follows piece `at`.
bool is_prefix(const std::vector<Piece>& pieces, std::size_t at) {
  const Piece& piece = pieces[at];
  if (is_quoted(pieces, at)) return false;
  if (piece.is(TokenKind::kLength) || piece.is(TokenKind::kPrint)) return true;
  return piece.is(TokenKind::kMinus) && !is_infix(pieces, at);
}

/// Whether an operator stands between blanks only if its author has put one before it: x^2 and 2*x are as good as
/// x ^ 2 and 2 * x.
bool may_be_tight(const std::vector<Piece>& pieces, std::size_t at) {
  const Piece& piece = pieces[at];
  return (piece.is(TokenKind::kPower) || piece.is(TokenKind::kTimes) || piece.is(TokenKind::kDivide)) &&
         is_infix(pieces, at);
}

}  // namespace

bool ends_operand(const std::vector<Piece>& pieces, std::size_t at) {
  const Piece& piece = pieces[at];
  if (piece.kind != Piece::Kind::kToken)
    return piece.kind == Piece::Kind::kComment && at > 0 && ends_operand(pieces, at - 1);
  if (is_quoted(pieces, at) || closes(piece)) return true;
  if (at > 0 && pieces[at - 1].is(TokenKind::kFunction)) return true;  // in the library also a word or operator
  switch (piece.token) {
    case TokenKind::kName:
    case TokenKind::kInt:
    case TokenKind::kFloat:
    case TokenKind::kChar:
    case TokenKind::kString:
    case TokenKind::kTrue:
    case TokenKind::kFalse:
    case TokenKind::kTime:
    case TokenKind::kClosure:
      return true;
    default:
      return false;
  }
}

bool is_infix(const std::vector<Piece>& pieces, std::size_t at) {
  const Piece& piece = pieces[at];
  return piece.kind == Piece::Kind::kToken && infix_strength(piece.token) > strength::kLambda && at > 0 &&
         !is_quoted(pieces, at) && ends_operand(pieces, at - 1);
}

bool has_blank_before(const std::vector<Piece>& pieces, std::size_t at, bool in_range) {
  const Piece &piece = pieces[at], &before = pieces[at - 1];
  const bool in_statement = !piece.ends_statement;
  if (!in_statement || closes(piece) || piece.is(TokenKind::kComma) || piece.is(TokenKind::kSemicolon)) return false;
  if (piece.kind != Piece::Kind::kToken || before.kind != Piece::Kind::kToken) return true;
  if (opens(before) || before.is(TokenKind::kQuote)) return false;
  const bool of_number = before.is(TokenKind::kInt) || before.is(TokenKind::kFloat);
  if (piece.is(TokenKind::kDot) || before.is(TokenKind::kDot)) return of_number && piece.after_blank();
  if (piece.is(TokenKind::kColon)) return !in_range || piece.after_blank();
  if (before.is(TokenKind::kColon) && in_range) return before.after_blank();
  if (may_be_tight(pieces, at)) return piece.after_blank();
  if (may_be_tight(pieces, at - 1)) return before.after_blank();
  if (is_prefix(pieces, at - 1)) return false;
  // A call or an index.
  if ((piece.is(TokenKind::kOpenParenthesis) || piece.is(TokenKind::kOpenBracket)) && ends_operand(pieces, at - 1))
    return piece.after_blank();
  return true;
}

}  // namespace nesl
