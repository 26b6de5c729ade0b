#include "parse_pattern.h"

#include <algorithm>

#include <fmt/format.h>

namespace nesl {

namespace {

/// True for a name that occurs in the text without a quote. The functions called by a[i] and -a do not occur in the
/// text.
bool is_written(const TokenStream& stream, const Expr& e) {
  const auto* name = std::get_if<Name>(&e.node);
  return name != nullptr && is_plain_name(name->name) && fold_case(stream.text(e.span)) == name->name;
}

void refuse_truth_value(TokenStream& stream, Span span) {
  add_note(stream.fail(span, fmt::format("{} is reserved and cannot be defined", stream.text(span)), "reserved"),
           kTruthValueHint);
}

/// Reports why an expression is no pattern.
void refuse(TokenStream& stream, const Expr& e) {
  const std::string_view text = stream.text(e.span);
  if (std::holds_alternative<BoolLiteral>(e.node)) {
    refuse_truth_value(stream, e.span);
  } else if (std::holds_alternative<SequenceLiteral>(e.node) || std::holds_alternative<EmptySequence>(e.node)) {
    stream.fail(e.span, "a pattern cannot take a sequence apart", "pattern");
  } else if (std::holds_alternative<IntLiteral>(e.node) || std::holds_alternative<FloatLiteral>(e.node) ||
             std::holds_alternative<CharLiteral>(e.node) || std::holds_alternative<StringLiteral>(e.node)) {
    stream.fail(e.span, "a constant cannot be bound: patterns consist of names", "pattern");
  } else {
    base::Diagnostic* d = stream.fail(e.span, "an expression cannot be bound: patterns consist of names", "pattern");
    const auto* call = std::get_if<Call>(&e.node);
    if (call != nullptr && text.ends_with(']'))
      add_note(d, "rep(a, value, index) is a copy of a sequence with one element replaced");
  }
}

PatternPtr make_pattern(Pattern::Kind kind, Span span) {
  auto pattern = std::make_unique<Pattern>();
  pattern->kind = kind;
  pattern->span = span;
  return pattern;
}

}  // namespace

bool is_variable(const TokenStream& stream, const Expr& e) {
  return is_written(stream, e) || std::holds_alternative<BoolLiteral>(e.node);
}

void refuse_truth_values(TokenStream& stream, const Pattern& pattern) {
  if (pattern.kind == Pattern::Kind::kVariable && !is_plain_name(pattern.name))
    refuse_truth_value(stream, pattern.span);
  for (const PatternPtr& part : pattern.parts) refuse_truth_values(stream, *part);
}

PatternPtr to_pattern(TokenStream& stream, ExprPtr expression) {
  Expr& e = *expression;
  if (auto* pair = std::get_if<Pair>(&e.node)) {
    PatternPtr pattern = make_pattern(Pattern::Kind::kPair, e.span);
    pattern->parts.push_back(to_pattern(stream, std::move(pair->first)));
    pattern->parts.push_back(to_pattern(stream, std::move(pair->rest)));
    return pattern;
  }
  if (auto* call = std::get_if<Call>(&e.node); call != nullptr && is_written(stream, *call->function)) {
    PatternPtr pattern = make_pattern(Pattern::Kind::kData, e.span);
    pattern->name = std::move(std::get<Name>(call->function->node).name);
    pattern->parts.push_back(to_pattern(stream, std::move(call->argument)));
    return pattern;
  }
  PatternPtr pattern = make_pattern(Pattern::Kind::kVariable, e.span);
  if (is_variable(stream, e)) {
    pattern->name = fold_case(stream.text(e.span));
    return pattern;
  }
  const auto* call = std::get_if<Call>(&e.node);
  refuse(stream, call != nullptr && std::holds_alternative<BoolLiteral>(call->function->node) ? *call->function : e);
  return pattern;
}

ExprPtr to_expression(const Pattern& pattern) {
  auto e = std::make_unique<Expr>();
  e->span = pattern.span;
  switch (pattern.kind) {
    case Pattern::Kind::kVariable:
      e->node = Name{pattern.name};
      break;
    case Pattern::Kind::kPair:
      e->node = Pair{to_expression(*pattern.parts[0]), to_expression(*pattern.parts[1])};
      break;
    case Pattern::Kind::kData: {
      auto constructor = std::make_unique<Expr>();
      constructor->span = pattern.span;
      constructor->node = Name{pattern.name};
      e->node = Call{std::move(constructor), to_expression(*pattern.parts[0])};
      break;
    }
  }
  return e;
}

namespace {

/// Span of a pattern with its declared type.
Span extent(const Pattern& pattern) {
  return pattern.declared == nullptr ? pattern.span : Span{pattern.span.begin, pattern.declared->span.end};
}

}  // namespace

PatternPtr pair_patterns(std::vector<PatternPtr> parts) {
  return nest_pairs(std::move(parts), [](PatternPtr first, PatternPtr rest) {
    PatternPtr pair = make_pattern(Pattern::Kind::kPair, {first->span.begin, extent(*rest).end});
    pair->parts.push_back(std::move(first));
    pair->parts.push_back(std::move(rest));
    return pair;
  });
}

void DistinctVariables::add(const Pattern& pattern) {
  if (pattern.kind == Pattern::Kind::kVariable) variables_.push_back({pattern.name, pattern.span});
  for (const PatternPtr& part : pattern.parts) add(*part);
}

void DistinctVariables::check() {
  std::stable_sort(variables_.begin(), variables_.end(),
                   [](const Variable& a, const Variable& b) { return a.name < b.name; });
  const auto twice = std::adjacent_find(variables_.begin(), variables_.end(),
                                        [](const Variable& a, const Variable& b) { return a.name == b.name; });
  if (twice == variables_.end()) return;
  add_note(stream_.fail(twice[1].span, fmt::format("{} is bound twice in one pattern", twice->name), "pattern"),
           twice->span, "the first binding");
}

void check_distinct(TokenStream& stream, const Pattern& pattern) {
  DistinctVariables variables(stream);
  variables.add(pattern);
  variables.check();
}

}  // namespace nesl
