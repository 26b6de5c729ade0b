#include "flat_value.h"

#include <algorithm>

namespace nesl {

ValuePtr scalar_value(Var var, int level) {
  Value v;
  v.level = level;
  v.var = var;
  return std::make_shared<Value>(std::move(v));
}

ValuePtr sequence_value(Var descriptor, ValuePtr elements, int level) {
  Value v;
  v.kind = Value::Kind::kSequence;
  v.level = level;
  v.var = descriptor;
  v.parts = {with_level(elements, 0)};
  return std::make_shared<Value>(std::move(v));
}

ValuePtr pair_value(ValuePtr first, ValuePtr rest) {
  Value v;
  v.kind = Value::Kind::kPair;
  v.parts = {std::move(first), std::move(rest)};
  return std::make_shared<Value>(std::move(v));
}

void append_leaves(const Value& value, std::vector<Var>& leaves) {
  if (value.kind == Value::Kind::kScalar || value.kind == Value::Kind::kSequence) leaves.push_back(value.var);
  for (const auto& part : value.parts) append_leaves(*part, leaves);
}

std::vector<Var> leaves_of(const Value& value) {
  std::vector<Var> leaves;
  append_leaves(value, leaves);
  return leaves;
}

Var first_leaf(const Value& value) {
  if (value.kind == Value::Kind::kScalar || value.kind == Value::Kind::kSequence) return value.var;
  for (const auto& part : value.parts)
    if (const Var leaf = first_leaf(*part); leaf != letform::kNoVar) return leaf;
  return letform::kNoVar;
}

ValuePtr with_level(const ValuePtr& value, int level) {
  auto copy = std::make_shared<Value>(*value);
  copy->level = level;
  if (value->kind != Value::Kind::kSequence)
    for (auto& part : copy->parts) part = with_level(part, level);
  return copy;
}

ValuePtr rebuild(const ValuePtr& value, const std::function<Var(Var)>& variable, const std::function<int(int)>& level) {
  auto copy = std::make_shared<Value>(*value);
  copy->level = level(value->level);
  if (value->var != letform::kNoVar) copy->var = variable(value->var);
  const bool inside = value->kind == Value::Kind::kSequence;
  for (auto& part : copy->parts) part = rebuild(part, variable, inside ? [](int l) { return l; } : level);
  return copy;
}

int max_level(const Value& value) {
  int level = value.kind == Value::Kind::kScalar || value.kind == Value::Kind::kSequence ? value.level : 0;
  if (value.kind != Value::Kind::kSequence)
    for (const auto& part : value.parts) level = std::max(level, max_level(*part));
  return level;
}

bool same_code(const Value& a, const Value& b) {
  return a.code->definition == b.code->definition && a.code->body == b.code->body && a.captured == b.captured;
}

bool same_shape(const Value& a, const Value& b) {
  const bool has_level = a.kind == Value::Kind::kScalar || a.kind == Value::Kind::kSequence;
  if (a.kind != b.kind || (has_level && a.level != b.level) || a.parts.size() != b.parts.size()) return false;
  if (a.kind == Value::Kind::kFunction && !same_code(a, b)) return false;
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    if (!same_shape(*a.parts[i], *b.parts[i])) return false;
  return true;
}

}  // namespace nesl
