#include "binding_facts.h"

#include <algorithm>

#include "element.h"

namespace vcode::letform {
namespace {

constexpr Widths kWidest{ElemType::kI64, ElemType::kF64};

/// Calls visit(operands) for every combination of samples until it returns true.
template <class Visit>
bool any_combination(const OpInfo& row, Suffix suffix, Visit visit) {
  std::vector<std::vector<Element>> choices;
  for (int k = 0; k < row.signature.operand_count; ++k)
    choices.push_back(
        sample_elements(Signature::kind(row.signature.operands[static_cast<std::size_t>(k)], suffix), kWidest));
  std::vector<Element> operands(choices.size());
  auto choose = [&](auto& self, std::size_t k) -> bool {
    if (k == choices.size()) return visit(operands);
    for (const Element& choice : choices[k]) {
      operands[k] = choice;
      if (self(self, k + 1)) return true;
    }
    return false;
  };
  return choose(choose, 0);
}

bool some_sample_faults(const OpInfo& row, Suffix suffix) {
  return any_combination(row, suffix, [&](const std::vector<Element>& operands) {
    return evaluate(row.op, suffix, kWidest, operands.data()).fault != FaultKind::kNone;
  });
}

bool samples_commute(const OpInfo& row, Suffix suffix) {
  const Signature& signature = row.signature;
  if (signature.operand_count != 2 || signature.operands[0].type != signature.operands[1].type) return false;
  return !any_combination(row, suffix, [&](const std::vector<Element>& operands) {
    const Element turned[] = {operands[1], operands[0]};
    ElementResult a = evaluate(row.op, suffix, kWidest, operands.data());
    ElementResult b = evaluate(row.op, suffix, kWidest, turned);
    return a.fault != b.fault || !is_same(a.value, b.value);
  });
}

/// Of an operation on vectors: an operand `i` holds indices and `l` lengths, and those can be wrong.
bool has_checked_operand(const Signature& signature) {
  for (int k = 0; k < signature.operand_count; ++k) {
    const Role& role = signature.operands[static_cast<std::size_t>(k)];
    if (role.type == RoleType::kInt && (role.name == "i" || role.name == "l")) return true;
  }
  return false;
}

struct Facts {
  bool can_fault = false;
  bool commutes = false;
};

Facts find_facts(const OpInfo& row, Suffix suffix) {
  switch (row.op_class) {
    case OpClass::kElementwise:
      return {some_sample_faults(row, suffix), samples_commute(row, suffix)};
    case OpClass::kVector:
      return {has_checked_operand(row.signature) || row.op == Op::kRandom, false};
    default:
      return {row.op_class == OpClass::kSystem, false};
  }
}

const Facts& facts(Op op, Suffix suffix) {
  static const auto* kFacts = [] {
    auto* all = new Facts[kOps][kSuffixes];
    for (const OpInfo& row : all_ops())
      for (int s = 0; s < kSuffixes; ++s)
        if (row.takes(static_cast<Suffix>(s)))
          all[static_cast<int>(row.op)][s] = find_facts(row, static_cast<Suffix>(s));
    return all;
  }();
  return kFacts[static_cast<int>(op)][static_cast<int>(suffix)];
}

}  // namespace

bool can_fault(Op op, Suffix suffix) { return facts(op, suffix).can_fault; }

bool has_effect(Op op, Suffix suffix) {
  // RAND can fault too, but it would have to be kept anyway: what it draws, nobody else may draw.
  return info(op).op_class == OpClass::kSystem || op == Op::kRandom || can_fault(op, suffix);
}

bool commutes(Op op, Suffix suffix) { return facts(op, suffix).commutes; }

bool has_effect(const Binding& binding, const std::vector<bool>& functions) {
  switch (binding.form) {
    case Binding::Form::kOp:
      return has_effect(binding.op, binding.suffix);
    case Binding::Form::kConst:
      return false;
    case Binding::Form::kCall:
      return functions[binding.target];
    case Binding::Form::kFused:
      return std::any_of(binding.blocks[0].bindings.begin(), binding.blocks[0].bindings.end(),
                         [&](const Binding& step) { return has_effect(step, functions); });
    case Binding::Form::kIf:
      break;
  }
  return true;
}

}  // namespace vcode::letform
