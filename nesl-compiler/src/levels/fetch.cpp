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
  Var offsets = emit.op(Op::kOffsets, Suffix::kNone, {elements->var});
  Var new_lengths = fetch_entries(lengths);
  return slice_value(new_lengths, fetch_entries(offsets), elements->parts[0], 0);
}

ValuePtr fetch(Emitter& emit, const ValuePtr& elements, const Fetch& how) {
  return copied(emit, fetch_lazily(emit, elements, how));
}

ValuePtr slices_lazily(Emitter& emit, const ValuePtr& elements, Var starts, Var segments) {
  const auto slice = [&](Var entries) {
    return emit.op(Op::kSlice, suffix_of(emit.kind(entries)), {entries, starts, segments});
  };
  switch (elements->kind) {
    case FlatValue::Kind::kScalar:
      return scalar_value(slice(elements->var), 0);
    case FlatValue::Kind::kPair: {
      ValuePtr first = slices_lazily(emit, elements->parts[0], starts, segments);
      return pair_value(first, slices_lazily(emit, elements->parts[1], starts, segments));
    }
    case FlatValue::Kind::kFunction: {
      auto copy = std::make_shared<FlatValue>(*elements);
      for (auto& part : copy->parts) part = slices(emit, part, starts, segments);
      return copy;
    }
    case FlatValue::Kind::kSequence:
    case FlatValue::Kind::kSlice:  // never an element
      break;
  }
  const Var inner_starts = slice(emit.op(Op::kOffsets, Suffix::kNone, {elements->var}));
  const Var lengths = slice(emit.op(Op::kLengths, Suffix::kNone, {elements->var}));
  return slice_value(lengths, inner_starts, elements->parts[0], 0);
}

ValuePtr slices(Emitter& emit, const ValuePtr& elements, Var starts, Var segments) {
  return copied(emit, slices_lazily(emit, elements, starts, segments));
}

ValuePtr copied(Emitter& emit, const ValuePtr& value) {
  if (!has_slice(*value)) return value;
  if (value->kind == FlatValue::Kind::kPair) {
    ValuePtr first = copied(emit, value->parts[0]);
    return pair_value(first, copied(emit, value->parts[1]));
  }
  const Var segments = emit.op(Op::kMakeSegdes, Suffix::kNone, {value->var});
  return sequence_value(segments, slices(emit, value->parts[0], value->starts, segments), value->level);
}

Var single_over(Emitter& emit, const FlatValue& elements) {
  Var entries = first_leaf(elements);
  if (entries == letform::kNoVar) return letform::kNoVar;
  if (emit.kind(entries) == Kind::kSegdes) entries = emit.op(Op::kLengths, Suffix::kNone, {entries});
  Var length = emit.op(Op::kLength, suffix_of(emit.kind(entries)), {entries});
  return emit.op(Op::kMakeSegdes, Suffix::kNone, {length});
}

}  // namespace nesl
