// Operations on whole values of any type: append, merge, scatter, select.
#include "whole_values.h"

#include <array>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "levels/fetch.h"
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

ValuePtr WholeValues::append(std::span<const ValuePtr> parts) {
  const std::size_t n = parts.size();
  if (n == 1) return levels_.lift_here(parts[0]);
  // At most one part of a tree is of even size, so that at most one APPEND joins only two.
  const std::size_t first = n == 2 ? 1 : n / 3 | 1, second = n == 2 ? 1 : (n - first) / 2 | 1;
  std::vector<ValuePtr> groups{append(parts.first(first)), append(parts.subspan(first, second))};
  if (n > 2) groups.push_back(append(parts.subspan(first + second)));
  std::vector<Var> segments, lengths;
  for (ValuePtr& group : groups) {
    segments.push_back(group->var);
    lengths.push_back(emit().op(Op::kLengths, Suffix::kNone, {group->var}));
    group = group->parts[0];
  }
  const Var all = emit().op(Op::kMakeSegdes, Suffix::kNone, {sum_of(lengths)});
  return sequence_value(all, append_elements(groups, segments, all), levels_.depth());
}

Var WholeValues::over_elements(Var segments) {
  return emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().op(Op::kElements, Suffix::kNone, {segments})});
}

Var WholeValues::sum_of(const std::vector<Var>& numbers) {
  return std::accumulate(numbers.begin() + 1, numbers.end(), numbers[0], [&](Var a, Var b) {
    return emit().op(Op::kAdd, Suffix::kInt, {a, b});
  });
}

ValuePtr WholeValues::append_elements(const std::vector<ValuePtr>& parts, const std::vector<Var>& segments, Var all) {
  const auto append_entries = [&](std::vector<Var> operands) {
    const Suffix suffix = suffix_of(emit().kind(operands[0]));
    operands.insert(operands.end(), segments.begin(), segments.end());
    operands.push_back(all);
    return emit().op(parts.size() == 2 ? Op::kAppend : Op::kAppend3, suffix, std::move(operands));
  };
  const auto vars = [&] {
    std::vector<Var> of_parts;
    for (const ValuePtr& part : parts) of_parts.push_back(part->var);
    return of_parts;
  };
  const auto append_inner = [&](std::size_t i, const std::vector<Var>& inner, Var all_inner) {
    std::vector<ValuePtr> of_parts;
    for (const ValuePtr& part : parts) of_parts.push_back(part->parts[i]);
    return append_elements(of_parts, inner, all_inner);
  };
  switch (parts[0]->kind) {
    case FlatValue::Kind::kScalar:
      return scalar_value(append_entries(vars()), 0);
    case FlatValue::Kind::kPair: {
      ValuePtr first = append_inner(0, segments, all);
      return pair_value(first, append_inner(1, segments, all));
    }
    case FlatValue::Kind::kFunction: {
      for (const ValuePtr& part : parts) context_.require_same_code(*parts[0], *part);
      auto copy = std::make_shared<FlatValue>(*parts[0]);
      for (std::size_t i = 0; i < copy->parts.size(); ++i) copy->parts[i] = append_inner(i, segments, all);
      return copy;
    }
    case FlatValue::Kind::kSlice: {  // slices of one sequence
      std::vector<Var> starts;
      for (const ValuePtr& part : parts) starts.push_back(part->starts);
      const Var lengths = append_entries(vars());
      return slice_value(lengths, append_entries(starts), parts[0]->parts[0], 0);
    }
    case FlatValue::Kind::kSequence:
      break;
  }
  const auto descriptor = [&](Var of) { return emit().op(Op::kMakeSegdes, Suffix::kNone, {of}); };
  // The elements of all subsequences of an instance form one segment.
  std::vector<Var> lengths, totals, inner;
  for (const Var of : vars()) lengths.push_back(emit().op(Op::kLengths, Suffix::kNone, {of}));
  const Var result = descriptor(append_entries(lengths));
  for (std::size_t p = 0; p < parts.size(); ++p)
    totals.push_back(emit().op(Op::kSumReduce, Suffix::kInt, {lengths[p], segments[p]}));
  for (const Var total : totals) inner.push_back(descriptor(total));
  return sequence_value(result, append_inner(0, inner, descriptor(sum_of(totals))), 0);
}

ValuePtr WholeValues::merge(Var flags, const ValuePtr& a, const ValuePtr& b) {
  const auto merge_entries = [&](Var of_a, Var of_b) {
    return emit().op(Op::kMerge, suffix_of(emit().kind(of_a)), {flags, of_a, of_b});
  };
  return with_level(merge_parts(flags, a, b, merge_entries, nullptr), levels_.depth());
}

