// Index spaces, and spreading values from outer to inner ones.
#include "base/check.h"
#include "flattener.h"

namespace nesl {

namespace {

/// Key words under which the emitter stores facts about a nesting level.
enum LevelFact : std::uint64_t { kSingle = 16, kGrouping, kOrigin, kLift, kPacked };

}  // namespace

void Flattener::push_elements(Var descriptor, const FlatValue* elements) {
  refuse_under_mask("it contains an apply-to-each or a sequence");
  Level inner;
  inner.link = descriptor;
  if (depth() == 0) inner.single = descriptor;
  if (elements != nullptr) inner.sample = first_leaf(*elements);
  inner.id = ++next_level_id_;
  body_->levels.push(inner);
}

void Flattener::push_subset(Var flags, Var within, Var mixed, bool maybe_empty) {
  refuse_under_mask("it contains a conditional or a filter of sequences");
  Level inner;
  inner.flags = flags;
  inner.within = within;
  inner.mixed = mixed;
  inner.maybe_empty = maybe_empty;
  inner.id = ++next_level_id_;
  body_->levels.push(inner);
}

Level Flattener::pop_level() { return body_->levels.pop(); }

ValuePtr Flattener::at_level(int number, const std::function<ValuePtr()>& work) {
  const std::size_t all = body_->levels.set_size(static_cast<std::size_t>(number));
  ValuePtr value = work();
  body_->levels.set_size(all);
  return value;
}

Var Flattener::single(int number) {
  if (number == 0) return emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().integer(1)});
  const Level& l = level(number);
  if (l.single != letform::kNoVar) return l.single;
  Emitter::Key key{kSingle, l.id};
  if (const auto* known = emit().find(key)) return (*known)[0];
  Var result;
  if (l.flags != letform::kNoVar) {
    lift_scalar(l.flags, number - 1, number);  // packs the flags themselves, which stores the descriptor
    return (*emit().find(key))[0];
  }
  if (l.sample != letform::kNoVar) {
    Var entries = l.sample;
    if (emit().kind(entries) == Kind::kSegdes) entries = emit().op(Op::kLengths, Suffix::kNone, {entries});
    Var length = emit().op(Op::kLength, suffix_of(emit().kind(entries)), {entries});
    result = emit().op(Op::kMakeSegdes, Suffix::kNone, {length});
  } else {
    Var lengths = emit().op(Op::kLengths, Suffix::kNone, {l.link});
    Var total = emit().op(Op::kSumReduce, Suffix::kInt, {lengths, single(number - 1)});
    result = emit().op(Op::kMakeSegdes, Suffix::kNone, {total});
  }
  emit().remember(key, {result});
  return result;
}

Var Flattener::count(int number) { return emit().op(Op::kLengths, Suffix::kNone, {single(number)}); }

Var Flattener::nonempty() {
  for (int n = depth(); n > 0; --n) {
    if (!level(n).maybe_empty) {
      if (n == depth()) return letform::kNoVar;
      break;
    }
  }
  return emit().op(Op::kGreater, Suffix::kInt, {count(depth()), emit().integer(0)});
}

Var Flattener::packed_descriptor() {
  const Level& l = level(depth());
  Emitter::Key key{kPacked, l.id, UINT64_MAX};
  if (emit().find(key) == nullptr) lift_scalar(l.flags, depth() - 1, depth());
  return (*emit().find(key))[0];
}

Var Flattener::grouping(int from, int to) {
  return emit().outside_trial([&] { return find_grouping(from, to); });
}

Var Flattener::find_grouping(int from, int to) {
  VC_CHECK(from <= to);
  if (from == 0) return single(to);
  if (from == to) return emit().op(Op::kMakeSegdes, Suffix::kNone, {lift_scalar(emit().integer(1), 0, to)});
  const Level& outer = level(from + 1);
  if (to == from + 1) {
    if (outer.link != letform::kNoVar) return outer.link;
    return emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().op(Op::kBoolToInt, Suffix::kNone, {outer.flags})});
  }
  Emitter::Key key{kGrouping, outer.id, level(to).id};
  if (const auto* known = emit().find(key)) return (*known)[0];
  // Split at the nesting level between `from` and `to` whose number ends in the most zero bits. Groupings of other
  // levels then share the parts, so that each grouping of n levels takes O(log n) operations.
  int middle = to - 1;
  while ((middle & (middle - 1)) > from) middle &= middle - 1;
  Var outer_part = grouping(from, middle);
  Var lengths = emit().op(Op::kLengths, Suffix::kNone, {grouping(middle, to)});
  Var result =
      emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().op(Op::kSumReduce, Suffix::kInt, {lengths, outer_part})});
  emit().remember(key, {result});
  return result;
}

Var Flattener::origin(int from, int to) {
  Emitter::Key key{kOrigin, level(from).id, level(to).id};
  if (const auto* known = emit().find(key)) return (*known)[0];
  Var numbers = emit().op(Op::kIndex, Suffix::kNone, {emit().integer(0), emit().integer(1), single(from)});
  Var result = lift_scalar(numbers, from, to);
  emit().remember(key, {result});
  return result;
}

