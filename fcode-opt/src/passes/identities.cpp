#include "definitions.h"
#include "ir/fold_constants.h"

namespace vcode::letform {
namespace {

/// Operations of one operand that undo others: outer(inner(x)) is x.
struct Inverse {
  Op outer, inner;
};
constexpr Inverse kInverses[] = {
    {Op::kNot, Op::kNot},
    {Op::kIntToBool, Op::kBoolToInt},
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

Var without_neutral(const Binding& operation, const Definitions& definitions, const ConstantPool& pool) {
  if (operation.operands.size() != 2) return kNoVar;
  for (std::size_t k : {1, 0})
    if (const Constant* constant = definitions.uniform(operation.operands[k], pool))
      if (is_neutral(operation.op, operation.suffix, k, *constant)) return operation.operands[1 - k];
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
  return without_neutral(operation, definitions, pool);
}

}  // namespace vcode::letform
