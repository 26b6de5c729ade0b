#include "constant_sequence.h"

#include <charconv>

#include "types/definition.h"

namespace nesl {

namespace {

using ColumnKind = ConstantColumns::Kind;

/// Sets kind and type of fresh columns; for other columns, returns whether they have this kind and type.
bool claim(ConstantColumns& columns, ColumnKind kind, vcode::Suffix type, bool fresh) {
  if (!fresh) return columns.kind == kind && (kind == ColumnKind::kPair || columns.values.type == type);
  columns.kind = kind;
  columns.values.type = type;
  columns.values.bracketed = true;
  if (kind != ColumnKind::kScalar) columns.parts.resize(kind == ColumnKind::kPair ? 2 : 1);
  return true;
}

bool is_fresh(const ConstantColumns& columns) { return !columns.values.bracketed; }

bool add(const Expr& expr, ConstantColumns& columns, bool negative);

bool add_sequence(const SequenceLiteral& literal, ConstantColumns& columns) {
  if (!claim(columns, ColumnKind::kSequence, vcode::Suffix::kInt, is_fresh(columns))) return false;
  columns.values.ints.push_back(static_cast<std::int64_t>(literal.elements.size()));
  for (const auto& element : literal.elements)
    if (!add(*element, columns.parts[0], false)) return false;
  return true;
}

bool add(const Expr& expr, ConstantColumns& columns, bool negative) {
  const bool fresh = is_fresh(columns);
  if (const auto* literal = std::get_if<IntLiteral>(&expr.node)) {
    std::int64_t value = 0;
    const char* end = literal->digits.data() + literal->digits.size();
    if (auto [rest, error] = std::from_chars(literal->digits.data(), end, value); error != std::errc() || rest != end)
      return false;
    if (!claim(columns, ColumnKind::kScalar, vcode::Suffix::kInt, fresh)) return false;
    columns.values.ints.push_back(negative ? -value : value);
    return true;
  }
  if (const auto* literal = std::get_if<FloatLiteral>(&expr.node)) {
    if (!claim(columns, ColumnKind::kScalar, vcode::Suffix::kFloat, fresh)) return false;
    columns.values.floats.push_back(negative ? -literal->value : literal->value);
    return true;
  }
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    const auto* name = std::get_if<Name>(&call->function->node);
    return !negative && name != nullptr && name->definition != nullptr && name->definition->prelude &&
           name->name == "negate" && add(*call->argument, columns, true);
  }
  if (negative) return false;
  if (const auto* literal = std::get_if<BoolLiteral>(&expr.node)) {
    if (!claim(columns, ColumnKind::kScalar, vcode::Suffix::kBool, fresh)) return false;
    columns.values.bools.push_back(literal->value);
    return true;
  }
  if (const auto* literal = std::get_if<CharLiteral>(&expr.node)) {
    if (!claim(columns, ColumnKind::kScalar, vcode::Suffix::kByte, fresh)) return false;
    columns.values.ints.push_back(literal->code);
    return true;
  }
  if (const auto* literal = std::get_if<StringLiteral>(&expr.node)) {
    if (!claim(columns, ColumnKind::kSequence, vcode::Suffix::kInt, fresh)) return false;
    columns.values.ints.push_back(static_cast<std::int64_t>(literal->text.size()));
    ConstantColumns& chars = columns.parts[0];
    if (!claim(chars, ColumnKind::kScalar, vcode::Suffix::kByte, is_fresh(chars))) return false;
    for (char c : literal->text) chars.values.ints.push_back(static_cast<unsigned char>(c));
    return true;
  }
  if (const auto* pair = std::get_if<Pair>(&expr.node))
    return claim(columns, ColumnKind::kPair, vcode::Suffix::kNone, fresh) &&
           add(*pair->first, columns.parts[0], false) && add(*pair->rest, columns.parts[1], false);
  if (const auto* literal = std::get_if<SequenceLiteral>(&expr.node)) return add_sequence(*literal, columns);
  return false;
}

}  // namespace

std::optional<ConstantColumns> constant_sequence(const SequenceLiteral& literal) {
  ConstantColumns columns;
  if (!add_sequence(literal, columns)) return std::nullopt;
  return columns;
}

}  // namespace nesl
