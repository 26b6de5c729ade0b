#include "parse_expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "closure_names.h"
#include "parse_pattern.h"
#include "parse_type.h"

namespace nesl {

namespace {

/// An expression, where it is with its parentheses, and how deep its tree is.
struct Tree {
  ExprPtr expr;
  Span extent;
  std::uint32_t height = 0;
};

Span join(Span a, Span b) { return {a.begin, b.end}; }

/// A recursive function for each kind of construct, and one for operators of any strength.
class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& stream) : stream_(stream) {}

  /// An expression whose infix operators all bind at least as tightly as `weakest`.
  Tree operators(int weakest);
  Tree everything() { return operators(strength::kComma); }
  Parameters parameters();

 private:
  struct Optional {
    std::string name;
    Span span;
    Tree value;
    TypeExprPtr type;  ///< of a parameter, or null
  };
  struct Arguments {
    std::vector<Tree> positional;
    std::vector<Optional> optional;
    std::vector<TypeExprPtr> types;  ///< of parameters: one for each of `positional`, or null
  };
  enum class ListOf : std::uint8_t { kArguments, kParameters };

  Tree operand();
  Tree primary();

  // What the compiler must not inline into the two above, whose frames every level of nesting pays for.
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
  void binding(Each& each, std::uint32_t& height, DistinctVariables& variables, Tree first);
  [[gnu::noinline]] Tree index(Tree sequence);
  [[gnu::noinline]] Tree field(Tree record);
  [[gnu::noinline]] Tree arguments();
  Arguments argument_list(const Token& open, ListOf what);
  [[gnu::noinline]] Tree quoted();
  [[gnu::noinline]] Tree closure();
  [[gnu::noinline]] Tree time();

  [[gnu::noinline]] Tree missing();
  [[gnu::noinline]] Tree make(Span span, Expr::Node node, std::uint32_t height);
  [[gnu::noinline]] Tree name(Span span, std::string_view name);
  [[gnu::noinline]] Tree implied(Span span, std::string_view function);
  [[gnu::noinline]] Tree pair(Tree first, Tree rest);
  [[gnu::noinline]] Tree call(Span span, Tree function, Tree argument);
  bool expect(TokenKind kind, std::string_view what);
  bool begins_atom() const;

  TokenStream& stream_;
};

Tree ExpressionParser::make(Span span, Expr::Node node, std::uint32_t height) {
  if (height >= kDeepest) stream_.fail(span, fmt::format("nested more than {} levels deep", kDeepest));
  auto expr = std::make_unique<Expr>();
  expr->span = span;
  expr->node = std::move(node);
  return {std::move(expr), span, height + 1};
}

Tree ExpressionParser::name(Span span, std::string_view name) { return make(span, Name{std::string(name)}, 0); }

/// The function behind a piece of syntax.
Tree ExpressionParser::implied(Span span, std::string_view function) {
  return make(span, Name{.name = std::string(function), .implied = true}, 0);
}

/// Something to go on with after an error.
Tree ExpressionParser::missing() { return make(stream_.current().span, Name{}, 0); }

Tree ExpressionParser::pair(Tree first, Tree rest) {
  const Span span = join(first.extent, rest.extent);
  return make(span, Pair{std::move(first.expr), std::move(rest.expr)}, std::max(first.height, rest.height));
}

Tree ExpressionParser::call(Span span, Tree function, Tree argument) {
  return make(span, Call{std::move(function.expr), std::move(argument.expr)},
              std::max(function.height, argument.height));
}

bool ExpressionParser::expect(TokenKind kind, std::string_view what) {
  if (stream_.accept(kind)) return true;
  stream_.fail_unexpected(what);
  return false;
}

Tree ExpressionParser::operators(int weakest) {
  const NestingLevel level(stream_);
  Tree left = operand();
  for (;;) {
    const Token op = stream_.current();
    const int binds = infix_strength(op.kind);
    if (binds == strength::kNone || binds < weakest) return left;
    stream_.advance();
    if (op.kind == TokenKind::kLambda) {
      left = lambda(std::move(left));
      continue;
    }
    left = infix(op, std::move(left), operators(spelling(op.kind).right ? binds : binds + 1));
  }
}

