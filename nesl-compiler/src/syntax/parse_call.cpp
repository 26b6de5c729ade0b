// Calls and similar syntax: arguments, parameters, indices, fields, closure and time.
#include <fmt/format.h>

#include "expression_parser.h"
#include "parse_type.h"

namespace nesl {

ExpressionParser::Arguments ExpressionParser::argument_list(const Token& open, ListOf what) {
  Arguments list;
  if (stream_.at(TokenKind::kCloseParenthesis)) stream_.fail_unexpected("an argument");
  do {
    Tree argument = operators(strength::kLambda);
    TypeExprPtr type;
    if (what == ListOf::kParameters && stream_.accept(TokenKind::kColon)) type = parse_type_of_part(stream_);
    if (stream_.accept(TokenKind::kOptional)) {
      const Span span = argument.expr->span;
      const PatternPtr option = to_pattern(stream_, std::move(argument.expr));
      if (option->kind != Pattern::Kind::kVariable) stream_.fail(span, "only a name can stand before :=");
      list.optional.push_back({option->name, span, operators(strength::kLambda), std::move(type)});
    } else {
      if (!list.optional.empty()) stream_.fail(argument.extent, "optional arguments (name := value) come last");
      list.positional.push_back(std::move(argument));
      list.types.push_back(std::move(type));
    }
  } while (stream_.accept(TokenKind::kComma));
  stream_.close(TokenKind::kCloseParenthesis, open, "an operator, a comma or )");
  return list;
}

Tree ExpressionParser::arguments() {
  Arguments list = argument_list(stream_.advance(), ListOf::kArguments);
  std::vector<Tree>& all = list.positional;
  for (Optional& option : list.optional) {
    const Span span = join(option.span, option.value.extent);
    all.push_back(
        make(span, OptionalArgument{std::move(option.name), std::move(option.value.expr)}, option.value.height));
  }
  return nest_pairs(std::move(all), [&](Tree first, Tree rest) { return pair(std::move(first), std::move(rest)); });
}

Parameters ExpressionParser::parameters() {
  if (!stream_.at(TokenKind::kOpenParenthesis)) return {to_pattern(stream_, primary().expr), {}};
  Arguments list = argument_list(stream_.advance(), ListOf::kParameters);
  Parameters parameters;
  DistinctVariables variables(stream_);
  std::vector<PatternPtr> patterns;
  for (std::size_t i = 0; i < list.positional.size(); ++i) {
    patterns.push_back(to_pattern(stream_, std::move(list.positional[i].expr)));
    patterns.back()->declared = std::move(list.types[i]);
  }
  for (Optional& option : list.optional) {
    auto variable = std::make_unique<Pattern>();
    variable->span = option.span;
    variable->name = option.name;
    variable->declared = std::move(option.type);
    patterns.push_back(std::move(variable));
    parameters.optional.emplace_back(std::move(option.name), std::move(option.value.expr));
  }
  for (const PatternPtr& pattern : patterns) variables.add(*pattern);
  variables.check();
  parameters.pattern = pair_patterns(std::move(patterns));
  return parameters;
}

Tree ExpressionParser::index(Tree sequence) {
  const Token open = stream_.advance();
  Tree position = everything();
  if (stream_.at(TokenKind::kColon)) {
    add_note(stream_.fail_unexpected("an operator or ]"), "subseq(a, start, end) is a part of a sequence");
  }
  stream_.close(TokenKind::kCloseBracket, open, "an operator or ]");
  const Span brackets{open.span.begin, stream_.previous_end()};
  const Span span = join(sequence.extent, brackets);
  Tree both = pair(std::move(sequence), std::move(position));
  both.expr->span = span;
  return call(span, implied(brackets, "elt"), std::move(both));
}

Tree ExpressionParser::field(Tree record) {
  stream_.advance();
  const Token token = stream_.current();
  if (!names_variable(token.kind)) {
    stream_.fail_unexpected("the name of a field after .");
    return missing();
  }
  stream_.advance();
  const std::uint32_t height = record.height;
  return make(join(record.extent, token.span),
              Field{std::move(record.expr), fold_case(stream_.text(token)), token.span}, height);
}

Tree ExpressionParser::closure() {
  const Token word = stream_.advance();
  const Token open = stream_.current();
  if (!stream_.accept(TokenKind::kOpenParenthesis)) {
    stream_.fail(word.span, "closure is reserved; it is used as closure(function, value)", "reserved");
    return missing();
  }
  Tree function = operators(strength::kLambda);
  stream_.expect(TokenKind::kComma, "a comma and the first argument of the function");
  Tree value = everything();
  stream_.close(TokenKind::kCloseParenthesis, open, "an operator or )");
  const Span span{word.span.begin, stream_.previous_end()};
  const Span value_span = value.expr->span;

  const auto variable = [&](std::string_view text) {
    auto pattern = std::make_unique<Pattern>();
    pattern->span = span;
    pattern->name = text;
    return pattern;
  };
  const std::uint32_t height = value.height;
  Tree both = pair(name(value_span, kClosureValue), name(value_span, kClosureArgument));
  both.expr->span = value_span;
  Tree body = call(span, std::move(function), std::move(both));
  const std::uint32_t body_height = body.height;
  Tree result = make(span, Lambda{variable(kClosureArgument), std::move(body.expr)}, body_height);
  Let once;
  once.bindings.emplace_back(variable(kClosureValue), std::move(value.expr));
  once.body = std::move(result.expr);
  return make(span, std::move(once), std::max(height, result.height));
}

Tree ExpressionParser::time() {
  const Token word = stream_.advance();
  if (!stream_.at(TokenKind::kOpenParenthesis)) {
    stream_.fail(word.span, "time is reserved; it is used as time(expression)", "reserved");
    return missing();
  }
  Tree timed = parenthesised();
  return make(join(word.span, timed.extent), Time{std::move(timed.expr)}, timed.height);
}

}  // namespace nesl