Var Flattener::lift_scalar(Var var, int from, int to) {
  VC_CHECK(from <= to);
  if (from == to) return var;
  Suffix suffix = suffix_of(emit().kind(var));
  if (from == 0) return emit().op(Op::kDist, suffix, {var, single(to)});
  if (to - from > 1) {
    // Pack into a subset of `from` first, since it may be much smaller. Otherwise one DIST to all instances of `to`:
    // their grouping costs no more than the result.
    if (level(from + 1).flags != letform::kNoVar) return lift_scalar(lift_scalar(var, from, from + 1), from + 1, to);
    return emit().op(Op::kDist, suffix, {var, grouping(from, to)});
  }
  const Level& l = level(to);
  if (l.flags == letform::kNoVar) return emit().op(Op::kDist, suffix, {var, l.link});
  Emitter::Key key{kPacked, l.id, var};
  if (const auto* known = emit().find(key)) return (*known)[0];
  std::vector<Var> packed;
  if (l.mixed == letform::kNoVar) {
    packed = emit().op_all(Op::kPack, suffix, {var, l.flags, l.within});
  } else {
    packed = emit().conditional(
        l.mixed,
        [&] {
          return emit().op_all(Op::kPack, suffix, {var, l.flags, l.within});
        },
        [&] {
          return std::vector<Var>{var, l.within};
        });
  }
  emit().remember(key, {packed[0]});
  // Descriptor of the packed data; equal to single(to) if PACK ran over one segment.
  Emitter::Key descriptor_key{kPacked, l.id, UINT64_MAX};
  if (emit().find(descriptor_key) == nullptr) emit().remember(descriptor_key, {packed[1]});
  Emitter::Key single_key{kSingle, l.id};
  if (emit().find(single_key) == nullptr) {
    Var one = packed[1];
    if (l.within != single(to - 1)) {
      Var length = emit().op(Op::kLength, suffix, {packed[0]});
      one = emit().op(Op::kMakeSegdes, Suffix::kNone, {length});
    }
    emit().remember(single_key, {one});
  }
  return packed[0];
}

ValuePtr Flattener::lift(const ValuePtr& value, int to) {
  switch (value->kind) {
    case FlatValue::Kind::kScalar:
      return value->level == to ? value : scalar_value(lift_scalar(value->var, value->level, to), to);
    case FlatValue::Kind::kPair: {
      ValuePtr first = lift(value->parts[0], to);
      ValuePtr rest = lift(value->parts[1], to);
      return pair_value(first, rest);
    }
    case FlatValue::Kind::kFunction: {
      auto copy = std::make_shared<FlatValue>(*value);
      for (auto& part : copy->parts) part = lift(part, to);
      return copy;
    }
    case FlatValue::Kind::kSlice: {
      const Var lengths = lift_scalar(value->var, value->level, to);
      return slice_value(lengths, lift_scalar(value->starts, value->level, to), value->parts[0], to);
    }
    case FlatValue::Kind::kSequence:
      break;
  }
  const int from = value->level;
  VC_CHECK(from <= to);
  if (from == to) return value;
  Emitter::Key key{kLift, value->var, static_cast<std::uint64_t>(from), level(to).id};
  for (Var leaf : leaves_of(*value)) key.push_back(leaf);
  if (const auto* known = emit().find(key)) {
    std::size_t next = 0;
    return rebuild(
        value, [&](Var) { return (*known)[next++]; }, [&](int) { return to; });
  }
  auto copy_segments = [&]() -> ValuePtr {
    Var index = from == 0 ? letform::kNoVar : origin(from, to);
    Var lengths = emit().op(Op::kLengths, Suffix::kNone, {value->var});
    Var starts, new_lengths;
    if (from == 0) {
      new_lengths = emit().op(Op::kDist, Suffix::kInt, {lengths, single(to)});
      starts = emit().op(Op::kDist, Suffix::kInt, {emit().integer(0), single(to)});
    } else {
      Var offsets = emit().op(Op::kSumScan, Suffix::kInt, {lengths, single(from)});
      new_lengths = emit().op(Op::kBpermute, Suffix::kInt, {lengths, index, single(from), single(to)});
      starts = emit().op(Op::kBpermute, Suffix::kInt, {offsets, index, single(from), single(to)});
    }
    Var segments = emit().op(Op::kMakeSegdes, Suffix::kNone, {new_lengths});
    Var ones = emit().op(Op::kDist, Suffix::kInt, {emit().integer(1), single(to)});
    Var targets = emit().op(Op::kIndex, Suffix::kNone, {starts, ones, segments});
    Var length = emit().op(Op::kLength, Suffix::kInt, {targets});
    Var target = emit().op(Op::kMakeSegdes, Suffix::kNone, {length});
    return sequence_value(segments, gather(value->parts[0], targets, single_over(*value->parts[0]), target), to);
  };
  // If the subset turns out to contain all instances, no copy is needed.
  ValuePtr result;
  bool only_subsets = from > 0;
  for (int n = from + 1; n <= to; ++n) only_subsets &= level(n).flags != letform::kNoVar;
  if (only_subsets && to == from + 1 && level(to).mixed != letform::kNoVar) {
    single(to);  // computed before the conditional, so that both values are visible after it
    origin(from, to);
    result = conditional(level(to).mixed, copy_segments, [&](const ValuePtr&) { return with_level(value, to); });
  } else if (only_subsets && to > from + 1) {
    result = lift(lift(value, from + 1), to);
  } else {
    result = copy_segments();
  }
  emit().remember(std::move(key), leaves_of(*result));
  return result;
}

}  // namespace nesl
