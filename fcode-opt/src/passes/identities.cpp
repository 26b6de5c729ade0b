#include "definitions.h"
#include "ir/fold_constants.h"

namespace vcode::letform {
namespace {

/// Unary operations of which one undoes the other: outer(inner(x)) is x.
struct Inverse {
  Op outer, inner;
};
constexpr Inverse kInverses[] = {
    {Op::kNot, Op::kNot},
    {Op::kIntToBool, Op::kBoolToInt},
    {Op::kIntToByte, Op::kByteToInt},
    {Op::kLengths, Op::kMakeSegdes},
    {Op::kMakeSegdes, Op::kLengths},
};

Var undone(const Binding& operation, const Definitions& definitions) {
  if (operation.operands.size() != 1) return kNoVar;
  for (const Inverse& pair : kInverses)
    if (operation.op == pair.outer && definitions.is_op(operation.operands[0], pair.inner))
      return definitions.of(operation.operands[0]).operands[0];
  return kNoVar;
}

/// Simplifies x - y + y and x + y - y to x, for INT.
Var restored(const Binding& operation, const Definitions& definitions) {
  const bool adds = operation.op == Op::kAdd;
  if ((!adds && operation.op != Op::kSubtract) || operation.suffix != Suffix::kInt) return kNoVar;
  for (const std::size_t k : {1, 0}) {
    const Var y = operation.operands[k], changed = operation.operands[1 - k];
    if (!adds && k == 0) break;
    if (!definitions.is_op(changed, adds ? Op::kSubtract : Op::kAdd)) continue;
    const auto& inner = definitions.of(changed).operands;
    if (inner[1] == y) return inner[0];
    if (!adds && inner[0] == y) return inner[1];
  }
  return kNoVar;
}

/// Simplifies x AND y AND y to x AND y, and the same with OR.
Var absorbed(const Binding& operation, const Definitions& definitions) {
  if (operation.op != Op::kAnd && operation.op != Op::kOr) return kNoVar;
  for (const std::size_t k : {0, 1}) {
    const Var all = operation.operands[k], again = operation.operands[1 - k];
    if (all == again) return all;
    if (!definitions.is_op(all, operation.op)) continue;
    const auto& inner = definitions.of(all).operands;
    if (inner[0] == again || inner[1] == again) return all;
  }
  return kNoVar;
}

/// Simplifies x OR true to true, x AND false to false, and x AND 0 and x * 0 to 0, for BOOL and INT.
Var dominated(const Binding& operation, const Definitions& definitions, const ConstantPool& pool) {
  const bool zero = operation.op == Op::kAnd || operation.op == Op::kMultiply, one = operation.op == Op::kOr;
  if (!zero && !one) return kNoVar;
  for (const Var v : operation.operands) {
    const Constant* constant = definitions.uniform(v, pool);
    if (constant == nullptr) continue;
    if (constant->type == Suffix::kBool && constant->bools[0] == one) return v;
    if (constant->type == Suffix::kInt && zero && constant->ints[0] == 0) return v;
  }
  return kNoVar;
}

Var without_right_identity(const Binding& operation, const Definitions& definitions, const ConstantPool& pool) {
  if (operation.operands.size() != 2) return kNoVar;
  for (std::size_t k : {1, 0})
    if (const Constant* constant = definitions.uniform(operation.operands[k], pool))
      if (is_right_identity(operation.op, operation.suffix, k, *constant)) return operation.operands[1 - k];
  return kNoVar;
}

Var selected(const Binding& operation, const Definitions& definitions, const ConstantPool& pool) {
  if (operation.op != Op::kSelect) return kNoVar;
  if (operation.operands[1] == operation.operands[2]) return operation.operands[1];
  const Constant* flag = definitions.uniform(operation.operands[0], pool);
  if (!flag) return kNoVar;
  return operation.operands[flag->bools[0] ? 1 : 2];
}

}  // namespace

Var known_result(const Binding& operation, const Definitions& definitions, const ConstantPool& pool) {
  if (Var v = undone(operation, definitions); v != kNoVar) return v;
  if (Var v = selected(operation, definitions, pool); v != kNoVar) return v;
  if (Var v = restored(operation, definitions); v != kNoVar) return v;
  if (Var v = absorbed(operation, definitions); v != kNoVar) return v;
  if (Var v = dominated(operation, definitions, pool); v != kNoVar) return v;
  return without_right_identity(operation, definitions, pool);
}

}  // namespace vcode::letform
