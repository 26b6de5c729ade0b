#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ast.h"
#include "parse_expression.h"
#include "parse_pattern.h"
#include "token_stream.h"

namespace nesl {

/// Span from the beginning of `first` to the end of `last`.
inline Span join(Span first, Span last) { return {first.begin, last.end}; }

/// An expression, its span including enclosing parentheses, and the height of its tree.
struct Tree {
  ExprPtr expr;
  Span extent;
  std::uint32_t height = 0;
};

/// Parser of expressions: a recursive function for each construct, and one for all infix operators.
class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& stream) : stream_(stream) {}

  /// Parses an expression whose infix operators all bind at least as tightly as `weakest`.
  Tree operators(int weakest);
  Tree everything() { return operators(strength::kComma); }
  Parameters parameters();

 private:
  struct Optional {
    std::string name;
    Span span;
    Tree value;
    TypeExprPtr type;  ///< declared type of a parameter, or null
  };
  struct Arguments {
    std::vector<Tree> positional;
    std::vector<Optional> optional;
    std::vector<TypeExprPtr> types;  ///< declared types of parameters: one for each of `positional`, or null
  };
  enum class ListOf : std::uint8_t { kArguments, kParameters };

  Tree operand();
  Tree primary();

  // Never inlined into operand() and primary(), which have a stack frame for each level of nesting in the source.
  [[gnu::noinline]] Tree infix(const Token& op, Tree left, Tree right);
  [[gnu::noinline]] Tree prefix();
  [[gnu::noinline]] Tree refuse();
  [[gnu::noinline]] Tree word();
  [[gnu::noinline]] Tree literal();
  [[gnu::noinline]] Tree conditional();
  [[gnu::noinline]] Tree let();
  [[gnu::noinline]] Tree lambda(Tree left);
  [[gnu::noinline]] Tree parenthesised();
  [[gnu::noinline]] Tree brackets();
  [[gnu::noinline]] Tree range(const Token& open, Tree start);
  [[gnu::noinline]] Tree empty_sequence(const Token& open);
  [[gnu::noinline]] Tree each();
  /// Parses a binding of an apply-to-each: `pattern in sequence`, or a name alone. `first` is the pattern or name,
  /// already parsed.
  void binding(Each& each, std::uint32_t& height, DistinctVariables& variables, Tree first);
  [[gnu::noinline]] Tree index(Tree sequence);
  [[gnu::noinline]] Tree field(Tree record);
  [[gnu::noinline]] Tree arguments();
  Arguments argument_list(const Token& open, ListOf what);
  [[gnu::noinline]] Tree quoted();
  [[gnu::noinline]] Tree closure();
  [[gnu::noinline]] Tree time();

  /// A placeholder for an expression with a syntax error.
  [[gnu::noinline]] Tree missing();
  [[gnu::noinline]] Tree make(Span span, Expr::Node node, std::uint32_t height);
  [[gnu::noinline]] Tree name(Span span, std::string_view name);
  /// A reference to the library function that implements some syntax, as elt for a[i].
  [[gnu::noinline]] Tree implied(Span span, std::string_view function);
  [[gnu::noinline]] Tree pair(Tree first, Tree rest);
  [[gnu::noinline]] Tree call(Span span, Tree function, Tree argument);
  /// Whether the current token begins the argument of an application without parentheses.
  bool begins_atom() const;

  TokenStream& stream_;
};

}  // namespace nesl
