// Indexing, and slices: sequences that lie inside a nested sequence and are used without a copy.
#include "base/check.h"
#include "flattener.h"

namespace nesl {

ValuePtr Flattener::fetch_lazily(const ValuePtr& elements, const Fetch& how) {
  VC_CHECK(how.op == Op::kExtract || how.op == Op::kBpermute);
  auto fetch_entries = [&](Var entries) {
    Suffix suffix = suffix_of(emit().kind(entries));
    if (how.flags != letform::kNoVar)
      return emit().op_where(how.flags, letform::kNoVar, how.op, suffix, {entries, how.index, how.source, how.target},
                             how.location);
    if (how.op == Op::kExtract) return emit().op(Op::kExtract, suffix, {entries, how.index, how.source}, how.location);
    return emit().op(Op::kBpermute, suffix, {entries, how.index, how.source, how.target}, how.location);
  };
  switch (elements->kind) {
    case FlatValue::Kind::kScalar:
      return scalar_value(fetch_entries(elements->var), 0);
    case FlatValue::Kind::kPair: {
      ValuePtr first = fetch_lazily(elements->parts[0], how);
      return pair_value(first, fetch_lazily(elements->parts[1], how));
    }
    case FlatValue::Kind::kFunction: {
      auto copy = std::make_shared<FlatValue>(*elements);
      for (auto& part : copy->parts) part = fetch(part, how);
      return copy;
    }
    case FlatValue::Kind::kSequence:
    case FlatValue::Kind::kSlice:  // never an element
      break;
  }
  Var lengths = emit().op(Op::kLengths, Suffix::kNone, {elements->var});
  Var offsets = emit().outside_trial([&] {
    return emit().op(Op::kSumScan, Suffix::kInt, {lengths, single_over(*elements)});
  });
  Var new_lengths = fetch_entries(lengths);
  return slice_value(new_lengths, fetch_entries(offsets), elements->parts[0], 0);
}

ValuePtr Flattener::fetch(const ValuePtr& elements, const Fetch& how) {
  return copied(fetch_lazily(elements, how), how.target_single);
}

ValuePtr Flattener::gather(const ValuePtr& elements, Var index, Var source_single, Var target_single) {
  return fetch(elements, {Op::kBpermute, index, source_single, target_single, nullptr, target_single});
}

ValuePtr Flattener::copied(const ValuePtr& value, Var instances) {
  if (!has_slice(*value)) return value;
  if (value->kind == FlatValue::Kind::kPair) {
    ValuePtr first = copied(value->parts[0], instances);
    return pair_value(first, copied(value->parts[1], instances));
  }
  const ValuePtr& elements = value->parts[0];
  if (instances == letform::kNoVar) instances = single(value->level);
  Var segments = emit().op(Op::kMakeSegdes, Suffix::kNone, {value->var});
  Var ones = emit().op(Op::kDist, Suffix::kInt, {emit().integer(1), instances});
  Var targets = emit().op(Op::kIndex, Suffix::kNone, {value->starts, ones, segments});
  Var total = emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().op(Op::kLength, Suffix::kInt, {targets})});
  return sequence_value(segments, gather(elements, targets, single_over(*elements), total), value->level);
}

ValuePtr Flattener::element(const ValuePtr& sequence, const ValuePtr& index, const char* message) {
  const int here = depth();
  if (sequence->kind == FlatValue::Kind::kSlice && sequence->level == 0 && here > 0)
    return element(copied(sequence), index, message);
  const Var targets = lift_here(index)->var;
  Location where = location(message);
  const Var flags = mask();
  ValuePtr found;
  if (sequence->kind == FlatValue::Kind::kSlice)
    found = element_of_slice(*sequence, targets, where);
  else if (sequence->level == here && flags == letform::kNoVar)
    found =
        fetch_lazily(sequence->parts[0], {Op::kExtract, targets, sequence->var, letform::kNoVar, &where, single(here)});
  else if (sequence->level > 0 && target_.has_asserts() && emit().is_from_index(targets))
    found = element_of_slice(*all_of(*sequence), targets, where);
  else
    found = fetch_lazily(sequence->parts[0], {Op::kBpermute, targets, sequence->var, grouping(sequence->level, here),
                                              &where, single(here), flags});
  return with_level(found, here);
}

