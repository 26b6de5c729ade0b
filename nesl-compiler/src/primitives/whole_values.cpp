// Operations on whole values of any type: append, merge, scatter, select.
#include "whole_values.h"

#include "base/check.h"
#include "type_match.h"

namespace nesl {

ValuePtr WholeValues::parameter_of(Type* type, const std::string& name) {
  std::vector<Kind> kinds;
  const ValuePtr form = form_of(type, 0, kinds);
  return rebuild(
      form, [&](Var number) { return emit().parameter(kinds[number], name); }, [](int l) { return l; });
}

Var WholeValues::zeros(Kind kind, Var descriptor) {
  return emit().op(Op::kDist, suffix_of(kind), {zero(kind), descriptor});
}

Var WholeValues::zero(Kind kind) {
  vcode::Constant c;
  c.type = suffix_of(kind);
  if (kind == Kind::kBool)
    c.bools = {0};
  else if (kind == Kind::kFloat)
    c.floats = {0.0};
  else
    c.ints = {0};
  return emit().constant(std::move(c));
}

ValuePtr WholeValues::append(const ValuePtr& a, const ValuePtr& b) {
  Var a_lengths = emit().op(Op::kLengths, Suffix::kNone, {a->var});
  Var b_lengths = emit().op(Op::kLengths, Suffix::kNone, {b->var});
  Var segments = emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().op(Op::kAdd, Suffix::kInt, {a_lengths, b_lengths})});
  return sequence_value(segments, append_elements(a->parts[0], a->var, b->parts[0], b->var, segments), levels_.depth());
}

ValuePtr WholeValues::append_elements(const ValuePtr& a, Var a_segments, const ValuePtr& b, Var b_segments,
                                      Var segments) {
  auto append_entries = [&](Var a_entries, Var b_entries) {
    Suffix suffix = suffix_of(emit().kind(a_entries));
    Var length = emit().op(Op::kAdd, Suffix::kInt,
                           {emit().op(Op::kLength, suffix, {a_entries}), emit().op(Op::kLength, suffix, {b_entries})});
    Var total = levels_.depth() == 0 ? segments : emit().op(Op::kMakeSegdes, Suffix::kNone, {length});
    Var a_targets = emit().op(Op::kIndex, Suffix::kNone, {levels_.spread(0), levels_.spread(1), a_segments});
    Var a_lengths = emit().op(Op::kLengths, Suffix::kNone, {a_segments});
    Var b_targets = emit().op(Op::kIndex, Suffix::kNone, {a_lengths, levels_.spread(1), b_segments});
    Var base = zeros(emit().kind(a_entries), total);
    Var half = emit().op(Op::kDpermute, suffix, {a_entries, a_targets, base, a_segments, segments});
    return emit().op(Op::kDpermute, suffix, {b_entries, b_targets, half, b_segments, segments});
  };
  switch (a->kind) {
    case FlatValue::Kind::kScalar:
      return scalar_value(append_entries(a->var, b->var), 0);
    case FlatValue::Kind::kPair:
      return pair_value(append_elements(a->parts[0], a_segments, b->parts[0], b_segments, segments),
                        append_elements(a->parts[1], a_segments, b->parts[1], b_segments, segments));
    case FlatValue::Kind::kFunction: {
      context_.require_same_code(*a, *b);
      auto copy = std::make_shared<FlatValue>(*a);
      for (std::size_t i = 0; i < copy->parts.size(); ++i)
        copy->parts[i] = append_elements(a->parts[i], a_segments, b->parts[i], b_segments, segments);
      return copy;
    }
    case FlatValue::Kind::kSequence:
    case FlatValue::Kind::kSlice:  // lower() has copied it
      break;
  }
  Var a_lengths = emit().op(Op::kLengths, Suffix::kNone, {a->var});
  Var b_lengths = emit().op(Op::kLengths, Suffix::kNone, {b->var});
  Var inner = emit().op(Op::kMakeSegdes, Suffix::kNone, {append_entries(a_lengths, b_lengths)});
  // The elements of all subsequences of an instance form one segment.
  Var a_totals = emit().op(Op::kSumReduce, Suffix::kInt, {a_lengths, a_segments});
  Var b_totals = emit().op(Op::kSumReduce, Suffix::kInt, {b_lengths, b_segments});
  Var totals = emit().op(Op::kAdd, Suffix::kInt, {a_totals, b_totals});
  auto descriptor = [&](Var lengths) { return emit().op(Op::kMakeSegdes, Suffix::kNone, {lengths}); };
  return sequence_value(
      inner, append_elements(a->parts[0], descriptor(a_totals), b->parts[0], descriptor(b_totals), descriptor(totals)),
      0);
}

ValuePtr WholeValues::merge(Var flags, const ValuePtr& a, const ValuePtr& b) {
  const Var not_flags = emit().op(Op::kNot, Suffix::kBool, {flags});
  const std::vector<Var> targets = {numbers_of(flags), numbers_of(not_flags)};
  return with_level(scatter({a, b}, targets, levels_.single(levels_.depth())), levels_.depth());
}

