// Parsing of if, let, functions without a name, and everything in brackets and braces.
#include <algorithm>

#include "expression_parser.h"
#include "parse_type.h"

namespace nesl {

Tree ExpressionParser::lambda(Tree left) {
  const Span begin = left.extent;
  PatternPtr parameter = to_pattern(stream_, std::move(left.expr));
  check_distinct(stream_, *parameter);
  Tree body = operators(strength::kLambda);
  const Span span = join(begin, body.extent);
  return make(span, Lambda{std::move(parameter), std::move(body.expr)}, body.height);
}

Tree ExpressionParser::conditional() {
  const Token word = stream_.advance();
  const auto expect_branch = [&](TokenKind kind, std::string_view what) {
    if (stream_.accept(kind)) return;
    add_note(stream_.fail_unexpected(what), word.span, "the if begins here");
  };
  Tree condition = everything();
  expect_branch(TokenKind::kThen, "an operator or then");
  Tree then_branch = everything();
  expect_branch(TokenKind::kElse, "an operator or else");
  Tree else_branch = everything();
  return make(join(word.span, else_branch.extent),
              If{std::move(condition.expr), std::move(then_branch.expr), std::move(else_branch.expr)},
              std::max({condition.height, then_branch.height, else_branch.height}));
}

Tree ExpressionParser::let() {
  const Token word = stream_.advance();
  stream_.open_list(TokenStream::List::kLet);
  const auto complain = [&](std::string_view what) {
    add_note(stream_.fail_unexpected(what), word.span, "the let begins here: let name = value; ... in expression");
  };
  Let let;
  std::uint32_t height = 0;
  do {
    if (!let.bindings.empty() && stream_.at(TokenKind::kIn)) break;
    Tree left = everything();
    if (!stream_.at(TokenKind::kAssign)) {
      complain("an operator or = in a binding of let");
      break;
    }
    PatternPtr pattern = to_pattern(stream_, std::move(left.expr));
    check_distinct(stream_, *pattern);
    stream_.advance();
    Tree value = everything();
    height = std::max(height, value.height);
    let.bindings.emplace_back(std::move(pattern), std::move(value.expr));
  } while (stream_.accept(TokenKind::kSemicolon));
  if (stream_.at(TokenKind::kAssign) && stream_.previous().kind == TokenKind::kName) {
    base::Diagnostic* d = stream_.fail_unexpected("an operator, a semicolon or in");
    if (d != nullptr)
      d->notes = {{word.span, "the bindings of let are separated by semicolons: let x = 1; y = 2 in x + y", true}};
  }
  if (!stream_.accept(TokenKind::kIn)) complain("an operator, a semicolon or in");
  stream_.close_list();
  Tree body = everything();
  const Span span = join(word.span, body.extent);
  let.body = std::move(body.expr);
  return make(span, std::move(let), std::max(height, body.height));
}

Tree ExpressionParser::brackets() {
  const Token open = stream_.advance();
  if (stream_.at(TokenKind::kCloseBracket)) return empty_sequence(open);
  SequenceLiteral sequence;
  std::uint32_t height = 0;
  do {
    Tree element = operators(strength::kLambda);
    if (stream_.at(TokenKind::kColon) && sequence.elements.empty()) return range(open, std::move(element));
    height = std::max(height, element.height);
    sequence.elements.push_back(std::move(element.expr));
  } while (stream_.accept(TokenKind::kComma));
  stream_.close(TokenKind::kCloseBracket, open, "an operator, a comma or ]");
  return make({open.span.begin, stream_.previous_end()}, std::move(sequence), height);
}

Tree ExpressionParser::range(const Token& open, Tree start) {
  const Token colon = stream_.advance();
  Tree end = operators(strength::kLambda);
  Tree step = stream_.accept(TokenKind::kColon) ? operators(strength::kLambda) : make(colon.span, IntLiteral{"1"}, 0);
  stream_.close(TokenKind::kCloseBracket, open, "an operator or ]");
  const Span span{open.span.begin, stream_.previous_end()};
  Tree bounds = pair(std::move(step), std::move(end));
  Tree all = pair(std::move(start), std::move(bounds));
  all.expr->span = std::get<Pair>(all.expr->node).rest->span = span;
  return call(span, implied(span, "iseq"), std::move(all));
}

Tree ExpressionParser::empty_sequence(const Token& open) {
  stream_.advance();
  TypeExprPtr element = begins_type(stream_.kind()) ? parse_type_atom(stream_) : nullptr;
  return make({open.span.begin, stream_.previous_end()}, EmptySequence{std::move(element)}, 0);
}

void ExpressionParser::binding(Each& each, std::uint32_t& height, DistinctVariables& variables, Tree first) {
  if (stream_.accept(TokenKind::kIn)) {
    PatternPtr pattern = to_pattern(stream_, std::move(first.expr));
    Tree sequence = everything();
    height = std::max(height, sequence.height);
    each.bindings.emplace_back(std::move(pattern), std::move(sequence.expr));
  } else {
    if (!is_variable(stream_, *first.expr)) {
      add_note(stream_.fail_unexpected("an operator or in"), first.extent,
               "only a name can be a binding without in: {a} is {a in a}");
      return;
    }
    auto pattern = std::make_unique<Pattern>();
    pattern->span = first.expr->span;
    pattern->name = fold_case(stream_.text(pattern->span));
    each.bindings.emplace_back(std::move(pattern), std::move(first.expr));
  }
  variables.add(*each.bindings.back().first);
}

Tree ExpressionParser::each() {
  const Token open = stream_.advance();
  stream_.open_list(TokenStream::List::kEach);
  Each each;
  DistinctVariables variables(stream_);
  each.serial = stream_.accept(TokenKind::kTimes);
  Tree first = everything();
  std::uint32_t height = first.height;  // also the height of the body, which may be omitted
  if (stream_.accept(TokenKind::kColon)) {
    each.body = std::move(first.expr);
    first = everything();
  }
  binding(each, height, variables, std::move(first));
  while (stream_.accept(TokenKind::kSemicolon)) {
    if (stream_.at(TokenKind::kCloseBrace)) stream_.fail_unexpected("a binding after the last ;");
    binding(each, height, variables, everything());
  }
  if (!stream_.failed()) {
    variables.check();
    if (each.body == nullptr) each.body = to_expression(*each.bindings[0].first);
  }
  if (stream_.accept(TokenKind::kBar)) {
    Tree filter = everything();
    height = std::max(height, filter.height);
    each.filter = std::move(filter.expr);
    if (const Token second = stream_.current(); stream_.at(TokenKind::kBar))
      stream_.fail(second.span, "an apply-to-each has one filter; join conditions with and");
  }
  if (stream_.at(TokenKind::kIn) && !each.bindings.empty() &&
      std::holds_alternative<Pair>(each.bindings.back().second->node)) {
    add_note(stream_.fail_unexpected("; | or }"), "bindings are separated by semicolons: {x + y : x in a; y in b}");
  }
  if (stream_.at(TokenKind::kColon))
    add_note(stream_.fail_unexpected(each.filter == nullptr ? "an operator, ;, | or }" : "an operator or }"),
             "the body comes first, and a condition last, behind |: {x * x : x in s | x > 1}");
  stream_.close(TokenKind::kCloseBrace, open, each.filter == nullptr ? "an operator, ;, | or }" : "an operator or }");
  stream_.close_list();
  return make({open.span.begin, stream_.previous_end()}, std::move(each), height);
}

}  // namespace nesl
