#pragma once

#include <cstddef>
#include <vector>

#include "text_piece.h"

namespace nesl {

/// The constructs that are open at a piece, which say how far a line is indented that begins with the piece.
///
/// For each piece, in order: enter(), then column() if it begins a line, then leave() with the column where it stands.
class Indentation {
 public:
  explicit Indentation(const std::vector<Piece>& pieces) : pieces_(pieces) {}

  /// Starts a statement.
  void reset();
  /// Closes the constructs that end before piece `at`.
  void enter(std::size_t at);
  /// Indentation of a line that begins with piece `at`.
  std::size_t column(std::size_t at) const;
  /// Opens the construct that piece `at` begins. `column` is that of the piece, `line` the indentation of its line, and
  /// `ends_line` whether the next piece begins a line.
  void leave(std::size_t at, std::size_t column, std::size_t line, bool ends_line);

  /// Number of open constructs.
  std::size_t depth() const { return open_.size(); }
  bool is_in_range() const { return top().kind == Kind::kBracket && top().bracket == TokenKind::kOpenBracket; }
  bool is_in_braces() const { return top().kind == Kind::kBracket && top().bracket == TokenKind::kOpenBrace; }
  bool is_in_brackets() const { return top().kind == Kind::kBracket; }
  bool is_in_let() const { return top().kind == Kind::kLet; }
  bool is_in_statement() const { return top().kind == Kind::kStatement; }
  /// Whether piece `at`, which enter() has seen, is the `in` of a let.
  bool is_in_of_let(std::size_t at) const;

 private:
  enum class Kind : std::uint8_t {
    kStatement,
    kBracket,  ///< any of the three
    kLet,      ///< the bindings
    kLetBody,
    kIf,
    kThen,
    kElse,
  };
  struct Construct {
    Kind kind = Kind::kStatement;
    std::size_t column = 0;  ///< where its else, in or closing bracket stands if that begins a line
    std::size_t start = 2;   ///< where an element or branch stands if it begins a line
    std::size_t rest = 2;    ///< where the rest of an element stands if it begins a line
    bool at_start = false;   ///< an element begins next
    TokenKind bracket = TokenKind::kEnd;
  };

  const Construct& top() const { return open_.back(); }
  Construct& top() { return open_.back(); }
  template <class Wanted>
  void pop_to(Wanted wanted);
  bool has_let() const;

  const std::vector<Piece>& pieces_;
  std::vector<Construct> open_{Construct{}};
};

}  // namespace nesl