Tree ExpressionParser::infix(const Token& op, Tree left, Tree right) {
  Tree both = pair(std::move(left), std::move(right));
  if (op.kind == TokenKind::kComma) return both;
  const Span span = both.extent;
  return call(span, name(op.span, spelling(op.kind).text), std::move(both));
}

/// Tokens that begin the argument of an application without parentheses.
bool ExpressionParser::begins_atom() const {
  switch (stream_.kind()) {
    case TokenKind::kName:
    case TokenKind::kInt:
    case TokenKind::kFloat:
    case TokenKind::kChar:
    case TokenKind::kString:
    case TokenKind::kTrue:
    case TokenKind::kFalse:
    case TokenKind::kQuote:
    case TokenKind::kClosure:
    case TokenKind::kTime:
    case TokenKind::kOpenBrace:
      return true;
    default:
      return false;
  }
}

/// What stands between infix operators: prefix operators, applications, and the forms that reach as far as possible.
Tree ExpressionParser::operand() {
  switch (stream_.kind()) {
    case TokenKind::kMinus:
    case TokenKind::kLength:
    case TokenKind::kPrint:
      return prefix();
    case TokenKind::kIf:
      return conditional();
    case TokenKind::kLet:
      return let();
    default:
      break;
  }
  Tree left = primary();
  // A function and its argument must share a line. Otherwise a missing terminator would join two statements.
  while (!stream_.current().new_line) {
    const Span begin = left.extent;
    if (stream_.at(TokenKind::kOpenBracket)) {
      left = index(std::move(left));
      continue;
    }
    if (stream_.at(TokenKind::kDot)) {
      left = field(std::move(left));
      continue;
    }
    Tree argument;
    switch (stream_.kind()) {
      case TokenKind::kOpenParenthesis:
        argument = arguments();
        break;
      case TokenKind::kLength:
      case TokenKind::kPrint:
      case TokenKind::kIf:
      case TokenKind::kLet:
        argument = operand();
        break;
      default:
        if (!begins_atom()) return left;
        argument = primary();
        while (stream_.at(TokenKind::kDot) && !stream_.current().new_line) argument = field(std::move(argument));
    }
    left = call({begin.begin, stream_.previous_end()}, std::move(left), std::move(argument));
  }
  return left;
}

Tree ExpressionParser::prefix() {
  const Token op = stream_.advance();
  const NestingLevel level(stream_);
  Tree argument = operand();
  const Span span = join(op.span, argument.extent);
  if (auto* literal = std::get_if<IntLiteral>(&argument.expr->node)) literal->negated = op.kind == TokenKind::kMinus;
  Tree function = op.kind == TokenKind::kMinus ? implied(op.span, "negate") : name(op.span, spelling(op.kind).text);
  return call(span, std::move(function), std::move(argument));
}

Tree ExpressionParser::primary() {
  switch (stream_.kind()) {
    case TokenKind::kName:
      return word();
    case TokenKind::kInt:
    case TokenKind::kFloat:
    case TokenKind::kChar:
    case TokenKind::kString:
    case TokenKind::kTrue:
    case TokenKind::kFalse:
      return literal();
    case TokenKind::kQuote:
      return quoted();
    case TokenKind::kClosure:
      return closure();
    case TokenKind::kTime:
      return time();
    case TokenKind::kOpenParenthesis:
      return parenthesised();
    case TokenKind::kOpenBracket:
      return brackets();
    case TokenKind::kOpenBrace:
      return each();
    default:
      break;
  }
  return refuse();
}

/// What somebody may mean who writes two operators together that do not go together.
const char* hint_for_pair(const Token& first, const Token& second) {
  if (first.span.end != second.span.begin) return nullptr;
  if (first.kind == TokenKind::kTimes && second.kind == TokenKind::kTimes) return "x^n is a power of x";
  if (first.kind == TokenKind::kDivide && (second.kind == TokenKind::kDivide || second.kind == TokenKind::kTimes))
    return "a comment is written % like this %; / of two ints is the quotient without remainder";
  return nullptr;
}

