#include "definitions.h"

#include <algorithm>

namespace vcode::letform {

void Definitions::note(const Binding& binding) {
  for (Var v : binding.results)
    if (v >= definitions_.size()) definitions_.resize(v + 1);
  const bool is_op = binding.form == Binding::Form::kOp && binding.results.size() == 1;
  if (!is_op && binding.form != Binding::Form::kConst) return;
  Definition& definition = definitions_[binding.results[0]];
  definition = {binding.form, binding.op, binding.suffix, binding.target};
  std::copy(binding.operands.begin(), binding.operands.end(), definition.operands.begin());
}

}  // namespace vcode::letform
