#include "nesl-compiler/format.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "comments.h"
#include "indentation.h"
#include "spacing.h"
#include "syntax/nesl_lexer.h"
#include "syntax/parser.h"
#include "text_piece.h"

namespace nesl {

namespace {

constexpr std::size_t kWidth = 100;

// --- pieces -----------------------------------------------------------------------------------------------------

/// A comment without blanks at the ends of its lines.
std::string trimmed(std::string_view comment) {
  std::string result;
  for (const char c : comment) {
    if (c == '\n')
      while (!result.empty() && (result.back() == ' ' || result.back() == '\t' || result.back() == '\r'))
        result.pop_back();
    result += c;
  }
  return result;
}

/// Divides a text without errors into pieces.
class Divider {
 public:
  Divider(std::string_view text, const std::vector<Statement>& statements) : text_(text), statements_(statements) {}

  std::vector<Piece> pieces() {
    Lexer lexer(text_);
    for (Token token = lexer.next();; token = lexer.next()) {
      for (const base::Span comment : comments_between(text_, {at_, token.span.begin}))
        add(Piece::Kind::kComment, comment, trimmed(text_.substr(comment.begin, comment.end - comment.begin)));
      if (token.kind == TokenKind::kEnd) break;
      Piece* piece = nullptr;
      if (const Statement* command = command_at(token.span.begin)) {
        lexer.seek(command->span.end);
        const base::Span span = command->span;
        piece = &add(Piece::Kind::kCommand, span, text_.substr(span.begin, span.end - span.begin));
        piece->begins_statement = true;
      } else {
        const base::Span span = token.span;
        piece = &add(Piece::Kind::kToken, span, text_.substr(span.begin, span.end - span.begin));
        piece->token = token.kind;
        piece->begins_statement = next_ < statements_.size() && span.begin == statements_[next_].span.begin;
        piece->ends_statement = is_terminator(token.kind) && !is_inside(span.begin);
      }
      if (piece->begins_statement) ++next_;
    }
    return std::move(pieces_);
  }

 private:
  const Statement* command_at(std::uint32_t begin) const {
    if (next_ == statements_.size() || statements_[next_].span.begin != begin) return nullptr;
    const Statement& statement = statements_[next_];
    return std::holds_alternative<CommandStatement>(statement.node) ? &statement : nullptr;
  }
  /// Whether a place is inside the statement that began last.
  bool is_inside(std::uint32_t place) const { return next_ > 0 && place < statements_[next_ - 1].span.end; }

  Piece& add(Piece::Kind kind, base::Span span, std::string_view text) {
    const std::string_view between = text_.substr(at_, span.begin - at_);
    Piece& piece = pieces_.emplace_back();
    piece.kind = kind;
    piece.text = text;
    piece.blanks = between.size();
    piece.line_ends = static_cast<int>(std::count(between.begin(), between.end(), '\n'));
    at_ = span.end;
    return piece;
  }

  const std::string_view text_;
  const std::vector<Statement>& statements_;
  std::size_t next_ = 0;  ///< number of the next statement
  std::uint32_t at_ = 0;  ///< end of the last piece
  std::vector<Piece> pieces_;
};

// --- lines ------------------------------------------------------------------------------------------------------

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Lays out the pieces of one statement and of the comments and terminators behind it.
class Layout {
 public:
  Layout(const std::vector<Piece>& pieces, std::size_t begin, std::size_t end)
      : pieces_(pieces), begin_(begin), breaks_(end - begin), places_(end - begin), indentation_(pieces) {
    for (std::size_t at = begin; at < end; ++at) breaks_[at - begin] = is_broken_by_author(at);
  }

  std::string text() {
    // Each round adds a line break, so that there is a last round.
    do lay_out();
    while (divide_a_line());
    return std::move(out_);
  }

 private:
  /// A piece on its line.
  struct Place {
    std::size_t column = 0, end = 0;  ///< of its first line: where it begins, and behind its last character
    std::size_t line = 0;             ///< number of the line
    std::size_t if_broken = 0;        ///< indentation if it began a line
    int preference = kNever;          ///< for a line break before it: the lowest number is best
    std::size_t depth = 0;            ///< open constructs
  };
  static constexpr int kBest = 0, kNever = 1000;