/// Merges values part by part: numbers, and lengths of sequences, by `merge_entries`; elements of sequences by whole
/// segments. `around`: the segments that hold the values; null for one value each.
ValuePtr WholeValues::merge_parts(Var flags, const ValuePtr& a, const ValuePtr& b, const MergeEntries& merge_entries,
                                  const MergedSegments* around) {
  const auto descriptor = [&](Var lengths) { return emit().op(Op::kMakeSegdes, Suffix::kNone, {lengths}); };
  const auto part = [&](std::size_t k) { return merge_parts(flags, a->parts[k], b->parts[k], merge_entries, around); };
  switch (a->kind) {
    case FlatValue::Kind::kScalar:
      return scalar_value(merge_entries(a->var, b->var), 0);
    case FlatValue::Kind::kPair: {
      ValuePtr first = part(0);
      return pair_value(first, part(1));
    }
    case FlatValue::Kind::kFunction: {
      context_.require_same_code(*a, *b);
      auto copy = std::make_shared<FlatValue>(*a);
      for (std::size_t k = 0; k < copy->parts.size(); ++k) copy->parts[k] = part(k);
      return copy;
    }
    case FlatValue::Kind::kSlice: {  // slices of one sequence
      const Var lengths = merge_entries(a->var, b->var);
      return slice_value(lengths, merge_entries(a->starts, b->starts), a->parts[0], 0);
    }
    case FlatValue::Kind::kSequence:
      break;
  }
  const Var a_lengths = emit().op(Op::kLengths, Suffix::kNone, {a->var});
  const Var b_lengths = emit().op(Op::kLengths, Suffix::kNone, {b->var});
  const Var merged = descriptor(merge_entries(a_lengths, b_lengths));
  MergedSegments inner{a->var, b->var, merged};
  if (around != nullptr) {  // the elements of all sequences of a segment form one segment
    const auto total = [&](Var lengths, Var segments) {
      return descriptor(emit().op(Op::kSumReduce, Suffix::kInt, {lengths, segments}));
    };
    inner = {total(a_lengths, around->a), total(b_lengths, around->b),
             total(emit().op(Op::kLengths, Suffix::kNone, {merged}), around->merged)};
  }
  const auto merge_segments = [&](Var of_a, Var of_b) {
    return emit().op(Op::kMergeSegments, suffix_of(emit().kind(of_a)),
                     {flags, of_a, of_b, inner.a, inner.b, inner.merged});
  };
  return sequence_value(merged, merge_parts(flags, a->parts[0], b->parts[0], merge_segments, &inner), 0);
}

Var WholeValues::numbers_of(Var flags) {
  const Var all = levels_.single(levels_.depth());
  const Var numbers = emit().op(Op::kIndex, Suffix::kNone, {emit().integer(0), emit().integer(1), all});
  return emit().op_all(Op::kPack, Suffix::kInt, {numbers, flags, all})[0];
}

ValuePtr WholeValues::scatter(const ValuePtr& value, Var targets, Var target_single) {
  const Var length = emit().op(Op::kLength, Suffix::kInt, {targets});
  const Var some = emit().op(Op::kMakeSegdes, Suffix::kNone, {length});
  const auto scatter_entries = [&](Var entries) {
    const Kind kind = emit().kind(entries);
    return emit().op(Op::kDpermute, suffix_of(kind),
                     {entries, targets, zeros(kind, target_single), some, target_single});
  };
  switch (value->kind) {
    case FlatValue::Kind::kScalar:
      return scalar_value(scatter_entries(value->var), 0);
    case FlatValue::Kind::kPair: {
      ValuePtr first = scatter(value->parts[0], targets, target_single);
      return pair_value(first, scatter(value->parts[1], targets, target_single));
    }
    case FlatValue::Kind::kFunction: {
      auto copy = std::make_shared<FlatValue>(*value);
      for (ValuePtr& part : copy->parts) part = scatter(part, targets, target_single);
      return copy;
    }
    case FlatValue::Kind::kSlice: {
      const Var lengths = scatter_entries(value->var);
      return slice_value(lengths, scatter_entries(value->starts), value->parts[0], 0);
    }
    case FlatValue::Kind::kSequence:
      break;
  }
  // The sequences stay in order, and the others are empty: the elements stay where they are.
  const Var lengths = scatter_entries(emit().op(Op::kLengths, Suffix::kNone, {value->var}));
  return sequence_value(emit().op(Op::kMakeSegdes, Suffix::kNone, {lengths}), value->parts[0], 0);
}

