#include "indentation.h"

#include <algorithm>

namespace nesl {

namespace {

constexpr std::size_t kStep = 2;

bool is_bracket_end(const Piece& piece) {
  return piece.is(TokenKind::kCloseParenthesis) || piece.is(TokenKind::kCloseBracket) ||
         piece.is(TokenKind::kCloseBrace);
}

}  // namespace

void Indentation::reset() { open_ = {Construct{}}; }

/// Closes the innermost constructs up to the first wanted one; none if there is no wanted one.
template <class Wanted>
void Indentation::pop_to(Wanted wanted) {
  const auto found = std::find_if(open_.rbegin(), open_.rend(), wanted);
  if (found != open_.rend()) open_.erase(found.base(), open_.end());
}

/// Whether there is a let whose `in` may come next: one inside of the innermost brackets.
bool Indentation::has_let() const {
  for (auto construct = open_.rbegin(); construct != open_.rend(); ++construct) {
    if (construct->kind == Kind::kLet) return true;
    if (construct->kind == Kind::kBracket) return false;
  }
  return false;
}

bool Indentation::is_in_of_let(std::size_t at) const { return pieces_[at].is(TokenKind::kIn) && is_in_let(); }

void Indentation::enter(std::size_t at) {
  const Piece& piece = pieces_[at];
  if (piece.kind != Piece::Kind::kToken || (at > 0 && pieces_[at - 1].is(TokenKind::kQuote))) return;
  const auto is_kind = [](Kind kind) { return [kind](const Construct& c) { return c.kind == kind; }; };
  const auto holds_list = [](const Construct& c) {
    return c.kind == Kind::kBracket || c.kind == Kind::kLet || c.kind == Kind::kStatement;
  };
  if (is_bracket_end(piece))
    pop_to(is_kind(Kind::kBracket));
  else if (piece.is(TokenKind::kSemicolon) || piece.is(TokenKind::kAssign))
    pop_to(holds_list);
  else if (piece.is(TokenKind::kColon) || piece.is(TokenKind::kBar))
    pop_to([](const Construct& c) { return c.kind == Kind::kBracket || c.kind == Kind::kStatement; });
  else if (piece.is(TokenKind::kIn) && has_let())
    pop_to(is_kind(Kind::kLet));
  else if (piece.is(TokenKind::kThen))
    pop_to(is_kind(Kind::kIf));
  else if (piece.is(TokenKind::kElse))
    pop_to(is_kind(Kind::kThen));
}

std::size_t Indentation::column(std::size_t at) const {
  const Piece& piece = pieces_[at];
  if (piece.begins_statement) return 0;
  if (is_bracket_end(piece) || piece.is(TokenKind::kElse) || is_in_of_let(at)) return top().column;
  if (piece.is(TokenKind::kThen)) return top().column + kStep;
  return top().at_start ? top().start : top().rest;
}

void Indentation::leave(std::size_t at, std::size_t column, std::size_t line, bool ends_line) {
  const Piece& piece = pieces_[at];
  if (piece.kind != Piece::Kind::kToken) return;
  const bool quoted = at > 0 && pieces_[at - 1].is(TokenKind::kQuote);
  const bool moves_on = piece.is(TokenKind::kThen) || piece.is(TokenKind::kElse) || is_in_of_let(at);
  if (top().at_start && !moves_on && !is_bracket_end(piece)) {
    top().at_start = false;
    // Bindings and conditions in braces stand below the first element, wherever their line begins.
    const bool in_braces = top().bracket == TokenKind::kOpenBrace;
    top().rest = in_braces ? top().start : column + (top().kind == Kind::kLet ? kStep : 0);
  }
  if (quoted) return;
  const auto behind = [&](std::size_t base) { return ends_line ? base + kStep : column + piece.text.size() + 1; };
  switch (piece.token) {
    case TokenKind::kOpenParenthesis:
    case TokenKind::kOpenBracket:
    case TokenKind::kOpenBrace: {
      const std::size_t start = ends_line ? line + kStep : column + 1;
      open_.push_back({Kind::kBracket, ends_line ? line : column, start, start, true, piece.token});
      break;
    }
    case TokenKind::kCloseParenthesis:
    case TokenKind::kCloseBracket:
    case TokenKind::kCloseBrace:
      if (open_.size() > 1) open_.pop_back();
      break;
    case TokenKind::kLet:
      open_.push_back({Kind::kLet, column, behind(column), behind(column), true});
      break;
    case TokenKind::kIn:
      if (is_in_let()) top() = {Kind::kLetBody, top().column, behind(top().column), behind(top().column), true};
      break;
    case TokenKind::kIf: {
      const bool continues = top().kind == Kind::kElse && pieces_[at - 1].is(TokenKind::kElse) && column != line;
      open_.push_back({Kind::kIf, continues ? top().column : column, behind(column), behind(column), true});
      break;
    }
    case TokenKind::kThen:
    case TokenKind::kElse: {
      const bool matches = top().kind == (piece.token == TokenKind::kThen ? Kind::kIf : Kind::kThen);
      const Kind kind = piece.token == TokenKind::kThen ? Kind::kThen : Kind::kElse;
      if (matches) top() = {kind, top().column, behind(top().column), behind(top().column), true};
      break;
    }
    case TokenKind::kComma:
    case TokenKind::kSemicolon:
      if (top().kind != Kind::kStatement) top().at_start = true;
      break;
    case TokenKind::kAssign:
      if (is_in_let() && !ends_line) top().rest = column + kStep;
      break;
    case TokenKind::kColon:
    case TokenKind::kBar:
      if (top().kind == Kind::kBracket) top().at_start = true;
      break;
    default:
      break;
  }
}

}  // namespace nesl
