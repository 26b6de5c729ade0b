#include "lengths.h"

#include <array>
#include <numeric>

namespace vcode::letform {
namespace {
constexpr Length kOne = 1;
}

Lengths::Lengths(const Function& function)
    : function_(function), shapes_(function.values.size()), holders_{kNoVar}, numbers_{-1} {
  constant(1);
}

/// Of any value; what is not known yet gets numbers of its own.
Lengths::Shape& Lengths::shape(Var v) {
  if (v >= shapes_.size()) shapes_.resize(function_.values.size());
  Shape& s = shapes_[v];
  const ValueInfo& value = function_.values[v];
  if (value.kind == Kind::kSegdes) {
    if (s.segments == 0) s.segments = value.scalar ? kOne : fresh();
    if (s.elements == 0) s.elements = fresh();
  } else {
    if (s.elements == 0) s.elements = value.scalar ? kOne : fresh();
  }
  return s;
}

Length Lengths::fresh() {
  holders_.push_back(kNoVar);
  numbers_.push_back(-1);
  return static_cast<Length>(numbers_.size() - 1);
}

Length Lengths::constant(std::int64_t number) {
  auto [it, is_new] = constants_.try_emplace(number, 0);
  if (is_new) {
    it->second = fresh();
    numbers_[it->second] = number;
  }
  return it->second;
}

void Lengths::hold(Length length, Var v) {
  if (holders_[length] != kNoVar) return;
  changes_.push_back({length, kNoVar});
  holders_[length] = v;
}

void Lengths::roll_back(std::size_t mark) {
  for (; changes_.size() > mark; changes_.pop_back()) holders_[changes_.back().first] = changes_.back().second;
}

Var Lengths::holder(Length length) const { return holders_[length]; }
std::int64_t Lengths::number(Length length) const { return numbers_[length]; }

Length Lengths::yielded(const Binding& operation) {
  if (operation.op == Op::kLength) return shape(operation.operands[0]).elements;
  if (operation.op == Op::kLengths && shape(operation.operands[0]).segments == kOne)
    return shape(operation.operands[0]).elements;
  return 0;
}

bool Lengths::is_distributed_to_one(const Binding& operation) {
  if (operation.op != Op::kDist) return false;
  const Shape& s = shape(operation.operands[1]);
  return s.segments == kOne && s.elements == kOne;
}

void Lengths::note(const Binding& binding, const ConstantPool& pool) {
  if (binding.form == Binding::Form::kConst) note_constant(binding.results[0], pool[binding.target]);
  if (binding.form == Binding::Form::kOp) note_operation(binding);
}

void Lengths::note_constant(Var v, const Constant& constant_value) {
  Shape& s = shape(v);
  const Length size = constant(static_cast<std::int64_t>(constant_value.size()));
  if (constant_value.type == Suffix::kSegdes) {
    s.segments = size;
    s.elements = constant(std::accumulate(constant_value.ints.begin(), constant_value.ints.end(), std::int64_t{0}));
    return;
  }
  s.elements = size;
  if (constant_value.type != Suffix::kInt || constant_value.size() != 1 || constant_value.ints[0] < 0) return;
  s.value = constant(constant_value.ints[0]);
  hold(s.value, v);
}

/// Equal letters of a signature are equal lengths.
void Lengths::note_operation(const Binding& binding) {
  const Signature& signature = info(binding.op).signature;
  std::array<Length, kMaxLengthVars + 1> letters{kOne};
  auto bind = [&](LengthVar letter, Length length) {
    if (letters[letter] == 0) letters[letter] = length;
  };
  for (std::size_t k = 0; k < binding.operands.size(); ++k) {
    const Role& role = signature.operands[k];
    if (role.type == RoleType::kAnything) continue;
    const Shape s = shape(binding.operands[k]);
    bind(role.length, s.elements);
    if (role.type == RoleType::kSegdes) bind(role.segments, s.segments);
  }
  for (std::size_t k = 0; k < binding.results.size(); ++k) {
    const Role& role = signature.results[k];
    if (role.type == RoleType::kAnything) continue;
    for (LengthVar letter : {role.length, role.segments}) bind(letter, letters[letter] ? 0 : fresh());
    Shape& s = shapes_.size() > binding.results[k] ? shapes_[binding.results[k]] : shape(binding.results[k]);
    s.elements = letters[role.length];
    if (role.type == RoleType::kSegdes) s.segments = letters[role.segments];
  }
  if (binding.op == Op::kMakeSegdes && shape(binding.operands[0]).elements == kOne) {
    Shape& lengths = shape(binding.operands[0]);
    if (lengths.value == 0) lengths.value = shape(binding.results[0]).elements;
    shape(binding.results[0]).elements = lengths.value;
    hold(lengths.value, binding.operands[0]);
  }
  if (Length length = yielded(binding)) {
    shape(binding.results[0]).value = length;
    hold(length, binding.results[0]);
  }
}

}  // namespace vcode::letform
