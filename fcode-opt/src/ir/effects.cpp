#include "effects.h"

#include <algorithm>

#include "base/check.h"
#include "element.h"

namespace vcode::letform {

bool has_effect(Op op, Suffix suffix) {
  const OpInfo& row = info(op);
  return row.op_class == OpClass::kSystem || row.draws() || row.can_fault(suffix);
}

bool is_faultless(Op op, Suffix suffix, int last) {
  const OpInfo& row = info(op);
  VC_CHECK(row.op_class == OpClass::kElementwise);
  if (!row.can_fault(suffix)) return true;
  const int count = row.signature.operand_count;
  const Element element{Signature::kind(row.signature.operands[static_cast<std::size_t>(count - 1)], suffix), last,
                        static_cast<double>(last), last != 0};
  for (const ElemType int_type : {ElemType::kI32, ElemType::kI64})
    for (const ElemType float_type : {ElemType::kF32, ElemType::kF64}) {
      const Widths widths{int_type, float_type};
      // The risk of the only operand is the fault itself.
      if (count == 1 ? evaluate(op, suffix, widths, &element).fault != FaultKind::kNone
                     : is_risk(op, suffix, widths, element))
        return false;
    }
  return true;
}

std::optional<int> faultless_operand(Op op, Suffix suffix) {
  for (const int last : {0, 1})
    if (is_faultless(op, suffix, last)) return last;
  return std::nullopt;
}

bool has_effect(const Binding& binding, const std::vector<bool>& functions) {
  switch (binding.form) {
    case Binding::Form::kOp:
      return has_effect(binding.op, binding.suffix);
    case Binding::Form::kConst:
      return false;
    case Binding::Form::kCall:
      VC_CHECK(binding.target < functions.size());
      return functions[binding.target];
    case Binding::Form::kFused:
      return std::any_of(binding.blocks[0].bindings.begin(), binding.blocks[0].bindings.end(),
                         [&](const Binding& step) { return has_effect(step, functions); });
    case Binding::Form::kIf:
    case Binding::Form::kLiftedIf:
    case Binding::Form::kSteps:
      break;
  }
  VC_CHECK(false);
  return true;
}

bool is_maskable(Op op) {
  switch (op) {
    case Op::kBpermute:
    case Op::kExtract:
    case Op::kDist:
    case Op::kPack:
    case Op::kMakeSegdes:
    case Op::kLength:
    case Op::kLengths:
    case Op::kOffsets:
    case Op::kElements:
    case Op::kOrReduce:
    case Op::kSumReduce:
      return true;
    default:
      return info(op).op_class == OpClass::kElementwise;
  }
}

}  // namespace vcode::letform
