#include "definitions.h"

#include <algorithm>

namespace vcode::letform {

void Definitions::note(const Binding& binding) {
  for (Var v : binding.results)
    if (v >= definitions_.size()) definitions_.resize(v + 1);
  if (binding.form == Binding::Form::kIf)
    for (std::size_t k = 0; k < binding.results.size(); ++k) {
      Definition& chosen = definitions_[binding.results[k]];
      chosen.form = Binding::Form::kIf;
      chosen.operands = {binding.blocks[0].results[k], binding.blocks[1].results[k]};
    }
  const bool is_op = binding.form == Binding::Form::kOp && binding.results.size() == 1;
  if (!is_op && binding.form != Binding::Form::kConst) return;
  Definition& definition = definitions_[binding.results[0]];
  definition = {binding.form, binding.op, binding.suffix, binding.target};
  std::copy(binding.operands.begin(), binding.operands.end(), definition.operands.begin());
}

}  // namespace vcode::letform
