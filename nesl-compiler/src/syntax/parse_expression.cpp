#include "parse_expression.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/check.h"
#include "expression_parser.h"

namespace nesl {

Tree ExpressionParser::make(Span span, Expr::Node node, std::uint32_t height) {
  if (height >= kDeepest) stream_.fail(span, fmt::format("nested more than {} levels deep", kDeepest));
  auto expr = std::make_unique<Expr>();
  expr->span = span;
  expr->node = std::move(node);
  return {std::move(expr), span, height + 1};
}

Tree ExpressionParser::name(Span span, std::string_view name) { return make(span, Name{std::string(name)}, 0); }

Tree ExpressionParser::implied(Span span, std::string_view function) {
  return make(span, Name{.name = std::string(function), .implied = true}, 0);
}

Tree ExpressionParser::missing() { return make(stream_.current().span, Name{}, 0); }

Tree ExpressionParser::pair(Tree first, Tree rest) {
  const Span span = join(first.extent, rest.extent);
  return make(span, Pair{std::move(first.expr), std::move(rest.expr)}, std::max(first.height, rest.height));
}

Tree ExpressionParser::call(Span span, Tree function, Tree argument) {
  return make(span, Call{std::move(function.expr), std::move(argument.expr)},
              std::max(function.height, argument.height));
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

/// Parses an operand of infix operators: prefix operators, applications, if and let.
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
  // A function and its argument must be on one line. Otherwise a missing terminator would join two statements.
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

namespace {

/// Returns a hint about two adjacent operators that mean something in other languages, or null.
const char* hint_for_pair(const Token& first, const Token& second) {
  if (first.span.end != second.span.begin) return nullptr;
  if (first.kind == TokenKind::kTimes && second.kind == TokenKind::kTimes) return "x^n is a power of x";
  if (second.kind == TokenKind::kAssign && infix_strength(first.kind) > strength::kLambda)
    return "a variable keeps its value; a new one is defined by let y = x + 1 in";
  if (first.kind == TokenKind::kDivide && (second.kind == TokenKind::kDivide || second.kind == TokenKind::kTimes))
    return "a comment is written % like this %; / of two ints is the quotient without remainder";
  return nullptr;
}

}  // namespace

Tree ExpressionParser::refuse() {
  const bool reserved_name = is_word(stream_.kind()) && stream_.peek() == TokenKind::kAssign;
  if (reserved_name) {
    stream_.fail(stream_.current().span, fmt::format("{} is reserved and cannot be a name", stream_.found()),
                 "reserved");
  } else if (const Token& before = stream_.previous();
             is_spelled(before.kind) && !is_terminator(before.kind) && before.span.end > 0) {
    const char* hint = hint_for_pair(before, stream_.current());
    const TokenKind behind = stream_.peek();
    if (is_operator(stream_.kind()) && (behind == TokenKind::kComma || behind == TokenKind::kCloseParenthesis))
      hint = "with a ' before it an operator is a function: '+ adds two numbers";
    base::Diagnostic* d = stream_.fail_unexpected(fmt::format("an expression after {}", stream_.text(before)));
    if (hint != nullptr && d != nullptr) d->notes = {{{}, hint, false}};  // replaces the notes about the single token
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
    case TokenKind::kInt: {
      const auto thousands = static_cast<std::size_t>(thousands_of(text.back()));
      const std::string digits(text.substr(0, text.size() - (thousands > 0 ? 1 : 0)));
      return make(token.span, IntLiteral{digits + std::string(3 * thousands, '0')}, 0);
    }
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
      VC_CHECK(token.kind == TokenKind::kTrue || token.kind == TokenKind::kFalse);
      return make(token.span, BoolLiteral{token.kind == TokenKind::kTrue}, 0);
  }
}

Tree ExpressionParser::quoted() {
  const Token quote = stream_.advance();
  const char* const hint = "a character is written `a, and a string in double quotes";
  if (!names_function(stream_.kind())) {
    const bool closed = stream_.peek() == TokenKind::kQuote;
    base::Diagnostic* d = stream_.fail_unexpected("an operator or a name after '");
    if (closed) add_note(d, hint);
    return missing();
  }
  const Token token = stream_.advance();
  if (stream_.at(TokenKind::kQuote) && stream_.current().span.begin == token.span.end) {
    const Span whole = join(quote.span, stream_.current().span);
    add_note(stream_.fail(whole, fmt::format("{} is no expression", stream_.text(whole))), hint);
  }
  return name(join(quote.span, token.span), fold_case(stream_.text(token)));
}

Tree ExpressionParser::parenthesised() {
  const Token open = stream_.advance();
  Tree inner = everything();
  stream_.close(TokenKind::kCloseParenthesis, open, "an operator, a comma or )");
  inner.extent = {open.span.begin, stream_.previous_end()};
  return inner;
}

ExprPtr parse_expression(TokenStream& stream) { return ExpressionParser(stream).everything().expr; }

Parameters parse_parameters(TokenStream& stream) { return ExpressionParser(stream).parameters(); }

bool names_variable(TokenKind kind) {
  return kind == TokenKind::kName || kind == TokenKind::kTrue || kind == TokenKind::kFalse;
}

bool names_function(TokenKind kind) {
  return kind == TokenKind::kName || is_word(kind) || is_operator(kind) || kind == TokenKind::kAssign;
}

}  // namespace nesl
