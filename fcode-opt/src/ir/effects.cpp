#include "effects.h"

#include <algorithm>

#include "vcode/check.h"

namespace vcode::letform {

bool has_effect(Op op, Suffix suffix) {
  const OpInfo& row = info(op);
  return row.op_class == OpClass::kSystem || row.draws() || row.can_fault(suffix);
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
      break;
  }
  VC_CHECK(binding.form != Binding::Form::kIf);
  return true;
}

}  // namespace vcode::letform