  bool is_broken_by_author(std::size_t at) const {
    const Piece& piece = pieces_[at];
    if (at == 0) return false;
    if (piece.begins_statement) return true;
    return piece.line_ends > 0 && !piece.ends_statement;
  }

  void lay_out();
  std::size_t line_column(std::size_t at) const;
  bool divide_a_line();
  int preference(std::size_t at) const;

  const std::vector<Piece>& pieces_;
  const std::size_t begin_;
  std::vector<bool> breaks_;  ///< whether a line begins with a piece
  std::vector<Place> places_;
  Indentation indentation_;
  bool in_heading_ = false;  ///< in the name, parameters, type and description of a function or datatype
  std::string out_;
};

void Layout::lay_out() {
  out_.clear();
  indentation_.reset();
  std::size_t column = 0, line = 0, indented = 0;
  bool in_statement = false;
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const std::size_t at = begin_ + k;
    const Piece& piece = pieces_[at];
    if (piece.begins_statement) {
      in_statement = true;
      in_heading_ = piece.is(TokenKind::kFunction) || piece.is(TokenKind::kDatatype);
    }
    indentation_.enter(at);
    if (piece.is(TokenKind::kAssign) && indentation_.is_in_statement()) in_heading_ = false;
    Place& place = places_[k];
    place = {};
    place.if_broken = in_statement ? line_column(at) : 0;
    place.preference = in_statement && k > 0 ? preference(at) : kNever;
    place.depth = indentation_.depth();
    if (breaks_[k]) {
      out_ += piece.line_ends > 1 ? "\n\n" : "\n";
      out_.append(place.if_broken, ' ');
      column = indented = place.if_broken;
      ++line;
    } else if (at > 0 && has_blank_before(pieces_, at, indentation_.is_in_range())) {
      // Comments behind several lines may be in a column of their own.
      const bool is_apart = piece.kind == Piece::Kind::kComment && piece.line_ends == 0;
      const std::size_t blanks = is_apart ? std::max<std::size_t>(piece.blanks, 1) : 1;
      out_.append(blanks, ' ');
      column += blanks;
    }
    place.column = column;
    place.line = line;
    out_ += piece.text;
    const std::size_t first_end = std::min(piece.text.find('\n'), piece.text.size());
    place.end = column + columns_of(std::string_view(piece.text).substr(0, first_end));
    const std::size_t last_line = piece.text.rfind('\n');
    if (last_line == std::string::npos) {
      column = place.end;
    } else {
      column = columns_of(std::string_view(piece.text).substr(last_line + 1));
      ++line;
    }
    const bool ends_line = k + 1 < breaks_.size() && breaks_[k + 1];
    if (in_statement) indentation_.leave(at, place.column, indented, ends_line);
    if (piece.ends_statement) {
      in_statement = false;
      indentation_.reset();
    }
  }
}

/// Indentation of a line that begins with piece `at`: of a comment above a line, that of this line.
std::size_t Layout::line_column(std::size_t at) const {
  std::size_t next = at;
  while (next < begin_ + breaks_.size() && pieces_[next].kind == Piece::Kind::kComment) ++next;
  if (next == at || next == begin_ + breaks_.size() || !breaks_[next - begin_]) return indentation_.column(at);
  Indentation ahead = indentation_;
  ahead.enter(next);
  return ahead.column(next);
}

/// How good a place is for a line break before piece `at`, which Indentation::enter() has seen.
int Layout::preference(std::size_t at) const {
  constexpr int kGood = 1, kOperator = 10, kBinding = 50;
  const Piece &piece = pieces_[at], &before = pieces_[at - 1];
  if (piece.kind != Piece::Kind::kToken || piece.ends_statement || before.kind != Piece::Kind::kToken) return kNever;
  if (piece.is(TokenKind::kElse) || indentation_.is_in_of_let(at)) return kBest;
  const bool after_equals = before.is(TokenKind::kAssign);
  if (indentation_.is_in_statement()) {
    if (after_equals) return kBest;
    if (piece.is(TokenKind::kString) && in_heading_) return kBest;  // the description
  }
  if (after_equals || before.is(TokenKind::kLambda)) return kBinding;
  if (before.is(TokenKind::kSemicolon)) return indentation_.is_in_let() ? kBest : kGood;
  if (before.is(TokenKind::kThen) || (before.is(TokenKind::kElse) && !piece.is(TokenKind::kIf))) return kGood;
  if (before.is(TokenKind::kComma)) return kGood;
  if (indentation_.is_in_braces() && (before.is(TokenKind::kColon) || piece.is(TokenKind::kBar))) return kGood;
  if (is_infix(pieces_, at) && !piece.is(TokenKind::kComma) && !piece.is(TokenKind::kPower))
    return kOperator + infix_strength(piece.token);
  return kNever;
}

/// Divides the first line that is too long at its best places: in the outermost construct, and there, unless all of
/// them are kBest, the last one before which the line is not too long. False if there is none.
bool Layout::divide_a_line() {
  const auto rank = [](const Place& p) { return std::pair(p.depth, p.preference); };
  for (std::size_t first = 0; first < places_.size();) {
    std::size_t end = first + 1;
    while (end < places_.size() && !breaks_[end]) ++end;
    const auto is_place = [&](std::size_t k) {
      return places_[k].preference != kNever && places_[k].if_broken < places_[k].column;
    };
    bool too_long = places_[first].end > kWidth;
    std::optional<std::size_t> best;
    for (std::size_t k = first + 1; k < end; ++k) {
      too_long = too_long || places_[k].end > kWidth;
      if (!is_place(k)) continue;
      const bool fits = places_[k - 1].end <= kWidth;
      if (!best || rank(places_[k]) < rank(places_[*best]) || (rank(places_[k]) == rank(places_[*best]) && fits))
        best = k;
    }
    if (too_long && best) {
      for (std::size_t k = first + 1; k < end; ++k)
        if (k == *best ||
            (places_[*best].preference == kBest && is_place(k) && rank(places_[k]) == rank(places_[*best])))
          breaks_[k] = true;
      return true;
    }
    first = end;
  }
  return false;
}

// --- check ------------------------------------------------------------------------------------------------------

/// Whether two texts have the same tokens and comments.
bool is_same(std::string_view left, std::string_view right) {
  Lexer lexers[] = {Lexer(left), Lexer(right)};
  for (;;) {
    const Token a = lexers[0].next(), b = lexers[1].next();
    if (a.kind != b.kind) return false;
    if (a.kind == TokenKind::kEnd) break;
    if (left.substr(a.span.begin, a.span.end - a.span.begin) != right.substr(b.span.begin, b.span.end - b.span.begin))
      return false;
  }
  const auto comments = [](std::string_view text) {
    std::vector<std::string> all;
    for (const base::Span comment : comments_of(text))
      all.push_back(trimmed(text.substr(comment.begin, comment.end - comment.begin)));
    return all;
  };
  return comments(left) == comments(right);
}

}  // namespace

std::optional<std::string> format(const base::Source& source, base::Diagnostics& diagnostics) {
  base::Diagnostics problems, of_library;
  std::vector<Statement> statements = parse(source, {}, problems);
  // Files of the library have statements of their own.
  if (problems.has_errors()) statements = parse(source, {.prelude = true}, of_library);
  if (of_library.has_errors()) {
    diagnostics = std::move(problems);
    return std::nullopt;
  }
  const std::vector<Piece> pieces = Divider(source.text(), statements).pieces();
  std::string text;
  for (std::size_t begin = 0; begin < pieces.size();) {
    std::size_t end = begin + 1;
    while (end < pieces.size() && !pieces[end].begins_statement) ++end;
    text += Layout(pieces, begin, end).text();
    begin = end;
  }
  if (!text.empty()) text += '\n';
  VC_CHECK(is_same(source.text(), text));
  return text;
}

}  // namespace nesl
