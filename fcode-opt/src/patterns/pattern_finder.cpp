#include "patterns/pattern_finder.h"

#include <algorithm>
#include <utility>

#include "ir/effects.h"
#include "ir/walk.h"

namespace vcode::letform {

using Form = Binding::Form;

PatternFinder::PatternFinder(const Program& program, ConstantPool& pool, Function& function, const ShapeFacts& facts)
    : program_(program),
      pool_(pool),
      function_(function),
      definitions_(function.values.size()),
      shapes_(program, function, facts),
      uses_(function.values.size()) {
  const auto count = [&](const std::vector<Var>& values) {
    for (Var v : values) ++uses_[v];
  };
  count(function.body.results);
  for_each_binding(function.body, [&](const Binding& binding) {
    count(binding.operands);
    count(binding.nest);
    for (const Block& block : binding.blocks) count(block.results);
  });
}

void PatternFinder::run(Block& block) {
  const std::size_t held_before = held_.size();
  std::vector<Binding>* const around = std::exchange(to_, &block.bindings);
  for (Binding& binding : std::exchange(block.bindings, {})) {
    visit(binding);
    to_->push_back(std::move(binding));
    for (Binding& next : std::exchange(behind_, {})) put(std::move(next));
  }
  to_ = around;
  held_.resize(held_before);
  if (around == nullptr) return;
  ended_.resize(function_.values.size());
  for (const Binding& binding : block.bindings)
    for (Var v : binding.results) ended_[v] = true;
}

void PatternFinder::visit(Binding& binding) {
  if (binding.form == Form::kIf) {
    Shapes::Branch branches[2];
    for (std::size_t k = 0; k < 2; ++k) {
      const Shapes::Mark mark = shapes_.enter();
      run(binding.blocks[k]);
      branches[k] = shapes_.leave(mark, binding.blocks[k].results);
    }
    rewrite_if(binding);
    definitions_.note(binding);
    return shapes_.note_if(binding, branches[0], branches[1]);
  }
  if (binding.form == Form::kOp && (program_.lengths_agree || shapes_.lengths_agree(binding))) rewrite(binding);
  note(binding);
}

void PatternFinder::note(const Binding& binding) {
  if (binding.form == Form::kOp && info(binding.op).checks()) held_.push_back(binding.operands.back());
  definitions_.note(binding);
  shapes_.note(binding);
}

void PatternFinder::become(Binding& binding, Op op, std::vector<Var> operands) {
  binding.op = op;
  if (!info(op).takes(binding.suffix)) binding.suffix = Suffix::kNone;
  binding.operands = std::move(operands);
}

Var PatternFinder::new_value(Kind kind) {
  function_.values.push_back({kind});
  uses_.resize(function_.values.size());
  return static_cast<Var>(function_.values.size() - 1);
}

void PatternFinder::put(Binding binding) {
  uses_.resize(function_.values.size());
  for (Var v : binding.operands) ++uses_[v];
  note(binding);
  to_->push_back(std::move(binding));
}

Var PatternFinder::add(Op op, Suffix suffix, std::vector<Var> operands) {
  const Var result = new_value(Signature::kind(info(op).signature.results[0], suffix));
  put({.op = op, .suffix = suffix, .operands = std::move(operands), .results = {result}});
  return result;
}

Var PatternFinder::add_number(int number) {
  const Var result = new_value(Kind::kInt);
  function_.values[result].scalar = true;
  const std::uint32_t constant = pool_.add({.type = Suffix::kInt, .ints = {number}});
  put({.form = Form::kConst, .target = constant, .results = {result}});
  return result;
}

Var PatternFinder::for_each_segment(Var number, Var descriptor) {
  if (shapes_.is_single(descriptor)) return number;
  const Var segments = add(Op::kLength, Suffix::kInt, {add(Op::kLengths, Suffix::kNone, {descriptor})});
  return add(Op::kDist, Suffix::kInt, {number, add(Op::kMakeSegdes, Suffix::kNone, {segments})});
}

const Constant* PatternFinder::each_element(Var v) const {
  while (is(v, Op::kDist) || is(v, Op::kSlice)) v = operands(v)[0];
  if (definitions_.of(v).form != Form::kIf) return definitions_.uniform(v, pool_);
  const auto is_empty = [&](Var w) {
    const Constant* constant = definitions_.constant(w, pool_);
    return constant != nullptr && constant->size() == 0;
  };
  const Var a = operands(v)[0], b = operands(v)[1];
  if (is_empty(a)) return each_element(b);
  const Constant* const first = each_element(a);
  if (first == nullptr || is_empty(b)) return first;
  const Constant* const second = each_element(b);
  return second != nullptr && *first == *second ? first : nullptr;
}

std::int64_t PatternFinder::uniform(Var v) const {
  const Constant* constant = each_element(v);
  return constant != nullptr && constant->type == Suffix::kInt ? constant->ints[0] : -1;
}

bool PatternFinder::is_range(Var v, Var descriptor) {
  return is(v, Op::kIndex) && uniform(operands(v)[1]) == 1 && shapes_.same_descriptor(operands(v)[2], descriptor);
}

std::int64_t PatternFinder::uniform_length(Var descriptor) const {
  return is(descriptor, Op::kMakeSegdes) ? uniform(operands(descriptor)[0]) : -1;
}

bool PatternFinder::is_difference(Var descriptor, Var all, Var part) {
  if (!is(descriptor, Op::kMakeSegdes) || !is(operands(descriptor)[0], Op::kSubtract)) return false;
  const auto& lengths = operands(operands(descriptor)[0]);
  return shapes_.are_lengths_of(lengths[0], all) && shapes_.are_lengths_of(lengths[1], part);
}

bool PatternFinder::is_sum(Var s3, Var s1, Var s2) {
  if (uniform_length(s2) == 0 && shapes_.same_descriptor(s3, s1)) return true;
  if (uniform_length(s1) == 0 && shapes_.same_descriptor(s3, s2)) return true;
  if (is_difference(s1, s3, s2) || is_difference(s2, s3, s1)) return true;
  if (const std::int64_t both = uniform_length(s3); both >= 0)
    return uniform_length(s1) >= 0 && uniform_length(s2) >= 0 && uniform_length(s1) + uniform_length(s2) == both;
  if (!is(s3, Op::kMakeSegdes) || !is(operands(s3)[0], Op::kAdd)) return false;
  const Var x = operands(operands(s3)[0])[0], y = operands(operands(s3)[0])[1];
  return (shapes_.are_lengths_of(x, s1) && shapes_.are_lengths_of(y, s2)) ||
         (shapes_.are_lengths_of(x, s2) && shapes_.are_lengths_of(y, s1));
}

bool PatternFinder::cannot_fail(const Binding& binding) const {
  return program_.lengths_agree && has_no_message(binding);
}

std::optional<Binding> PatternFinder::take_back(Var v) {
  for (std::size_t k = to_->size(); k-- > 0;) {
    Binding& binding = (*to_)[k];
    if (binding.form != Form::kOp && binding.form != Form::kConst) return std::nullopt;
    if (std::ranges::find(binding.results, v) != binding.results.end()) {
      Binding taken = std::move(binding);
      to_->erase(to_->begin() + static_cast<std::ptrdiff_t>(k));
      return taken;
    }
    const bool is_calm =
        binding.form == Form::kConst || (info(binding.op).op_class != OpClass::kSystem && cannot_fail(binding));
    if (!is_calm) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace vcode::letform
