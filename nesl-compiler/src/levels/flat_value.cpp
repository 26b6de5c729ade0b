#include "flat_value.h"

#include <algorithm>

#include "base/check.h"

namespace nesl {

bool has_level(const FlatValue& value) {
  return value.kind != FlatValue::Kind::kPair && value.kind != FlatValue::Kind::kFunction;
}

bool has_elements(const FlatValue& value) {
  return value.kind == FlatValue::Kind::kSequence || value.kind == FlatValue::Kind::kSlice;
}

ValuePtr scalar_value(Var var, int level) {
  FlatValue v;
  v.level = level;
  v.var = var;
  return std::make_shared<FlatValue>(std::move(v));
}

ValuePtr sequence_value(Var descriptor, const ValuePtr& elements, int level) {
  FlatValue v;
  v.kind = FlatValue::Kind::kSequence;
  v.level = level;
  v.var = descriptor;
  v.parts = {with_level(elements, 0)};
  return std::make_shared<FlatValue>(std::move(v));
}

ValuePtr slice_value(Var lengths, Var starts, const ValuePtr& elements, int level) {
  FlatValue v;
  v.kind = FlatValue::Kind::kSlice;
  v.level = level;
  v.var = lengths;
  v.starts = starts;
  v.parts = {with_level(elements, 0)};
  return std::make_shared<FlatValue>(std::move(v));
}

ValuePtr pair_value(ValuePtr first, ValuePtr rest) {
  FlatValue v;
  v.kind = FlatValue::Kind::kPair;
  v.parts = {std::move(first), std::move(rest)};
  return std::make_shared<FlatValue>(std::move(v));
}

bool has_slice(const FlatValue& value) {
  if (value.kind == FlatValue::Kind::kPair) return has_slice(*value.parts[0]) || has_slice(*value.parts[1]);
  return value.kind == FlatValue::Kind::kSlice;
}

bool have_same_sources(const FlatValue& a, const FlatValue& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == FlatValue::Kind::kSlice) return is_same(*a.parts[0], *b.parts[0]);
  return a.kind != FlatValue::Kind::kPair ||
         (have_same_sources(*a.parts[0], *b.parts[0]) && have_same_sources(*a.parts[1], *b.parts[1]));
}

void append_leaves(const FlatValue& value, std::vector<Var>& leaves) {
  if (has_level(value)) leaves.push_back(value.var);
  if (value.kind == FlatValue::Kind::kSlice) leaves.push_back(value.starts);
  for (const auto& part : value.parts) append_leaves(*part, leaves);
}

std::vector<Var> leaves_of(const FlatValue& value) {
  std::vector<Var> leaves;
  append_leaves(value, leaves);
  return leaves;
}

Var first_leaf(const FlatValue& value) {
  if (has_level(value)) return value.var;
  for (const auto& part : value.parts)
    if (const Var leaf = first_leaf(*part); leaf != letform::kNoVar) return leaf;
  return letform::kNoVar;
}

ValuePtr with_level(const ValuePtr& value, int level) {
  auto copy = std::make_shared<FlatValue>(*value);
  copy->level = level;
  if (!has_elements(*value))
    for (auto& part : copy->parts) part = with_level(part, level);
  return copy;
}

ValuePtr rebuild(const ValuePtr& value, const std::function<Var(Var)>& variable, const std::function<int(int)>& level) {
  auto copy = std::make_shared<FlatValue>(*value);
  copy->level = level(value->level);
  if (value->var != letform::kNoVar) copy->var = variable(value->var);
  if (value->starts != letform::kNoVar) copy->starts = variable(value->starts);
  const bool inside = has_elements(*value);
  for (auto& part : copy->parts) part = rebuild(part, variable, inside ? [](int l) { return l; } : level);
  return copy;
}

int max_level(const FlatValue& value) {
  int level = has_level(value) ? value.level : 0;
  if (!has_elements(value))
    for (const auto& part : value.parts) level = std::max(level, max_level(*part));
  return level;
}

bool same_code(const FlatValue& a, const FlatValue& b) {
  VC_CHECK(a.kind == FlatValue::Kind::kFunction && b.kind == FlatValue::Kind::kFunction);
  return a.code->definition == b.code->definition && a.code->body == b.code->body && a.captured == b.captured;
}

bool same_shape(const FlatValue& a, const FlatValue& b) {
  if (a.kind != b.kind || (has_level(a) && a.level != b.level) || a.parts.size() != b.parts.size()) return false;
  if (a.kind == FlatValue::Kind::kFunction && !same_code(a, b)) return false;
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    if (!same_shape(*a.parts[i], *b.parts[i])) return false;
  return true;
}

bool is_same(const FlatValue& a, const FlatValue& b) { return same_shape(a, b) && leaves_of(a) == leaves_of(b); }

}  // namespace nesl