Var WholeValues::put_entries(Var old, Var values, const Places& places) {
  const Suffix suffix = suffix_of(emit().kind(old));
  if (places.flags == letform::kNoVar)
    return emit().op(Op::kDpermute, suffix, {values, places.index, old, places.from, places.to}, places.location);
  return emit().op(Op::kDfpermute, suffix, {values, places.index, places.flags, old, places.from, places.to},
                   places.location);
}

ValuePtr WholeValues::put(const ValuePtr& old, const ValuePtr& values, const Places& places) {
  switch (old->kind) {
    case FlatValue::Kind::kScalar:
      return scalar_value(put_entries(old->var, values->var, places), 0);
    case FlatValue::Kind::kPair: {
      ValuePtr first = put(old->parts[0], values->parts[0], places);
      return pair_value(first, put(old->parts[1], values->parts[1], places));
    }
    case FlatValue::Kind::kFunction: {
      context_.require_same_code(*old, *values);
      auto copy = std::make_shared<FlatValue>(*old);
      for (std::size_t k = 0; k < copy->parts.size(); ++k)
        copy->parts[k] = put(old->parts[k], values->parts[k], places);
      return copy;
    }
    case FlatValue::Kind::kSequence:
      return put_sequences(old, values, places);
    case FlatValue::Kind::kSlice:
      break;
  }
  VC_CHECK(false);  // lower() has copied it
  return nullptr;
}

/// If each sequence is as long as the one that it replaces, only the elements of new sequences are moved, in place if
/// the old value is not used again. Otherwise all elements are gathered.
ValuePtr WholeValues::put_sequences(const ValuePtr& old, const ValuePtr& values, const Places& places) {
  if (places.flags != letform::kNoVar) return put_by_gather(old, values, places);
  const auto at_places = [&](Op op) {
    const Var entries = emit().op(op, Suffix::kNone, {old->var});
    return emit().op(Op::kBpermute, Suffix::kInt, {entries, places.index, places.to, places.from}, places.location);
  };
  const Var lengths = emit().op(Op::kLengths, Suffix::kNone, {values->var});
  const Var equal = emit().op(Op::kEqual, Suffix::kInt, {at_places(Op::kLengths), lengths});
  const Var all_equal = emit().op(Op::kAndReduce, Suffix::kBool, {equal, over_elements(places.from)});
  return levels_.conditional(
      all_equal, [&] { return put_equally_long(old, values, at_places(Op::kOffsets)); },
      [&](const ValuePtr&) { return put_by_gather(old, values, places); });
}

/// `starts`: where the elements of the replaced sequences begin.
ValuePtr WholeValues::put_equally_long(const ValuePtr& old, const ValuePtr& values, Var starts) {
  return levels_.at_level(0, [&] {
    const Var count = emit().op(Op::kLength, Suffix::kInt, {starts});
    const Var each = emit().op(Op::kMakeSegdes, Suffix::kNone, {count});
    const Var ones = emit().op(Op::kDist, Suffix::kInt, {emit().integer(1), each});
    const Var index = emit().op(Op::kIndex, Suffix::kNone, {starts, ones, values->var});
    const Places inner{index, letform::kNoVar, over_elements(values->var), over_elements(old->var)};
    return sequence_value(old->var, put(old->parts[0], values->parts[0], inner), 0);
  });
}

/// Permutes element numbers instead of elements: first the numbers of the old ones, then those of the values.
ValuePtr WholeValues::put_by_gather(const ValuePtr& old, const ValuePtr& values, const Places& places) {
  const Var from = places.from, to = places.to, one = levels_.spread(1);
  const ValuePtr both =
      append(std::array{sequence_value(to, old, levels_.depth()), sequence_value(from, values, levels_.depth())});
  const Var old_numbers = emit().op(Op::kIndex, Suffix::kNone, {levels_.spread(0), one, to});
  const Var lengths = emit().op(Op::kLengths, Suffix::kNone, {to});
  const Var new_numbers = emit().op(Op::kIndex, Suffix::kNone, {lengths, one, from});
  const Var choice = put_entries(old_numbers, new_numbers, places);
  return fetch(emit(), both->parts[0], {Op::kBpermute, choice, both->var, to});
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
    case Type::Kind::kChar:
      return scalar_value(leaf(Kind::kByte), level_number);
    case Type::Kind::kInt:
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
  c.type = Suffix::kByte;
  c.bracketed = true;
  for (char ch : text) c.ints.push_back(static_cast<unsigned char>(ch));
  return emit().constant(std::move(c));
}

ValuePtr WholeValues::string_value(const std::string& text) {
  Var length = emit().integer(static_cast<std::int64_t>(text.size()));
  return sequence_value(emit().op(Op::kMakeSegdes, Suffix::kNone, {length}), scalar_value(characters(text), 0), 0);
}

}  // namespace nesl