Var WholeValues::numbers_of(Var flags) {
  const Var all = levels_.single(levels_.depth());
  const Var numbers = emit().op(Op::kIndex, Suffix::kNone, {emit().integer(0), emit().integer(1), all});
  return emit().op_all(Op::kPack, Suffix::kInt, {numbers, flags, all})[0];
}

ValuePtr WholeValues::scatter(const std::vector<ValuePtr>& values, const std::vector<Var>& targets, Var target_single) {
  auto descriptor = [&](Var entries) {
    Var length = emit().op(Op::kLength, suffix_of(emit().kind(entries)), {entries});
    return emit().op(Op::kMakeSegdes, Suffix::kNone, {length});
  };
  auto scatter_entries = [&](const std::function<Var(const FlatValue&)>& entries) {
    Var result = letform::kNoVar;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Var some = entries(*values[k]);
      const Kind kind = emit().kind(some);
      if (k == 0) result = zeros(kind, target_single);
      result =
          emit().op(Op::kDpermute, suffix_of(kind), {some, targets[k], result, descriptor(targets[k]), target_single});
    }
    return result;
  };
  auto scatter_part = [&](std::size_t number) {
    std::vector<ValuePtr> parts;
    for (const ValuePtr& value : values) parts.push_back(value->parts[number]);
    return scatter(parts, targets, target_single);
  };
  switch (values[0]->kind) {
    case FlatValue::Kind::kScalar:
      return scalar_value(scatter_entries([](const FlatValue& value) { return value.var; }), 0);
    case FlatValue::Kind::kPair: {
      ValuePtr first = scatter_part(0);
      return pair_value(first, scatter_part(1));
    }
    case FlatValue::Kind::kFunction: {
      auto copy = std::make_shared<FlatValue>(*values[0]);
      for (const ValuePtr& value : values) context_.require_same_code(*copy, *value);
      for (std::size_t i = 0; i < copy->parts.size(); ++i) copy->parts[i] = scatter_part(i);
      return copy;
    }
    case FlatValue::Kind::kSlice: {  // slices of one sequence
      const Var lengths = scatter_entries([](const FlatValue& value) { return value.var; });
      const Var starts = scatter_entries([](const FlatValue& value) { return value.starts; });
      return slice_value(lengths, starts, values[0]->parts[0], 0);
    }
    case FlatValue::Kind::kSequence:
      break;
  }
  const Var lengths =
      scatter_entries([&](const FlatValue& value) { return emit().op(Op::kLengths, Suffix::kNone, {value.var}); });
  const Var segments = emit().op(Op::kMakeSegdes, Suffix::kNone, {lengths});
  const Var offsets = emit().op(Op::kSumScan, Suffix::kInt, {lengths, target_single});
  std::vector<Var> inner_targets;
  std::vector<ValuePtr> elements;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Var some = descriptor(targets[k]);
    const Var starts = emit().op(Op::kBpermute, Suffix::kInt, {offsets, targets[k], target_single, some});
    const Var ones = emit().op(Op::kDist, Suffix::kInt, {emit().integer(1), some});
    inner_targets.push_back(emit().op(Op::kIndex, Suffix::kNone, {starts, ones, values[k]->var}));
    elements.push_back(values[k]->parts[0]);
  }
  const Var total =
      emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().op(Op::kSumReduce, Suffix::kInt, {lengths, target_single})});
  return sequence_value(segments, scatter(elements, inner_targets, total), 0);
}

bool WholeValues::holds_sequence(const FlatValue& value) {
  if (value.kind == FlatValue::Kind::kSequence) return true;
  for (const auto& part : value.parts)
    if (holds_sequence(*part)) return true;
  return false;
}

ValuePtr WholeValues::select(Var flags, const ValuePtr& a, const ValuePtr& b) {
  if (holds_sequence(*a)) {
    const Var all = levels_.single(levels_.depth());
    levels_.push_subset(flags, all, letform::kNoVar, true);
    ValuePtr some = levels_.lift_here(a);
    levels_.pop_level();
    levels_.push_subset(emit().op(Op::kNot, Suffix::kBool, {flags}), all, letform::kNoVar, true);
    ValuePtr others = levels_.lift_here(b);
    levels_.pop_level();
    return merge(flags, some, others);
  }
  if (a->kind == FlatValue::Kind::kScalar)
    return scalar_value(emit().op(Op::kSelect, suffix_of(emit().kind(a->var)), {flags, a->var, b->var}),
                        levels_.depth());
  if (a->kind == FlatValue::Kind::kFunction) context_.require_same_code(*a, *b);
  auto copy = std::make_shared<FlatValue>(*a);
  for (std::size_t i = 0; i < copy->parts.size(); ++i) copy->parts[i] = select(flags, a->parts[i], b->parts[i]);
  return copy;
}

