#include "safety.h"

#include <algorithm>

#include "base/check.h"
#include "ir/effects.h"
#include "ir/fold_constants.h"

namespace vcode::letform {

ShapeFacts length_facts(const Program& program) {
  return program.lengths_agree ? ShapeFacts() : find_shape_facts(program);
}

Safety::Safety(const Program& program, const Function& function, const ShapeFacts& lengths)
    : program_(program), known_(function.values.size()) {
  if (program.lengths_agree) return;
  VC_CHECK(lengths.size() == program.functions.size());
  disagree_.resize(function.values.size());
  may_be_empty_.resize(function.values.size());
  Shapes shapes(program, function, lengths);
  auto look_at = [&](const Binding& binding) {
    if (binding.form == Binding::Form::kOp && !binding.results.empty())
      disagree_[binding.results[0]] = !shapes.lengths_agree(binding);
    if (binding.form == Binding::Form::kIf) {
      const Var condition = binding.operands[0];
      may_be_empty_[condition] = !shapes.is_single(condition) && shapes.element_count(condition) < 1;
    }
  };
  for (const Binding& binding : function.body.bindings) shapes.note(binding, look_at);
}

void Safety::note(const Binding& binding) {
  if (binding.form == Binding::Form::kConst) {
    const Constant& constant = program_.constants[binding.target];
    Known& known = known_[binding.results[0]];
    if (constant.size() == 1) known.constant = binding.target;
    known.count = suffix_kind(constant.type) == Kind::kInt &&
                  std::all_of(constant.ints.begin(), constant.ints.end(),
                              [](std::int64_t i) { return i >= 0 && i <= INT32_MAX; });
  } else if (binding.form == Binding::Form::kOp && !binding.results.empty()) {
    if (binding.op == Op::kRankUp || binding.op == Op::kRankDown)
      known_[binding.results[0]].permuted = binding.operands[1];
    if (binding.op == Op::kDist) known_[binding.results[0]].constant = known_[binding.operands[0]].constant;
    known_[binding.results[0]].count = is_count(binding);
  }
}

/// Whether the result of an operation is a count and so not negative. Sums of lengths and of flags are assumed not to
/// overflow, since they count elements that exist.
bool Safety::is_count(const Binding& binding) const {
  const OpInfo& row = info(binding.op);
  if (row.signature.results[0].type == RoleType::kBool) return false;
  if (row.counts()) return true;
  const bool folds =
      row.op_class == OpClass::kScan || row.op_class == OpClass::kReduce || row.op_class == OpClass::kAccumulate;
  const bool adds = binding.op == Op::kAdd || (row.monoid == Monoid::kSum && folds);
  const bool moves = row.op_class == OpClass::kVector || binding.op == Op::kSelect;
  if ((!adds && !moves) || Signature::kind(row.signature.results[0], binding.suffix) != Kind::kInt) return false;
  if (row.signature.results[0].type != RoleType::kSuffix) return false;
  for (std::size_t k = 0; k < binding.operands.size(); ++k)
    if (row.signature.operands[k].type == RoleType::kSuffix && !known_[binding.operands[k]].count) return false;
  return true;
}

/// Whether an operation, or a step of a kernel, may stop the program because its lengths disagree.
bool Safety::may_disagree(const Binding& binding) const {
  if (disagree_.empty()) return false;
  if (binding.form == Binding::Form::kOp)
    return !binding.results.empty() && binding.results[0] < disagree_.size() && disagree_[binding.results[0]];
  return binding.form == Binding::Form::kFused &&
         std::any_of(binding.blocks[0].bindings.begin(), binding.blocks[0].bindings.end(),
                     [&](const Binding& step) { return may_disagree(step); });
}

bool Safety::has_effect(const Binding& binding, const std::vector<bool>& functions) const {
  if (may_disagree(binding)) return true;
  if (!letform::has_effect(binding, functions)) return false;
  if (!binding.results.empty() && known_[binding.results[0]].faultless) return false;
  if (binding.form != Binding::Form::kOp) return true;
  // Moves of blocks in compiled NESL cannot fault without a message, because the compiler computes the descriptors.
  if (program_.lengths_agree && info(binding.op).moves_blocks() && has_no_message(binding)) return false;
  if (binding.op == Op::kMakeSegdes) return !known_[binding.operands[0]].count;
  if (binding.op == Op::kPermute) return known_[binding.operands[1]].permuted != binding.operands[2];
  for (std::size_t k = 0; k < binding.operands.size(); ++k) {
    const std::uint32_t constant = known_[binding.operands[k]].constant;
    if (constant == UINT32_MAX || info(binding.op).op_class != OpClass::kElementwise) continue;
    if (!can_fault_with(binding.op, binding.suffix, k, program_.constants[constant])) return false;
  }
  return true;
}

}  // namespace vcode::letform