ValuePtr Flattener::element_of_slice(const FlatValue& slice, Var index, const Location& where) {
  const int here = depth();
  const Var length = lift_scalar(slice.var, slice.level, here);
  const Var start = lift_scalar(slice.starts, slice.level, here);
  if (target_.has_asserts())
    index = bounded(index, length, where);
  else
    check_indices(index, length, where);
  const ValuePtr& elements = slice.parts[0];
  const Var location = emit().op(Op::kAdd, Suffix::kInt, {start, index});
  const Op op = here == 0 ? Op::kExtract : Op::kBpermute;
  const Var flags = mask();
  return fetch_lazily(elements, {op, location, single_over(*elements), single(here), nullptr, single(here), flags});
}

Var Flattener::bounded(Var indices, Var lengths, const Location& where) {
  if (mask() == letform::kNoVar) return emit().op(Op::kBound, Suffix::kNone, {lengths, indices}, &where);
  const auto choose = [&](Var counted, std::int64_t otherwise) {
    return emit().op(Op::kSelect, Suffix::kInt, {mask(), counted, spread(otherwise)});
  };
  return emit().op_faultless(Op::kBound, Suffix::kNone, {choose(lengths, 1), choose(indices, 0)}, &where);
}

void Flattener::check_indices(Var indices, Var lengths, const Location& where) {
  const int here = depth();
  const Var zero = lift_scalar(emit().integer(0), 0, here);
  const Var not_low = emit().op(Op::kGreaterEqual, Suffix::kInt, {indices, zero});
  const Var not_high = emit().op(Op::kLess, Suffix::kInt, {indices, lengths});
  const Var inside = or_absent(emit().op(Op::kAnd, Suffix::kBool, {not_low, not_high}));
  emit().outside_trial([&] {
    const Var good = here == 0 ? inside : emit().op(Op::kAndReduce, Suffix::kBool, {inside, single(here)});
    auto report = [&] {
      // Provoke the error with EXTRACT from zeros: the first instance at fault gets as many zeros as its sequence has
      // elements, all others get one.
      Var length = lengths, index = indices;
      if (here > 0) {
        const Var wrong = emit().op(Op::kNot, Suffix::kBool, {inside});
        const Var ones = lift_scalar(emit().integer(1), 0, here);
        const Var before = emit().op(Op::kOrScan, Suffix::kBool, {wrong, single(here)});
        const Var first = emit().op(Op::kAnd, Suffix::kBool, {wrong, emit().op(Op::kNot, Suffix::kBool, {before})});
        length = emit().op(Op::kSelect, Suffix::kInt, {first, lengths, ones});
        index = emit().op(Op::kSelect, Suffix::kInt, {first, indices, zero});
      }
      const Var segments = emit().op(Op::kMakeSegdes, Suffix::kNone, {length});
      emit().op(Op::kExtract, Suffix::kInt, {emit().op(Op::kDist, Suffix::kInt, {zero, segments}), index, segments},
                &where);
      return std::vector<Var>{};
    };
    emit().conditional(
        good, [] { return std::vector<Var>{}; }, report);
  });
}

ValuePtr Flattener::get(const ValuePtr& sequence, const ValuePtr& indices, const char* message) {
  ValuePtr targets = lift_here(indices);
  push_elements(targets->var, targets->parts[0].get());
  ValuePtr found = copied(element(sequence, with_level(targets->parts[0], depth()), message));
  pop_level();
  return sequence_value(targets->var, found, depth());
}

ValuePtr Flattener::all_of(const FlatValue& sequence) {
  const Var lengths = emit().op(Op::kLengths, Suffix::kNone, {sequence.var});
  const Var starts = emit().outside_trial([&] {
    return emit().op(Op::kSumScan, Suffix::kInt, {lengths, single(sequence.level)});
  });
  return slice_value(lengths, starts, sequence.parts[0], sequence.level);
}

ValuePtr Flattener::subsequence(const FlatValue& sequence, const ValuePtr& start, const ValuePtr& length) {
  const int here = depth();
  Var begin = sequence.kind == FlatValue::Kind::kSequence ? all_of(sequence)->starts : sequence.starts;
  begin = emit().op(Op::kAdd, Suffix::kInt, {lift_scalar(begin, sequence.level, here), lift_here(start)->var});
  return slice_value(lift_here(length)->var, begin, sequence.parts[0], here);
}

}  // namespace nesl