ValuePtr WholeValues::overlay(const ValuePtr& base, Var flags, const ValuePtr& b) {
  VC_CHECK(base->kind == FlatValue::Kind::kScalar || base->kind == FlatValue::Kind::kPair);
  if (base->kind == FlatValue::Kind::kPair)
    return pair_value(overlay(base->parts[0], flags, b->parts[0]), overlay(base->parts[1], flags, b->parts[1]));
  const Var all = levels_.single(levels_.depth());
  const Suffix suffix = suffix_of(emit().kind(base->var));
  Var numbers = emit().op(Op::kIndex, Suffix::kNone, {emit().integer(0), emit().integer(1), all});
  auto targets = emit().op_all(Op::kPack, Suffix::kInt, {numbers, flags, all});
  return scalar_value(emit().op(Op::kDpermute, suffix, {b->var, targets[0], base->var, targets[1], all}),
                      levels_.depth());
}

ValuePtr WholeValues::empty_like(const ValuePtr& value, int result_level) {
  auto empty = [&](Var like) {
    const Kind kind = emit().kind(like);
    vcode::Constant c;
    c.bracketed = true;
    if (kind != Kind::kSegdes) {
      c.type = suffix_of(kind);
      return emit().constant(std::move(c));
    }
    return emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().constant(std::move(c))});
  };
  if (result_level > 0) return rebuild(value, empty, [&](int) { return result_level; });
  switch (value->kind) {
    case FlatValue::Kind::kScalar:
      return scalar_value(zero(emit().kind(value->var)), 0);
    case FlatValue::Kind::kSequence:
      return sequence_value(emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().integer(0)}),
                            rebuild(value->parts[0], empty, [](int) { return 0; }), 0);
    case FlatValue::Kind::kSlice:  // lower_lazily() has copied it
    case FlatValue::Kind::kPair:
    case FlatValue::Kind::kFunction:
      break;
  }
  auto copy = std::make_shared<FlatValue>(*value);
  for (auto& part : copy->parts) part = empty_like(part, 0);
  return copy;
}

ValuePtr WholeValues::form_of(Type* type, int level_number, std::vector<Kind>& kinds) {
  type = resolve(type);
  auto leaf = [&](Kind kind) {
    kinds.push_back(kind);
    return static_cast<Var>(kinds.size() - 1);
  };
  switch (type->kind) {
    case Type::Kind::kInt:
    case Type::Kind::kChar:
    case Type::Kind::kVariable:  // any type would do; INT has one leaf
      return scalar_value(leaf(Kind::kInt), level_number);
    case Type::Kind::kFloat:
      return scalar_value(leaf(Kind::kFloat), level_number);
    case Type::Kind::kBool:
      return scalar_value(leaf(Kind::kBool), level_number);
    case Type::Kind::kSequence: {
      Var descriptor = leaf(Kind::kSegdes);
      return sequence_value(descriptor, form_of(type->arguments[0], 0, kinds), level_number);
    }
    case Type::Kind::kPair: {
      ValuePtr first = form_of(type->arguments[0], level_number, kinds);
      return pair_value(first, form_of(type->arguments[1], level_number, kinds));
    }
    case Type::Kind::kData:
      return form_of(contents(context_.types(), type), level_number, kinds);
    case Type::Kind::kFunction:
      break;
  }
  context_.fail_here("a function value that is not known at compile time");
}

ValuePtr WholeValues::placeholder(Type* type) {
  std::vector<Kind> kinds;
  const ValuePtr form = form_of(type, 0, kinds);
  auto fill_in = [&](auto& self, const FlatValue& value) -> ValuePtr {
    if (value.kind == FlatValue::Kind::kScalar) return scalar_value(zero(kinds[value.var]), 0);
    if (value.kind == FlatValue::Kind::kPair) {
      ValuePtr first = self(self, *value.parts[0]);
      return pair_value(first, self(self, *value.parts[1]));
    }
    auto empty = [&](Var number) {
      vcode::Constant c;
      c.bracketed = true;
      if (kinds[number] != Kind::kSegdes) {
        c.type = suffix_of(kinds[number]);
        return emit().constant(std::move(c));
      }
      return emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().constant(std::move(c))});
    };
    const ValuePtr elements = rebuild(value.parts[0], empty, [](int l) { return l; });
    return sequence_value(emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().integer(0)}), elements, 0);
  };
  return fill_in(fill_in, *form);
}

Var WholeValues::characters(const std::string& text) {
  vcode::Constant c;
  c.type = Suffix::kChar;
  c.bracketed = true;
  for (char ch : text) c.ints.push_back(static_cast<unsigned char>(ch));
  return emit().constant(std::move(c));
}

ValuePtr WholeValues::string_value(const std::string& text) {
  Var length = emit().integer(static_cast<std::int64_t>(text.size()));
  return sequence_value(emit().op(Op::kMakeSegdes, Suffix::kNone, {length}), scalar_value(characters(text), 0), 0);
}

}  // namespace nesl