Tree ExpressionParser::refuse() {
  const bool reserved_name = is_word(stream_.kind()) && stream_.peek() == TokenKind::kAssign;
  if (reserved_name) {
    stream_.fail(stream_.current().span, fmt::format("{} is reserved and cannot be a name", stream_.found()),
                 "reserved");
  } else if (const Token& before = stream_.previous();
             is_spelled(before.kind) && !is_terminator(before.kind) && before.span.end > 0) {
    const char* hint = hint_for_pair(before, stream_.current());
    vcode::Diagnostic* d = stream_.fail_unexpected(fmt::format("an expression after {}", stream_.text(before)));
    if (d != nullptr && hint != nullptr) d->notes.push_back({{}, hint, false});
  } else {
    stream_.fail_unexpected("an expression");
  }
  return missing();
}

Tree ExpressionParser::word() {
  const Token token = stream_.advance();
  return name(token.span, fold_case(stream_.text(token)));
}

Tree ExpressionParser::literal() {
  const Token token = stream_.advance();
  const std::string_view text = stream_.text(token);
  switch (token.kind) {
    case TokenKind::kInt:
      return make(token.span, IntLiteral{std::string(text)}, 0);
    case TokenKind::kFloat: {
      double value = 0;
      if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
        stream_.fail(token.span, fmt::format("{} is outside the range of a float", text));
      return make(token.span, FloatLiteral{value}, 0);
    }
    case TokenKind::kChar:
      return make(token.span, CharLiteral{static_cast<unsigned char>(text[1])}, 0);
    case TokenKind::kString:
      return make(token.span, StringLiteral{string_contents(text)}, 0);
    default:
      return make(token.span, BoolLiteral{token.kind == TokenKind::kTrue}, 0);
  }
}

Tree ExpressionParser::quoted() {
  const Token quote = stream_.advance();
  if (!names_function(stream_.kind())) {
    stream_.fail_unexpected("an operator or a name after '");
    return missing();
  }
  const Token token = stream_.advance();
  return name(join(quote.span, token.span), fold_case(stream_.text(token)));
}

Tree ExpressionParser::parenthesised() {
  const Token open = stream_.advance();
  Tree inner = everything();
  stream_.close(TokenKind::kCloseParenthesis, open, "an operator, a comma or )");
  inner.extent = {open.span.begin, stream_.previous_end()};
  return inner;
}

// --- calls --------------------------------------------------------------------------------------------------

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
  if (all.empty()) return missing();
  Tree tuple = std::move(all.back());
  for (all.pop_back(); !all.empty(); all.pop_back()) tuple = pair(std::move(all.back()), std::move(tuple));
  return tuple;
}

/// Where a parameter is with its type.
Span extent(const Pattern& pattern) {
  return pattern.declared == nullptr ? pattern.span : join(pattern.span, pattern.declared->span);
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
  for (; !patterns.empty(); patterns.pop_back()) {
    if (parameters.pattern == nullptr) {
      parameters.pattern = std::move(patterns.back());
      continue;
    }
    auto pair = std::make_unique<Pattern>();
    pair->kind = Pattern::Kind::kPair;
    pair->span = join(patterns.back()->span, extent(*parameters.pattern));
    pair->parts.push_back(std::move(patterns.back()));
    pair->parts.push_back(std::move(parameters.pattern));
    parameters.pattern = std::move(pair);
  }
  return parameters;
}

