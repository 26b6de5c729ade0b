// Fetches from vectors, and copies of slices: sequences that lie inside a nested sequence.
#include "fetch.h"

#include "base/check.h"

namespace nesl {

ValuePtr fetch_lazily(Emitter& emit, const ValuePtr& elements, const Fetch& how) {
  VC_CHECK(how.op == Op::kExtract || how.op == Op::kBpermute);
  auto fetch_entries = [&](Var entries) {
    Suffix suffix = suffix_of(emit.kind(entries));
    if (how.op == Op::kExtract) return emit.op(Op::kExtract, suffix, {entries, how.index, how.source}, how.location);
    return emit.op(Op::kBpermute, suffix, {entries, how.index, how.source, how.target}, how.location);
  };
  switch (elements->kind) {
    case FlatValue::Kind::kScalar:
      return scalar_value(fetch_entries(elements->var), 0);
    case FlatValue::Kind::kPair: {
      ValuePtr first = fetch_lazily(emit, elements->parts[0], how);
      return pair_value(first, fetch_lazily(emit, elements->parts[1], how));
    }
    case FlatValue::Kind::kFunction: {
      auto copy = std::make_shared<FlatValue>(*elements);
      for (auto& part : copy->parts) part = fetch(emit, part, how);
      return copy;
    }
    case FlatValue::Kind::kSequence:
    case FlatValue::Kind::kSlice:  // never an element
      break;
  }
  Var lengths = emit.op(Op::kLengths, Suffix::kNone, {elements->var});
  Var offsets = emit.op(Op::kSumScan, Suffix::kInt, {lengths, single_over(emit, *elements)});
  Var new_lengths = fetch_entries(lengths);
  return slice_value(new_lengths, fetch_entries(offsets), elements->parts[0], 0);
}

ValuePtr fetch(Emitter& emit, const ValuePtr& elements, const Fetch& how) {
  return copied(emit, fetch_lazily(emit, elements, how), [&](int) { return how.target_single; });
}

ValuePtr gather(Emitter& emit, const ValuePtr& elements, Var index, Var source_single, Var target_single) {
  return fetch(emit, elements, {Op::kBpermute, index, source_single, target_single, nullptr, target_single});
}

ValuePtr copied(Emitter& emit, const ValuePtr& value, const std::function<Var(int)>& instances) {
  if (!has_slice(*value)) return value;
  if (value->kind == FlatValue::Kind::kPair) {
    ValuePtr first = copied(emit, value->parts[0], instances);
    return pair_value(first, copied(emit, value->parts[1], instances));
  }
  const ValuePtr& elements = value->parts[0];
  const Var over = instances(value->level);
  Var segments = emit.op(Op::kMakeSegdes, Suffix::kNone, {value->var});
  Var ones = emit.op(Op::kDist, Suffix::kInt, {emit.integer(1), over});
  Var targets = emit.op(Op::kIndex, Suffix::kNone, {value->starts, ones, segments});
  Var total = emit.op(Op::kMakeSegdes, Suffix::kNone, {emit.op(Op::kLength, Suffix::kInt, {targets})});
  return sequence_value(segments, gather(emit, elements, targets, single_over(emit, *elements), total), value->level);
}

Var single_over(Emitter& emit, const FlatValue& elements) {
  Var entries = first_leaf(elements);
  if (entries == letform::kNoVar) return letform::kNoVar;
  if (emit.kind(entries) == Kind::kSegdes) entries = emit.op(Op::kLengths, Suffix::kNone, {entries});
  Var length = emit.op(Op::kLength, suffix_of(emit.kind(entries)), {entries});
  return emit.op(Op::kMakeSegdes, Suffix::kNone, {length});
}

}  // namespace nesl
