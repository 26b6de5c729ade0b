#include "fcode-opt/shapes.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "shape_pattern.h"

namespace vcode::letform {
namespace {

constexpr Quantity kOne = 1;

/// Ways in which a content is computed from others.
enum How : std::uint32_t {
  kSums,      ///< sums of the first content over the segments of the second
  kUniform,   ///< the first number, as often as the second says
  kConstant,  ///< the constant with this index
  kRest,      ///< the first number less the second one
};

}  // namespace

Shapes::Shapes(const Program& program, const Function& function, const ShapeFacts& facts)
    : program_(program), function_(function), facts_(facts), shapes_(function.values.size()), nodes_{Node{0, 0}} {
  nodes_.reserve(2 * function.values.size());
  constant(1);
  const auto number = static_cast<std::size_t>(&function - program.functions.data());
  VC_CHECK(number < program.functions.size());
  if (number < facts.size() && facts[number].entry) apply(*facts[number].entry, function.parameters);
  for (Var v : function.parameters) hold(v);
}

// --- quantities -------------------------------------------------------------------------------------------------

Quantity Shapes::fresh() {
  const auto q = static_cast<Quantity>(nodes_.size());
  nodes_.push_back({q, q});
  return q;
}

Quantity Shapes::constant(std::int64_t number) {
  auto [it, is_new] = constants_.try_emplace(number, 0);
  if (is_new) {
    it->second = fresh();
    nodes_[it->second].number = number;
  }
  return it->second;
}

Quantity Shapes::constant_identity(std::int64_t index) {
  auto [it, is_new] = derived_.try_emplace({kConstant, static_cast<std::uint32_t>(index), 0}, 0);
  if (is_new) {
    it->second = fresh();
    nodes_[it->second].number = index;
  }
  return it->second;
}

Quantity Shapes::derived(std::uint32_t how, Quantity a, Quantity b) {
  auto [it, is_new] = derived_.try_emplace({how, oldest(a), oldest(b)}, 0);
  if (is_new) it->second = fresh();
  return it->second;
}

Quantity Shapes::find(Quantity q) const {
  while (nodes_[q].parent != q) q = nodes_[q].parent;
  return q;
}

/// The node of a set, to be changed; its old value is saved for leave().
Shapes::Node& Shapes::change(Quantity root) {
  changes_.push_back({root, nodes_[root]});
  return nodes_[root];
}

void Shapes::unite(Quantity a, Quantity b) {
  VC_CHECK(a != 0 && b != 0);
  a = find(a);
  b = find(b);
  if (a == b) return;
  if (nodes_[a].size < nodes_[b].size) std::swap(a, b);
  change(b).parent = a;
  const Node& child = nodes_[b];
  Node& root = change(a);
  root.oldest = std::min(root.oldest, child.oldest);
  root.size += child.size;
  root.number = std::max(root.number, child.number);
  // All these values are visible here. kNoVar is the largest Var.
  root.vector = std::min(root.vector, child.vector);
  root.descriptor = std::min(root.descriptor, child.descriptor);
  root.same = std::min(root.same, child.same);
}

void Shapes::learn(Quantity& part, Quantity known) {
  VC_CHECK(known != 0);
  if (part == 0)
    part = known;
  else
    unite(part, known);
}

Shapes::Branch Shapes::leave(Mark mark, const std::vector<Var>& results) {
  VC_CHECK(mark.changes <= changes_.size());
  Branch branch{!stopped_};
  for (Var v : results) {
    identity(v);
    Shape& yielded = branch.results.emplace_back(shape(v));
    yielded.content = known_content(v);
    // The oldest member existed before the branch if any member did; other members may belong to the set only inside
    // the branch.
    for (Quantity Shape::*part : kShapeParts) yielded.*part = oldest(yielded.*part);
  }
  stopped_ = mark.stopped;
  for (; changes_.size() > mark.changes; changes_.pop_back()) nodes_[changes_.back().first] = changes_.back().second;
  return branch;
}

// --- values -----------------------------------------------------------------------------------------------------

/// Fills in fresh quantities for the unknown parts of a shape.
Shape& Shapes::new_shape(Var v) {
  if (v >= shapes_.size()) shapes_.resize(function_.values.size());
  Shape& s = shapes_[v];
  const ValueInfo& value = function_.values[v];
  if (value.kind == Kind::kSegdes && s.segments == 0) s.segments = value.scalar ? kOne : fresh();
  s.elements = value.scalar && value.kind != Kind::kSegdes ? kOne : fresh();
  return s;
}

Quantity Shapes::total(Var v) {
  Shape& s = shape(v);
  if (s.total == 0) s.total = fresh();
  return s.total;
}

Quantity Shapes::known_content(Var v) {
  const Shape& s = shape(v);
  if (s.content != 0) return s.content;
  if (!is_single(v)) return 0;
  const Kind kind = function_.values[v].kind;
  return kind == Kind::kSegdes ? s.elements : kind == Kind::kInt ? s.total : 0;
}

Quantity Shapes::content(Var v) {
  if (const Quantity known = known_content(v)) return known;
  return shape(v).content = fresh();
}

bool Shapes::is_single(Var v) {
  const Shape& s = shape(v);
  return same(function_.values[v].kind == Kind::kSegdes ? s.segments : s.elements, kOne);
}

bool Shapes::same_descriptor(Var a, Var b) {
  VC_CHECK(function_.values[a].kind == Kind::kSegdes && function_.values[b].kind == Kind::kSegdes);
  if (a == b || (is_single(a) && is_single(b) && same_elements(a, b))) return true;
  return same(content(a), content(b));
}

bool Shapes::lengths_agree(const Binding& operation) {
  VC_CHECK(operation.form == Binding::Form::kOp);
  const Signature& signature = info(operation.op).signature;
  std::array<Quantity, kMaxLengthVars + 1> letters{kOne};
  auto agrees = [&](LengthVar letter, Quantity length) {
    if (letters[letter] == 0) letters[letter] = length;
    return same(letters[letter], length);
  };
  for (std::size_t k = 0; k < operation.operands.size(); ++k) {
    const Role& role = signature.operands[k];
    if (role.type == RoleType::kAnything) continue;
    const Shape s = shape(operation.operands[k]);
    if (!agrees(role.length, s.elements)) return false;
    if (role.type == RoleType::kSegdes && !agrees(role.segments, s.segments)) return false;
  }
  return true;
}

bool Shapes::has_single_elements(Var descriptor) {
  VC_CHECK(function_.values[descriptor].kind == Kind::kSegdes);
  const Shape s = shape(descriptor);
  if (same(s.segments, kOne)) return same(s.elements, kOne);
  const auto ones = derived_.find({kUniform, oldest(kOne), oldest(s.segments)});
  return ones != derived_.end() && same(ones->second, content(descriptor));
}

std::int64_t Shapes::value(Var v) {
  const Quantity q = shape(v).total;
  return q != 0 && function_.values[v].kind == Kind::kInt && is_single(v) ? number(q) : -1;
}

/// Identity of a value. To be called only where the value is visible.
Quantity Shapes::identity(Var v) {
  Shape& s = shape(v);
  if (s.identity == 0) s.identity = fresh();
  const Quantity root = find(s.identity);
  if (nodes_[root].same == kNoVar) change(root).same = v;
  return root;
}

Var Shapes::first_equal(Var v) {
  if (shape(v).identity != 0)
    if (const Var same = nodes_[identity(v)].same; same != v) return same;
  const Quantity q = known_content(v);
  if (q == 0) return kNoVar;
  const Node& node = nodes_[find(q)];
  const Kind kind = function_.values[v].kind;
  return kind == Kind::kSegdes ? node.descriptor : kind == Kind::kInt ? node.vector : kNoVar;
}

Var Shapes::single_descriptor(Var v) { return nodes_[find(shape(v).elements)].descriptor; }

/// Makes a value the representative of its content, unless the content has one.
void Shapes::hold(Var v) {
  const Kind kind = function_.values[v].kind;
  const Quantity q = kind == Kind::kSegdes ? content(v) : kind == Kind::kInt ? known_content(v) : 0;
  if (q == 0) return;
  const Quantity root = find(q);
  Var Node::*holder = kind == Kind::kSegdes ? &Node::descriptor : &Node::vector;
  if (nodes_[root].*holder == kNoVar) change(root).*holder = v;
}

// --- bindings ---------------------------------------------------------------------------------------------------

void Shapes::note(const Binding& binding, const Visit& visit) {
  if (visit) visit(binding);
  switch (binding.form) {
    case Binding::Form::kConst:
      note_constant(binding.results[0], program_.constants[binding.target]);
      shape(binding.results[0]).identity = constant_identity(binding.target);
      break;
    case Binding::Form::kOp:
      note_operation(binding);
      break;
    case Binding::Form::kCall: {
      const FunctionShapes* called = binding.target < facts_.size() ? &facts_[binding.target] : nullptr;
      if (called && called->exit) {
        std::vector<Var> values = binding.operands;
        values.insert(values.end(), binding.results.begin(), binding.results.end());
        apply(*called->exit, values);
      } else if (called) {
        stopped_ = true;
      }
      break;
    }
    case Binding::Form::kIf: {
      Branch branches[2];
      for (std::size_t k = 0; k < 2; ++k) {
        const Mark mark = enter();
        for (const Binding& inner : binding.blocks[k].bindings) note(inner, visit);
        branches[k] = leave(mark, binding.blocks[k].results);
      }
      return note_if(binding, branches[0], branches[1]);
    }
    case Binding::Form::kFused:
      note_kernel(binding, visit);
      break;
    case Binding::Form::kLiftedIf:
    case Binding::Form::kSteps:
      VC_CHECK(false);  // choose_masks() has replaced it
      break;
  }
  for (Var v : binding.results) hold(v);
}

/// All steps of a kernel run, but only its results are visible after it.
void Shapes::note_kernel(const Binding& binding, const Visit& visit) {
  const Block& steps = binding.blocks[0];
  const auto learn_all = [&](Var v, const Shape known) {
    shape(v);
    for (Quantity Shape::*part : kShapeParts)
      if (part != &Shape::identity && known.*part != 0) learn(shape(v).*part, known.*part);
  };
  for (std::size_t k = 0; k < binding.state.size(); ++k) learn_all(binding.state[k], shape(binding.operands[k]));
  for (const Binding& step : steps.bindings) {
    if (visit) visit(step);
    if (step.form == Binding::Form::kConst)
      note_constant(step.results[0], program_.constants[step.target]);
    else
      note_operation(step);
  }
  for (std::size_t k = 0; k < binding.results.size(); ++k) learn_all(binding.results[k], shape(steps.results[k]));
}

/// Facts about a result that hold in both branches hold after the IF.
void Shapes::note_if(const Binding& binding, const Branch& first, const Branch& second) {
  VC_CHECK(binding.form == Binding::Form::kIf);
  VC_CHECK(first.results.size() == binding.results.size() && second.results.size() == binding.results.size());
  // In stack code the condition may have several elements, of which the first decides.
  if (program_.lengths_agree) unite(shape(binding.operands[0]).elements, kOne);
  if (!first.returns && !second.returns) stopped_ = true;
  std::map<std::pair<Quantity, Quantity>, Quantity> joined;
  for (std::size_t k = 0; k < binding.results.size(); ++k) {
    shape(binding.results[k]);
    for (Quantity Shape::*part : kShapeParts) {
      const Quantity a = (first.returns ? first : second).results[k].*part;
      const Quantity b = (second.returns ? second : first).results[k].*part;
      if (a == 0 || b == 0) continue;
      Quantity both = find(a);
      if (both != find(b)) {
        if (part == &Shape::identity) continue;
        auto [it, is_new] = joined.try_emplace({find(a), find(b)}, 0);
        if (is_new) it->second = fresh();
        both = it->second;
      }
      learn(shape(binding.results[k]).*part, both);
    }
    hold(binding.results[k]);
  }
}

void Shapes::note_constant(Var v, const Constant& value) {
  const Quantity size = constant(static_cast<std::int64_t>(value.size()));
  std::int64_t sum = std::accumulate(value.bools.begin(), value.bools.end(), std::int64_t{0});
  bool counts = true;
  for (std::int64_t i : value.ints) counts = counts && i >= 0 && !__builtin_add_overflow(sum, i, &sum);
  Shape& s = shape(v);
  if (value.type == Suffix::kSegdes) {
    learn(s.segments, size);
    learn(s.elements, constant(sum));
    return;
  }
  learn(s.elements, size);
  if (counts && value.floats.empty()) learn(s.total, constant(sum));
}

/// Equal letters of a signature mean equal lengths: for the operands, after the operation has run.
void Shapes::note_operation(const Binding& binding) {
  const Signature& signature = info(binding.op).signature;
  std::array<Quantity, kMaxLengthVars + 1> letters{kOne};
  // System operations use the first element of operands such as stream numbers, which may be longer in stack code.
  const bool teaches = info(binding.op).op_class != OpClass::kSystem || program_.lengths_agree;
  for (std::size_t k = 0; k < binding.operands.size() && teaches; ++k) {
    const Role& role = signature.operands[k];
    if (role.type == RoleType::kAnything) continue;
    const Shape s = shape(binding.operands[k]);
    learn(letters[role.length], s.elements);
    if (role.type == RoleType::kSegdes) learn(letters[role.segments], s.segments);
  }
  if (binding.results.empty()) return;
  for (std::size_t k = 0; k < binding.results.size(); ++k) {
    const Role& role = signature.results[k];
    if (binding.results[k] >= shapes_.size()) shapes_.resize(function_.values.size());
    Shape& s = shapes_[binding.results[k]];
    const bool is_descriptor = function_.values[binding.results[k]].kind == Kind::kSegdes;
    auto take = [&](Quantity& part, LengthVar letter, bool is_one) {
      if (letters[letter] == 0) letters[letter] = is_one ? kOne : fresh();
      learn(part, letters[letter]);
      if (is_one) unite(part, kOne);
    };
    const bool scalar = function_.values[binding.results[k]].scalar;
    take(s.elements, role.length, scalar && !is_descriptor);
    if (!is_descriptor) continue;
    if (role.type == RoleType::kSegdes)
      take(s.segments, role.segments, scalar);
    else if (s.segments == 0)  // the signature of READ SEGDES and FREAD SEGDES has only one length
      s.segments = scalar ? kOne : fresh();
  }
  note_counts(binding);
}

/// Notes facts about the numbers in results of operations that count or depend on counts.
void Shapes::note_counts(const Binding& binding) {
  auto operand = [&](std::size_t k) { return binding.operands[k]; };
  const Var result = binding.results[0];
  // Shapes are looked up one at a time, since making a new one moves the others.
  auto set = [&](Var v, Quantity Shape::*part, Quantity q) { learn(shape(v).*part, q); };
  switch (binding.op) {
    case Op::kLength:
    case Op::kElements:
      set(result, &Shape::total, shape(operand(0)).elements);
      break;
    case Op::kLengths:
      set(result, &Shape::total, shape(operand(0)).elements);
      if (!is_single(result)) set(result, &Shape::content, content(operand(0)));
      break;
    case Op::kMakeSegdes:
      set(result, &Shape::elements, total(operand(0)));
      if (!is_single(result)) set(result, &Shape::content, content(operand(0)));
      break;
    case Op::kBoolToInt:
      set(result, &Shape::total, total(operand(0)));
      if (!is_single(result)) set(result, &Shape::content, content(operand(0)));
      break;
    case Op::kSumReduce:
      if (shape(operand(0)).total == 0) break;
      set(result, &Shape::total, shape(operand(0)).total);
      if (!is_single(result)) set(result, &Shape::content, derived(kSums, content(operand(0)), content(operand(1))));
      break;
    case Op::kNot:
      if (binding.suffix == Suffix::kBool)
        set(result, &Shape::total, derived(kRest, shape(operand(0)).elements, total(operand(0))));
      break;
    case Op::kSubtract:
      if (binding.suffix != Suffix::kInt || !is_single(operand(0)) || !is_single(operand(1))) break;
      if (shape(operand(0)).total != 0 && shape(operand(1)).total != 0)
        set(result, &Shape::total, derived(kRest, shape(operand(0)).total, shape(operand(1)).total));
      break;
    case Op::kEqual:
      if (binding.suffix == Suffix::kInt) compared_[result] = {operand(0), operand(1)};
      break;
    case Op::kAssert:
    case Op::kRequire:
      if (const auto known = compared_.find(binding.operands.back()); known != compared_.end()) {
        const auto [x, y] = known->second;
        const bool single = is_single(x) && is_single(y);
        const Quantity of_x = single ? total(x) : content(x);
        unite(of_x, single ? total(y) : content(y));
      }
      break;
    case Op::kPermute:
      if (const Quantity sum = shape(operand(0)).total) set(result, &Shape::total, sum);
      break;
    case Op::kPack:
      set(result, &Shape::elements, total(operand(1)));
      if (!is_single(binding.results[1]))
        set(binding.results[1], &Shape::content, derived(kSums, content(operand(1)), content(operand(2))));
      break;
    case Op::kDist:
      if (function_.values[result].kind != Kind::kInt || !is_single(operand(0))) break;
      if (value(operand(0)) == 0 || value(operand(0)) == 1)
        set(result, &Shape::total, value(operand(0)) == 0 ? constant(0) : shape(result).elements);
      if (const Quantity each = shape(operand(0)).total; each != 0 && !is_single(result))
        set(result, &Shape::content, derived(kUniform, each, shape(result).elements));
      break;
    default:
      break;
  }
}

// --- patterns ---------------------------------------------------------------------------------------------------

ShapePattern Shapes::pattern(const std::vector<Var>& values) {
  using What = ShapePattern::Entry::What;
  ShapePattern result;
  for (Var v : values) {
    identity(v);
    Shape s = shape(v);
    s.content = known_content(v);
    for (Quantity Shape::*part : kShapeParts) {
      ShapePattern::Entry& entry = result.entries.emplace_back();
      const Quantity q = find(s.*part);
      if (q == 0) continue;
      if (nodes_[q].number >= 0)
        entry = {What::kNumber, nodes_[q].number};
      else
        entry = {What::kGroup, q};
    }
  }
  number_groups(result);
  return result;
}

void Shapes::apply(const ShapePattern& pattern, const std::vector<Var>& values) {
  VC_CHECK(pattern.entries.size() == values.size() * kShapeParts.size());
  using What = ShapePattern::Entry::What;
  std::vector<Quantity> groups;
  std::size_t next = 0;
  for (Var v : values)
    for (Quantity Shape::*part : kShapeParts) {
      const ShapePattern::Entry& entry = pattern.entries[next++];
      if (entry.what == What::kNothing) continue;
      shape(v);
      if (entry.what == What::kNumber) {
        const Quantity number = part == &Shape::identity ? constant_identity(entry.number) : constant(entry.number);
        learn(shape(v).*part, number);
        continue;
      }
      const auto group = static_cast<std::size_t>(entry.number);
      if (group >= groups.size()) groups.resize(group + 1);
      if (groups[group] == 0) {
        if (shape(v).*part == 0)
          shape(v).*part = part == &Shape::content ? content(v) : part == &Shape::identity ? identity(v) : fresh();
        groups[group] = shape(v).*part;
      } else {
        learn(shape(v).*part, groups[group]);
      }
    }
}

}  // namespace vcode::letform