Tree ExpressionParser::index(Tree sequence) {
  const Token open = stream_.advance();
  Tree position = everything();
  if (stream_.at(TokenKind::kColon)) {
    vcode::Diagnostic* d = stream_.fail_unexpected("an operator or ]");
    if (d != nullptr) d->notes.push_back({{}, "subseq(a, start, end) is a part of a sequence", false});
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

/// closure(function, value) is argument => function(value, argument), but the value is computed once.
Tree ExpressionParser::closure() {
  const Token word = stream_.advance();
  const Token open = stream_.current();
  if (!stream_.accept(TokenKind::kOpenParenthesis)) {
    stream_.fail(word.span, "closure is reserved; it is used as closure(function, value)", "reserved");
    return missing();
  }
  Tree function = operators(strength::kLambda);
  expect(TokenKind::kComma, "a comma and the first argument of the function");
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

// --- forms that begin with a word ---------------------------------------------------------------------------

Tree ExpressionParser::lambda(Tree left) {
  const Span begin = left.extent;
  PatternPtr parameter = to_pattern(stream_, std::move(left.expr));
  DistinctVariables variables(stream_);
  variables.add(*parameter);
  variables.check();
  Tree body = operators(strength::kLambda);
  const Span span = join(begin, body.extent);
  return make(span, Lambda{std::move(parameter), std::move(body.expr)}, body.height);
}

Tree ExpressionParser::conditional() {
  const Token word = stream_.advance();
  const auto expect_branch = [&](TokenKind kind, std::string_view what) {
    if (stream_.accept(kind)) return;
    vcode::Diagnostic* d = stream_.fail_unexpected(what);
    if (d != nullptr) d->notes.push_back({word.span, "the if begins here"});
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
    vcode::Diagnostic* d = stream_.fail_unexpected(what);
    if (d != nullptr) d->notes.push_back({word.span, "the let begins here: let name = value; ... in expression"});
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
    DistinctVariables variables(stream_);
    variables.add(*pattern);
    variables.check();
    stream_.advance();
    Tree value = everything();
    height = std::max(height, value.height);
    let.bindings.emplace_back(std::move(pattern), std::move(value.expr));
  } while (stream_.accept(TokenKind::kSemicolon));
  if (!stream_.accept(TokenKind::kIn)) complain("an operator, a semicolon or in");
  stream_.close_list();
  Tree body = everything();
  const Span span = join(word.span, body.extent);
  let.body = std::move(body.expr);
  return make(span, std::move(let), std::max(height, body.height));
}

// --- sequences ----------------------------------------------------------------------------------------------

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

/// pattern in sequence, or a name alone, of which `first` is what stands before the `in`.
void ExpressionParser::binding(Each& each, std::uint32_t& height, DistinctVariables& variables, Tree first) {
  if (stream_.accept(TokenKind::kIn)) {
    PatternPtr pattern = to_pattern(stream_, std::move(first.expr));
    Tree sequence = everything();
    height = std::max(height, sequence.height);
    each.bindings.emplace_back(std::move(pattern), std::move(sequence.expr));
  } else {
    if (!is_variable(stream_, *first.expr)) {
      vcode::Diagnostic* d = stream_.fail_unexpected("an operator or in");
      if (d != nullptr) d->notes.push_back({first.extent, "only a name can be a binding without in: {a} is {a in a}"});
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
  std::uint32_t height = first.height;  // that of a body that is left out, too
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
    vcode::Diagnostic* d = stream_.fail_unexpected("; | or }");
    if (d != nullptr) d->notes.push_back({{}, "bindings are separated by semicolons: {x + y : x in a; y in b}", false});
  }
  stream_.close(TokenKind::kCloseBrace, open, each.filter == nullptr ? "an operator, ;, | or }" : "an operator or }");
  stream_.close_list();
  return make({open.span.begin, stream_.previous_end()}, std::move(each), height);
}

}  // namespace

ExprPtr parse_expression(TokenStream& stream) { return ExpressionParser(stream).everything().expr; }

Parameters parse_parameters(TokenStream& stream) { return ExpressionParser(stream).parameters(); }

bool names_variable(TokenKind kind) {
  return kind == TokenKind::kName || kind == TokenKind::kTrue || kind == TokenKind::kFalse;
}

bool names_function(TokenKind kind) {
  return kind == TokenKind::kName || is_word(kind) || is_operator(kind) || kind == TokenKind::kAssign;
}

}  // namespace nesl
