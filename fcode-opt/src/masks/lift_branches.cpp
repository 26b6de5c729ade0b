#include "masks/lift_branches.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ir/effects.h"
#include "vcode/kernel_rules.h"

namespace vcode::letform {

using Form = Binding::Form;

namespace {

/// The PACK in `IF mixed THEN PACK x flags all ELSE x all`, which packs for a branch; null for any other binding.
const Binding* pack_in(const Binding& binding) {
  if (binding.form != Form::kIf || binding.blocks[0].bindings.size() != 1 || !binding.blocks[1].bindings.empty())
    return nullptr;
  const Binding& pack = binding.blocks[0].bindings[0];
  const bool is_pack = pack.form == Form::kOp && pack.op == Op::kPack && binding.blocks[0].results == pack.results &&
                       binding.blocks[1].results == std::vector<Var>{pack.operands[0], pack.operands[2]};
  return is_pack ? &pack : nullptr;
}

}  // namespace

std::vector<Var> LiftBranches::lift_conditional(const Binding& choice) {
  charge(work_of(Op::kNot).in_flops());  // the opposite flags
  lift_choice(choice, {});
  std::vector<Var> results;
  for (Var v : choice.results) results.push_back(lifted_.at(v).var);
  return results;
}

std::vector<Var> LiftBranches::take_step(const Binding& steps, const std::vector<Var>& values) {
  lifted_.clear();
  for (std::size_t k = 0; k < values.size(); ++k) become(steps.results[k], {values[k], false});
  enter(steps.blocks[0], {});
  std::vector<Var> next;
  for (Var v : steps.blocks[0].results) next.push_back(lift(v).var);
  return next;
}

Lifting::Source LiftBranches::source(Var v) const {
  const auto found = sources_.find(v);
  return found == sources_.end() ? Source{} : found->second;
}

bool LiftBranches::is_op(Var v, Op op) const {
  const Binding* const made = source(v).binding;
  return made != nullptr && made->form == Form::kOp && made->op == op;
}

/// Whether a binding must be computed though its results may not be needed. The reductions and packs that only packing
/// needs are not.
bool LiftBranches::is_root(const Binding& binding) const {
  switch (binding.form) {
    case Form::kConst:
      return false;
    case Form::kOp:
      return may_fault(binding) || info(binding.op).op_class == OpClass::kSystem || info(binding.op).draws();
    case Form::kIf:
      return std::any_of(binding.blocks.begin(), binding.blocks.end(), [&](const Block& block) {
        return std::any_of(block.bindings.begin(), block.bindings.end(),
                           [&](const Binding& inner) { return is_root(inner); });
      });
    default:
      return true;
  }
}

void LiftBranches::enter(const Block& block, const Mask& mask) {
  for (const Binding& binding : block.bindings) {
    for (Var v : binding.results) sources_.insert_or_assign(v, Source{&binding, mask});
    if (is_root(binding)) lift_binding(binding, mask);
  }
}

void LiftBranches::lift_other(const Binding& binding, const Mask& mask) {
  switch (binding.form) {
    case Form::kConst:
      return become(binding.results[0], {make_again(binding, {}, mask)[0], false});
    case Form::kOp:
      return lift_operation(binding, mask);
    case Form::kIf:
      return lift_if(binding, mask);
    case Form::kLiftedIf:
      return lift_choice(binding, mask);
    case Form::kCall:
    case Form::kSteps:  // which come before calls
      throw Failure{"a function is called"};
    case Form::kFused:
      break;
  }
  VC_CHECK(false);
}

/// Whether a value is the lengths of a descriptor.
bool LiftBranches::counts(Var v) {
  const Binding* const made = source(v).binding;
  return made != nullptr && made->form == Form::kOp && made->op == Op::kLengths;
}

void LiftBranches::lift_operation(const Binding& binding, const Mask& mask) {
  const auto operand = [&](std::size_t k) { return binding.operands[k]; };
  if (!is_maskable(binding.op)) throw Failure{fmt::format("{} is not elementwise", info(binding.op).text)};
  switch (binding.op) {
    case Op::kDist:
      return lift_distribution(binding, mask);
    case Op::kPack:
      return lift_pack(binding, binding.results, mask);
    case Op::kMakeSegdes:
      return lift_descriptor(binding, mask);
    case Op::kLength:
    case Op::kLengths:
    case Op::kOffsets:
    case Op::kElements: {
      const Lifted of = lift(operand(0));
      return become(binding.results[0], {make_again(binding, {of.var}, mask)[0], of.chosen});
    }
    case Op::kSumReduce:
      if (!counts(operand(0))) break;
      return become(binding.results[0],
                    {make_again(binding, {lift_shared(operand(0)), lift_shared(operand(1))}, mask)[0], false});
    default:
      break;
  }
  throw Failure{fmt::format("{} is not elementwise", info(binding.op).text)};
}

void LiftBranches::lift_distribution(const Binding& binding, const Mask& mask) {
  const Lifted value = lift(binding.operands[0]), over = lift(binding.operands[1]);
  if (value.chosen && !(value.scalar && over.var == mask.all))
    throw Failure{"it contains an apply-to-each or a sequence"};
  const Var result = value.chosen ? value.var : make_again(binding, {value.var, over.var}, mask)[0];
  become(binding.results[0], {result, value.chosen || over.chosen});
}

void LiftBranches::lift_pack(const Binding& pack, const std::vector<Var>& results, const Mask& mask) {
  if (!flags_.contains(pack.operands[1])) throw Failure{"it contains a conditional or a filter of sequences"};
  become(results[0], {lift(pack.operands[0]).var, true});
  become(results[1], {mask.all, true});
}

/// Descriptors of the nesting levels around the elements: those that a branch makes for its elements become those of
/// all elements.
void LiftBranches::lift_descriptor(const Binding& binding, const Mask& mask) {
  const Var lengths = binding.operands[0], result = binding.results[0];
  if (may_fault(binding)) throw Failure{"MAKE_SEGDES is not elementwise"};
  const auto ones = [&] {
    return make(Op::kMakeSegdes, Suffix::kNone,
                {make(Op::kDist, Suffix::kInt, {make_constant(Suffix::kInt, 1), mask.all})});
  };
  const Binding* const made = source(lengths).binding;
  if (is_op(lengths, Op::kLength) && lift(lengths).chosen) return become(result, {mask.all, true});
  if (is_op(lengths, Op::kBoolToInt) && flags_.contains(made->operands[0])) return become(result, {ones(), true});
  if (is_op(lengths, Op::kSumReduce) && counts(made->operands[0])) {
    // The number of elements of a branch in each segment further out.
    const Lifted inner = lift(source(made->operands[0]).binding->operands[0]);
    if (inner.chosen) {
      const Var outer = lift(made->operands[1]).var;
      if (inner.var == ones()) return become(result, {outer, true});
      const Var counted = make(Op::kLengths, Suffix::kNone, {inner.var});
      const Var total = make(Op::kSumReduce, Suffix::kInt, {counted, outer});
      return become(result, {make(Op::kMakeSegdes, Suffix::kNone, {total}), true});
    }
  }
  const Lifted value = lift(lengths);
  if (value.chosen && definitions_.uniform(value.var, pool_) == nullptr)
    throw Failure{"MAKE_SEGDES is not elementwise"};
  become(result, {make_again(binding, {value.var}, mask)[0], value.chosen});
}

void LiftBranches::lift_if(const Binding& choice, const Mask& mask) {
  if (const Binding* const pack = pack_in(choice)) {
    if (flags_.contains(pack->operands[1])) return lift_pack(*pack, choice.results, mask);
    return pack_again(choice, *pack);
  }
  if (is_number_for_branch(choice, mask)) {
    enter(choice.blocks[0], mask);
    for (std::size_t k = 0; k < choice.results.size(); ++k)
      become(choice.results[k], lift(choice.blocks[0].results[k]));
    return;
  }
  // A condition that all elements share.
  if (choice.results.empty() || mask.flags == kNoVar) throw Failure{"what it does depends on data"};
  const Var flags = spread(lift(choice.operands[0]), true, mask);
  join(choice, flags, make(Op::kNot, Suffix::kBool, {flags}), mask, mask);
}

/// Whether an IF computes numbers from others, without faults, if a branch has elements: they can always be computed.
bool LiftBranches::is_number_for_branch(const Binding& choice, const Mask& mask) {
  const Block &some = choice.blocks[0], &none = choice.blocks[1];
  const Binding* const condition = source(choice.operands[0]).binding;
  if (condition == nullptr || !is_op(choice.operands[0], Op::kGreater) || !is_op(condition->operands[0], Op::kLengths))
    return false;
  const Binding* const least = source(condition->operands[1]).binding;
  if (least == nullptr || least->form != Form::kConst || pool_[least->target].ints != std::vector<std::int64_t>{0})
    return false;
  const Lifted counted = lift(source(condition->operands[0]).binding->operands[0]);
  if (!counted.chosen || counted.var != mask.all) return false;
  const auto is_number = [&](const Binding& binding) {
    return binding.form == Form::kConst && pool_[binding.target].size() == 1;
  };
  return std::ranges::all_of(none.bindings, is_number) &&
         std::ranges::all_of(some.bindings, [&](const Binding& binding) {
           const bool is_map = binding.form == Form::kOp && info(binding.op).op_class == OpClass::kElementwise;
           return is_number(binding) || (is_map && !may_fault(binding));
         });
}

/// A PACK for a branch around the code that is lifted.
void LiftBranches::pack_again(const Binding& choice, const Binding& pack) {
  std::vector<Var> operands;
  for (Var v : pack.operands) operands.push_back(lift_shared(v));
  Binding packing = pack, again = choice;
  packing.operands = operands;
  std::vector<Kind> kinds;
  for (Var& v : packing.results) {
    kinds.push_back(function_.values[v].kind);
    function_.values.push_back({kinds.back()});
    v = static_cast<Var>(function_.values.size() - 1);
  }
  again.operands = {lift_shared(choice.operands[0])};
  again.blocks[0] = {{packing}, packing.results};
  again.blocks[1].results = {operands[0], operands[2]};
  const std::vector<Var> results = make(std::move(again), kinds);
  for (std::size_t k = 0; k < results.size(); ++k) become(choice.results[k], {results[k], false});
}

void LiftBranches::lift_choice(const Binding& choice, const Mask& mask) {
  flags_.insert({choice.operands[kFlags], choice.operands[kOthers]});
  const Var flags = lift(choice.operands[kFlags]).var, others = lift(choice.operands[kOthers]).var;
  const Mask inner = mask.all != kNoVar ? mask : Mask{kNoVar, lift(choice.operands[kAll]).var, &choice};
  join(choice, flags, others, mask, inner);
}

/// Lifts both branches and selects from their results.
void LiftBranches::join(const Binding& choice, Var flags, Var others, const Mask& mask, const Mask& inner) {
  std::vector<Lifted> results[2];
  for (const std::size_t k : {0, 1}) {
    enter(choice.blocks[k], within(inner, k == 0 ? flags : others));
    for (Var v : choice.blocks[k].results) results[k].push_back(v == kNoVar ? Lifted{} : lift(v));
  }
  const bool chosen = mask.flags != kNoVar;
  for (std::size_t k = 0; k < choice.results.size(); ++k) {
    const Lifted a = results[0][k], b = results[1][k];
    const bool scalar = a.scalar || b.scalar;
    if (choice.form == Form::kIf && !a.chosen && !b.chosen) throw Failure{"what it does depends on data"};
    if (a.var == kNoVar || b.var == kNoVar || a.var == b.var) {
      become(choice.results[k], {a.var == kNoVar ? b.var : a.var, chosen, scalar});
      continue;
    }
    const Var x = spread(a, scalar, inner), y = spread(b, scalar, inner);
    if (function_.values[x].kind == Kind::kSegdes) throw Failure{"it contains an apply-to-each or a sequence"};
    const Var selected = make(Op::kSelect, suffix_of(function_.values[x].kind), {flags, x, y});
    become(choice.results[k], {selected, chosen, scalar});
  }
}

Lifting::Mask LiftBranches::within(const Mask& mask, Var flags) {
  Mask inner = mask;
  inner.flags = mask.flags == kNoVar ? flags : make(Op::kAnd, Suffix::kBool, {mask.flags, flags});
  return inner;
}

}  // namespace vcode::letform
