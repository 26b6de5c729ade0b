#include "masks/lifting.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ir/fold_constants.h"
#include "vcode/kernel_rules.h"

namespace vcode::letform {

using Form = Binding::Form;

namespace {

bool is_map(const Binding& binding) {
  return binding.form == Form::kOp && info(binding.op).op_class == OpClass::kElementwise;
}

bool is_gather(const Binding& binding) {
  return binding.form == Form::kOp && (binding.op == Op::kBpermute || binding.op == Op::kExtract);
}

/// Most operations from an index to an apply-to-each that are looked through.
constexpr int kDeepestIndex = 12;

/// Whether an operation is outside of all apply-to-eaches: it works on scalars.
bool is_outermost(const Binding& binding) { return may_fault(binding) && binding.nest.empty() && binding.outermost; }

}  // namespace

Lifting::Lifted Lifting::lift(Var v) {
  ++reads_[v];
  if (const auto known = lifted_.find(v); known != lifted_.end()) return known->second;
  const Source made = source(v);
  if (made.binding == nullptr) return lift_outside(v);
  lift_binding(*made.binding, made.mask);
  return lifted_.at(v);
}

void Lifting::lift_binding(const Binding& binding, const Mask& mask) {
  if (is_map(binding))
    lift_elementwise(binding, mask);
  else if (is_gather(binding))
    lift_gather(binding, mask);
  else
    lift_other(binding, mask);
}

Var Lifting::lift_shared(Var v) {
  const Lifted value = lift(v);
  if (value.chosen) throw Failure{"it contains an apply-to-each or a sequence"};
  return value.var;
}

Var Lifting::spread(Lifted value, bool scalar, const Mask& mask) {
  if (value.chosen || !scalar) return value.var;
  return make(Op::kDist, suffix_of(function_.values[value.var].kind), {value.var, mask.all});
}

/// An operation on scalars that can fault runs only if an element is chosen, so it becomes one for each element.
void Lifting::lift_elementwise(const Binding& binding, const Mask& mask) {
  std::vector<Lifted> lifted;
  for (Var v : binding.operands) lifted.push_back(lift(v));
  const bool masked = mask.flags != kNoVar;
  bool scalar = masked && is_outermost(binding), chosen = scalar;
  for (const Lifted& operand : lifted) {
    scalar = scalar || operand.scalar;
    chosen = chosen || operand.chosen;
  }
  if (masked && !chosen && may_fault(binding))
    throw Failure{fmt::format("{} cannot be guarded", info(binding.op).text)};
  std::vector<Var> operands;
  for (const Lifted& operand : lifted) operands.push_back(spread(operand, scalar, mask));
  Binding made = binding;
  if (chosen && !can_fault(binding, operands.back()))
    made.location_only = made.site != kNoSite;
  else if (chosen)
    guard(binding, operands, mask);
  become(binding.results[0], {make_again(made, std::move(operands), mask)[0], chosen, scalar});
}

bool Lifting::can_fault(const Binding& binding, Var last_operand) const {
  if (!info(binding.op).can_fault(binding.suffix)) return false;
  const Constant* const last = definitions_.uniform(last_operand, pool_);
  return last == nullptr || can_fault_with(binding.op, binding.suffix, binding.operands.size() - 1, *last);
}

/// Makes the operands faultless where the flags are false.
void Lifting::guard(const Binding& binding, std::vector<Var>& operands, const Mask& mask) {
  const auto otherwise = [&](Var& operand, int number) {
    const Suffix type = suffix_of(function_.values[operand].kind);
    const Var instead = make(Op::kDist, type, {make_constant(type, number), mask.all});
    operand = make(Op::kSelect, type, {mask.flags, operand, instead});
  };
  if (binding.op == Op::kBound) {
    otherwise(operands[0], 1);
    return otherwise(operands[1], 0);
  }
  const std::optional<int> faultless = faultless_operand(binding.op, binding.suffix);
  if (!faultless) throw Failure{fmt::format("{} cannot be guarded", info(binding.op).text)};
  otherwise(operands.back(), *faultless);
}

void Lifting::lift_gather(const Binding& binding, const Mask& mask) {
  const Var table = lift_shared(binding.operands[0]), source = lift_shared(binding.operands[2]);
  const Lifted index = lift(binding.operands[1]);
  const bool is_extract = binding.op == Op::kExtract, masked = mask.flags != kNoVar;
  Var target = kNoVar;
  bool chosen = index.chosen;
  if (!is_extract) {
    const Lifted descriptor = lift(binding.operands[3]);
    target = descriptor.var;
    chosen = chosen || descriptor.chosen;
  }
  chosen = chosen || (masked && is_outermost(binding));
  if (!chosen) {
    if (masked && may_fault(binding)) throw Failure{fmt::format("{} cannot be guarded", info(binding.op).text)};
    std::vector<Var> operands = {table, index.var, source};
    if (!is_extract) operands.push_back(target);
    return become(binding.results[0], {make_again(binding, std::move(operands), mask)[0], false});
  }
  Binding guarded = binding;
  guarded.op = Op::kBfpermute;
  const std::vector<Var> operands = {table, spread(index, is_extract, mask), mask.flags, source,
                                     is_extract ? mask.all : target};
  become(binding.results[0], {make_again(guarded, operands, mask)[0], true, is_extract});
}

std::vector<Var> Lifting::make(Binding binding, const std::vector<Kind>& kinds) {
  const bool repeatable =
      binding.form == Form::kConst ||
      (binding.form == Form::kOp && info(binding.op).op_class != OpClass::kSystem && !info(binding.op).draws());
  if (repeatable)
    if (const auto known = known_.find(expression_of(binding)); known != known_.end()) return known->second;
  charge(binding);
  std::vector<Var> results;
  for (const Kind kind : kinds) {
    results.push_back(static_cast<Var>(function_.values.size()));
    function_.values.push_back({kind, binding.form == Form::kConst && pool_[binding.target].size() == 1, {}});
  }
  binding.results = results;
  if (repeatable) known_.emplace(expression_of(binding), results);
  definitions_.note(binding);
  made_.push_back(std::move(binding));
  return results;
}

/// Operations on indices are free, since they are computed once for a segment or not at all (Loop::Interior).
void Lifting::charge(const Binding& binding) {
  if (is_map(binding) && !is_regular(binding.op, binding.operands, true, kDeepestIndex))
    charge(work_of(binding.op).in_flops());
  if (is_gather(binding) || (binding.form == Form::kOp && binding.op == Op::kBfpermute))
    charge(is_regular(binding.operands[1], true, kDeepestIndex) ? kRunCost : work_of(binding.op).in_flops());
}

/// Whether an INT is computed from numbers that are the same for many elements and, if it may go `up`, from indices of
/// apply-to-eaches.
bool Lifting::is_regular(Var v, bool up, int depth) const {
  const Definitions::Definition& made = definitions_.of(v);
  if (made.form == Form::kIf)  // if there are no elements, a sequence that all of them read is not computed
    return depth > 0 && is_regular(made.operands[0], up, depth - 1);
  return made.form == Form::kConst || (made.form == Form::kOp && is_regular(made.op, made.operands, up, depth));
}

bool Lifting::is_regular(Op op, std::span<const Var> operands, bool up, int depth) const {
  const auto is = [&](std::size_t k, bool goes_up) {
    return depth > 0 && function_.values[operands[k]].kind == Kind::kInt && is_regular(operands[k], goes_up, depth - 1);
  };
  switch (op) {
    case Op::kDist:
      return true;
    case Op::kIndex:
      return up;
    case Op::kSlice:
      return up && is_regular(operands[0], true, depth - 1);
    case Op::kAdd:
    case Op::kSubtract:
      return is(0, up) && is(1, up);
    case Op::kSelect:
      return is(1, up) && is(2, up);
    case Op::kBound:
      return is(1, up);
    case Op::kBpermute:
    case Op::kBfpermute:
      return is(1, false);  // the offset of a row
    default:
      return false;
  }
}

void Lifting::charge(double cost) {
  cost_ += cost;
  if (cost_ > budget_) throw Failure{"its branches cost more than packing"};
}

Var Lifting::make(Op op, Suffix suffix, std::vector<Var> operands) {
  const Kind kind = Signature::kind(info(op).signature.results[0], suffix);
  return make({.op = op, .suffix = suffix, .operands = std::move(operands)}, {kind})[0];
}

std::vector<Var> Lifting::make_again(const Binding& binding, std::vector<Var> operands, const Mask& mask) {
  Binding again = binding;
  again.operands = std::move(operands);
  again.nest = binding.location_only ? std::vector<Var>{} : nest_of(binding, mask);
  if (is_outermost(binding) && mask.around != nullptr) again.outermost = mask.around->outermost;
  std::vector<Kind> kinds;
  for (Var v : binding.results) kinds.push_back(function_.values[v].kind);
  return make(std::move(again), kinds);
}

/// The nest of an operation on all elements begins where the flags of branches end.
std::vector<Var> Lifting::nest_of(const Binding& binding, const Mask& mask) const {
  if (is_outermost(binding) && mask.around != nullptr) return mask.around->nest;
  const auto begin =
      std::find_if_not(binding.nest.begin(), binding.nest.end(), [&](Var v) { return flags_.contains(v); });
  if (may_fault(binding) && mask.flags != kNoVar && begin == binding.nest.begin())
    throw Failure{"what fails in it has no place"};
  return {begin, binding.nest.end()};
}

Var Lifting::make_constant(Suffix type, int number) {
  Constant value{.type = type};
  if (type == Suffix::kInt || type == Suffix::kByte) value.ints = {number};
  if (type == Suffix::kBool) value.bools = {static_cast<std::uint8_t>(number)};
  if (type == Suffix::kFloat) value.floats = {static_cast<double>(number)};
  return make({.form = Form::kConst, .target = pool_.add(std::move(value))}, {suffix_kind(type)})[0];
}

}  // namespace vcode::letform
