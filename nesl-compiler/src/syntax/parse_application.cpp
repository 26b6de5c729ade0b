#include <utility>
#include <vector>

#include <fmt/format.h>

#include "parse_expression.h"
#include "parse_pattern.h"
#include "parse_type.h"
#include "parser.h"
#include "token_stream.h"

namespace nesl {

namespace {

ExprPtr name_at(std::string name, Span span) {
  auto expr = std::make_unique<Expr>();
  expr->span = span;
  expr->node = Name{std::move(name)};
  return expr;
}

/// Parses a type and makes a parameter of that type, with a name that cannot occur in a program.
PatternPtr parse_parameter(TokenStream& stream, std::size_t number) {
  auto parameter = std::make_unique<Pattern>();
  parameter->name = fmt::format("(argument {})", number);
  parameter->span.begin = stream.current().span.begin;
  parameter->declared = parse_type_of_part(stream);
  parameter->span.end = stream.previous_end();
  return parameter;
}

}  // namespace

std::optional<ValueStatement> parse_application(const base::Source& source, base::Diagnostics& diagnostics) {
  TokenStream stream(source, diagnostics);
  const Token name = stream.current();
  if (!names_variable(name.kind)) stream.fail_unexpected("the name of a function or variable");
  stream.advance();
  ValueStatement statement;
  statement.value = name_at(fold_case(stream.text(name)), name.span);
  if (const Token open = stream.current(); stream.accept(TokenKind::kOpenParenthesis)) {
    std::vector<PatternPtr> parameters;
    std::vector<ExprPtr> arguments;
    do {
      parameters.push_back(parse_parameter(stream, parameters.size() + 1));
      arguments.push_back(name_at(parameters.back()->name, parameters.back()->span));
    } while (stream.accept(TokenKind::kComma));
    stream.close(TokenKind::kCloseParenthesis, open, "->, a comma or )");
    statement.parameter = pair_patterns(std::move(parameters));
    auto call = std::make_unique<Expr>();
    call->span = {name.span.begin, stream.previous_end()};
    call->node = Call{std::move(statement.value), nest_pairs(std::move(arguments), [](ExprPtr first, ExprPtr rest) {
                        auto pair = std::make_unique<Expr>();
                        pair->span = {first->span.begin, rest->span.end};
                        pair->node = Pair{std::move(first), std::move(rest)};
                        return pair;
                      })};
    statement.value = std::move(call);
  }
  if (!stream.failed() && !stream.at(TokenKind::kEnd)) stream.fail_unexpected("nothing more");
  if (stream.failed()) return std::nullopt;
  return statement;
}

TypeExprPtr parse_whole_type(const base::Source& source, base::Diagnostics& diagnostics) {
  TokenStream stream(source, diagnostics);
  TypeExprPtr type = parse_type(stream);
  if (!stream.failed() && !stream.at(TokenKind::kEnd)) stream.fail_unexpected("nothing more");
  return stream.failed() ? nullptr : std::move(type);
}

}  // namespace nesl
