#include "trials.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "facts/expression_facts.h"
#include "layout/comments.h"
#include "syntax/clone.h"
#include "syntax/nesl_lexer.h"
#include "syntax/parse_pattern.h"
#include "syntax/parser.h"
#include "types/analysis.h"
#include "value_unit.h"

namespace nesl {

namespace {

// Variables of the sides of an equality. No program can contain such names, so that they hide no other variable.
constexpr const char* kGot = "(got)";
constexpr const char* kExpected = "(expected)";

constexpr const char* kNoFunctions = "there are no random functions: a variable of a test cannot hold one";

ExprPtr make(Span span, Expr::Node node) {
  auto expr = std::make_unique<Expr>();
  expr->span = span;
  expr->node = std::move(node);
  return expr;
}

PatternPtr variable(std::string name, Span span) {
  auto pattern = std::make_unique<Pattern>();
  pattern->name = std::move(name);
  pattern->span = span;
  return pattern;
}

/// The operands of a == b; null for other expressions.
const Pair* sides_of(const Expr& expression) {
  const auto* call = std::get_if<Call>(&expression.node);
  const auto* name = call == nullptr ? nullptr : std::get_if<Name>(&call->function->node);
  return name == nullptr || name->name != "==" ? nullptr : std::get_if<Pair>(&call->argument->node);
}

/// let (got) = a; (expected) = b in ((got) == (expected), ((got), (expected)))
ExprPtr equality_with_sides(const Expr& equality, const Pair& sides) {
  const Span got = sides.first->span, expected = sides.rest->span, whole = equality.span;
  const auto both = [&] { return make(whole, Pair{make(got, Name{kGot}), make(expected, Name{kExpected})}); };
  const auto& call = std::get<Call>(equality.node);
  ExprPtr equal = make(whole, Call{make(call.function->span, Name{"=="}), both()});
  Let let;
  let.bindings.emplace_back(variable(kGot, got), clone_expression(*sides.first));
  let.bindings.emplace_back(variable(kExpected, expected), clone_expression(*sides.rest));
  let.body = make(whole, Pair{std::move(equal), both()});
  return make(whole, std::move(let));
}

bool begins_test(std::string_view text) {
  constexpr std::string_view kWord = "test";
  return fold_case(text.substr(0, kWord.size())) == kWord;
}

}  // namespace

bool is_trial(const Statement& statement) {
  return std::holds_alternative<TestStatement>(statement.node) ||
         std::holds_alternative<BenchStatement>(statement.node);
}

Unit trial_unit(const base::Source& source, Statement&& statement) {
  Unit unit;
  unit.span = statement.span;
  if (const auto* test = std::get_if<TestStatement>(&statement.node)) {
    unit.kind = Unit::Kind::kTest;
    unit.name = test->title;
  } else {
    unit.kind = Unit::Kind::kBench;
    unit.name = std::get<BenchStatement>(statement.node).title;
  }
  unit.trial = std::make_shared<const Trial>(Trial{&source, std::move(statement)});
  return unit;
}

std::vector<CommentTest> find_comment_tests(const base::Source& source) {
  std::vector<CommentTest> tests;
  const std::string_view text = source.text();
  for (const Span comment : comments_of(text)) {
    std::size_t at = comment.begin + 1;
    const std::size_t end = comment.end - 1;
    while (at < end) {
      at = std::min(text.find_first_not_of(" \t", at), end);
      if (begins_test(text.substr(at, end - at))) {
        const std::size_t line = text.rfind('\n', at) == text.npos ? 0 : text.rfind('\n', at) + 1;
        std::string part = std::string(at - line, ' ') + std::string(text.substr(at, end - at));
        const auto offset = static_cast<std::uint32_t>(line);
        tests.push_back(
            {std::make_unique<base::Source>(source.name(), std::move(part), source.position(offset).line), offset});
      }
      at = std::min(text.find('\n', at), end) + 1;
    }
  }
  return tests;
}

void relocate(const base::Diagnostics& from, std::uint32_t offset, base::Diagnostics& to) {
  const auto moved = [&](Span span) { return Span{span.begin + offset, span.end + offset}; };
  for (const base::Diagnostic& diagnostic : from.all()) {
    const bool is_error = diagnostic.severity == base::Severity::kError;
    base::Diagnostic& copy = is_error ? to.error(moved(diagnostic.span), diagnostic.message)
                                      : to.warning(moved(diagnostic.span), diagnostic.message);
    copy.code = diagnostic.code;
    copy.notes = diagnostic.notes;
    for (base::Diagnostic::Note& note : copy.notes)
      if (note.located) note.span = moved(note.span);
  }
}

const base::Source& Session::source_of(const Unit& trial) { return *trial.trial->source; }

std::optional<Unit> TrialAnalysis::value(const Trial& trial, ExprPtr value, PatternPtr parameter) {
  Unit unit;
  unit.span = value->span;
  ValueStatement statement{.pattern = nullptr, .value = std::move(value), .parameter = std::move(parameter)};
  auto analyzed =
      analyze(Statement{unit.span, std::move(statement)}, *trial.source, environment_, types_, diagnostics_);
  if (!analyzed) return std::nullopt;
  make_value(unit, analyzed->statement);
  return add_parameters(unit, kNoFunctions, diagnostics_) ? std::optional(std::move(unit)) : std::nullopt;
}

bool TrialAnalysis::require(const Unit& unit, const Expr& expression, const char* type, const char* what) {
  if (unit.type == type) return true;
  diagnostics_.error(expression.span, fmt::format("{}, but this has the type {}", what, unit.type)).code = "type";
  return false;
}

std::optional<TestProgram> TrialAnalysis::test(const Trial& trial) {
  const auto& test = std::get<TestStatement>(trial.statement.node);
  const auto parameter = [&] { return test.parameter == nullptr ? nullptr : clone_pattern(*test.parameter); };
  TestProgram program;
  program.source = trial.source;
  if (test.assumption != nullptr) {
    program.assumption = value(trial, clone_expression(*test.assumption), parameter());
    if (!program.assumption ||
        !require(*program.assumption, *test.assumption, "bool", "the condition behind | is a truth value (bool)"))
      return std::nullopt;
  }
  const Pair* const sides = sides_of(*test.condition);
  program.is_equality = sides != nullptr;
  std::optional<Unit> condition =
      value(trial, sides == nullptr ? clone_expression(*test.condition) : equality_with_sides(*test.condition, *sides),
            parameter());
  if (!condition) return std::nullopt;
  if (sides == nullptr && !require(*condition, *test.condition, "bool", "a test is a truth value (bool)"))
    return std::nullopt;
  program.condition = std::move(*condition);
  if (test.parameter != nullptr)
    for_each_variable(*program.condition.statement->parameter, [&](const Pattern& v) {
      program.variables.push_back({v.name, to_text(v.type)});
    });
  return program;
}

std::optional<Trial> cost_trial(const base::Source& source, const std::string& size, base::Diagnostics& diagnostics) {
  std::vector<Statement> statements = parse(source, {}, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  const Span nowhere{0, 0};
  BenchStatement measured;
  if (!size.empty()) measured.variable = variable(size, statements.empty() ? nowhere : statements[0].span);
  for (Statement& statement : statements) {
    auto* const value = std::get_if<ValueStatement>(&statement.node);
    const bool is_last = &statement == &statements.back();
    if (value == nullptr || (value->pattern == nullptr) != is_last) {
      diagnostics.error(statement.span, value == nullptr ? "only assignments and an expression can stand here"
                                        : is_last        ? "the last of these must be an expression, to be measured"
                                                         : "only the last of these can be an expression");
      return std::nullopt;
    }
    if (is_last)
      measured.expression = std::move(value->value);
    else
      measured.bindings.emplace_back(std::move(value->pattern), std::move(value->value));
  }
  if (measured.expression == nullptr) {
    diagnostics.error(nowhere, "there is no expression to be measured");
    return std::nullopt;
  }
  const Span span = measured.expression->span;
  return Trial{&source, {span, std::move(measured)}};
}

std::optional<BenchProgram> TrialAnalysis::bench(const Trial& trial) {
  const auto& bench = std::get<BenchStatement>(trial.statement.node);
  BenchProgram program;
  program.source = trial.source;
  PatternPtr parameter;
  if (bench.variable != nullptr) {
    program.variable = bench.variable->name;
    if (bench.sizes != nullptr) program.sizes = value(trial, clone_expression(*bench.sizes));
    if (bench.sizes != nullptr &&
        (!program.sizes || !require(*program.sizes, *bench.sizes, "[int]", "the sizes of a benchmark are ints, [int]")))
      return std::nullopt;
    parameter = clone_pattern(*bench.variable);
    parameter->type = types_.int_;
  }
  if (!bench.bindings.empty()) {
    std::vector<PatternPtr> patterns;
    if (bench.variable != nullptr) patterns.push_back(clone_pattern(*bench.variable));
    Let let;
    for (const auto& [pattern, value] : bench.bindings) {
      patterns.push_back(clone_pattern(*pattern));
      let.bindings.emplace_back(clone_pattern(*pattern), clone_expression(*value));
    }
    PatternPtr prepared = pair_patterns(std::move(patterns));
    let.body = to_expression(*prepared);
    program.preparation = value(trial, make(prepared->span, std::move(let)), std::move(parameter));
    if (!program.preparation) return std::nullopt;
    parameter = std::move(prepared);
    parameter->type = program.preparation->statement->pattern->type;
  }
  std::optional<Unit> measured = value(trial, clone_expression(*bench.expression), std::move(parameter));
  if (!measured) return std::nullopt;
  program.measured = std::move(*measured);
  return program;
}

}  // namespace nesl
