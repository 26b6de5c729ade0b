// Index spaces, and spreading values from outer to inner ones.
#include "levels.h"

#include <algorithm>

#include "base/check.h"
#include "fetch.h"

namespace nesl {

namespace {

/// Key words under which the emitter stores facts about a nesting level.
enum LevelFact : std::uint64_t { kSingle = 16, kGrouping, kOrigin, kLift, kPacked };

/// A nest of more than three times as many levels keeps this many at each end, more than a report shows, and one entry
/// for all those between. Otherwise code nested n deep would have n * n entries.
constexpr int kNestEnds = 32;

}  // namespace

void Levels::begin_function(std::string name, const std::vector<bool>& maybe_empty) {
  Emitter emitter(context_.program(), std::move(name), [this] { return context_.here_and_around(); });
  function_ = std::make_unique<Function>(Function{std::move(emitter), std::move(function_)});
  for (const bool is : maybe_empty) {
    Level l;
    l.link = emit().parameter(Kind::kSegdes, "");
    if (depth() == 0) l.single = l.link;
    l.maybe_empty = is;
    l.id = ++next_level_id_;
    function_->levels.push(l);
  }
  if (depth() > 1) function_->levels.back().single = emit().parameter(Kind::kSegdes, "");
  function_->own_levels = function_->levels.size();
}

letform::Function Levels::end_function(std::vector<Var> results) {
  letform::Function finished = emit().finish(std::move(results));
  function_ = std::move(function_->outer);
  return finished;
}

void Levels::push_elements(Var descriptor) {
  Level inner;
  inner.link = descriptor;
  if (depth() == 0) inner.single = descriptor;
  inner.id = ++next_level_id_;
  function_->levels.push(inner);
}

void Levels::push_subset(Var flags, Var within, Var mixed, bool maybe_empty) {
  Level inner;
  inner.flags = flags;
  inner.within = within;
  inner.mixed = mixed;
  inner.maybe_empty = maybe_empty;
  inner.id = ++next_level_id_;
  function_->levels.push(inner);
}

ValuePtr Levels::at_level(int number, const std::function<ValuePtr()>& work) {
  const std::size_t all = function_->levels.set_size(static_cast<std::size_t>(number));
  ValuePtr value = work();
  function_->levels.set_size(all);
  return value;
}

bool Levels::only_subsets(int from, int to) {
  for (int n = from + 1; n <= to; ++n)
    if (level(n).flags == letform::kNoVar) return false;
  return true;
}

Var Levels::single(int number) {
  if (number == 0) return emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().integer(1)});
  const Level& l = level(number);
  if (l.single != letform::kNoVar) return l.single;
  Emitter::Key key{kSingle, l.id};
  if (const auto* known = emit().find(key)) return (*known)[0];
  if (l.flags != letform::kNoVar) {
    lift_scalar(l.flags, number - 1, number);  // packs the flags themselves, which stores the descriptor
    return (*emit().find(key))[0];
  }
  const Var elements = emit().op(Op::kElements, Suffix::kNone, {l.link});
  const Var result = emit().op(Op::kMakeSegdes, Suffix::kNone, {elements});
  emit().remember(key, {result});
  return result;
}

Var Levels::nonempty() {
  for (int n = depth(); n > 0; --n) {
    if (!level(n).maybe_empty) {
      if (n == depth()) return letform::kNoVar;
      break;
    }
  }
  return emit().op(Op::kGreater, Suffix::kInt,
                   {emit().op(Op::kLengths, Suffix::kNone, {single(depth())}), emit().integer(0)});
}

Var Levels::packed_descriptor() {
  const Level& l = level(depth());
  Emitter::Key key{kPacked, l.id, UINT64_MAX};
  if (emit().find(key) == nullptr) lift_scalar(l.flags, depth() - 1, depth());
  return (*emit().find(key))[0];
}

Var Levels::grouping(int from, int to) {
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

Var Levels::origin(int from, int to) {
  Emitter::Key key{kOrigin, level(from).id, level(to).id};
  if (const auto* known = emit().find(key)) return (*known)[0];
  Var numbers = emit().op(Op::kIndex, Suffix::kNone, {emit().integer(0), emit().integer(1), single(from)});
  Var result = lift_scalar(numbers, from, to);
  emit().remember(key, {result});
  return result;
}

Var Levels::lift_scalar(Var var, int from, int to) {
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
    emit().set_from_index(packed[0], emit().is_from_index(var));
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

ValuePtr Levels::lift(const ValuePtr& value, int to) {
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
  const bool is_subset = from > 0 && to == from + 1 && only_subsets(from, to);
  auto copy_segments = [&]() -> ValuePtr {
    Var index = from == 0 || is_subset ? letform::kNoVar : origin(from, to);
    Var lengths = emit().op(Op::kLengths, Suffix::kNone, {value->var});
    Var starts, new_lengths;
    if (from == 0) {
      new_lengths = emit().op(Op::kDist, Suffix::kInt, {lengths, single(to)});
      starts = emit().op(Op::kDist, Suffix::kInt, {emit().integer(0), single(to)});
    } else if (is_subset) {
      const auto pack = [&](Var of) {
        return emit().op_all(Op::kPack, Suffix::kInt, {of, level(to).flags, level(to).within})[0];
      };
      Var offsets = emit().op(Op::kOffsets, Suffix::kNone, {value->var});
      new_lengths = pack(lengths);
      starts = pack(offsets);
    } else {
      Var offsets = emit().op(Op::kOffsets, Suffix::kNone, {value->var});
      new_lengths = emit().op(Op::kBpermute, Suffix::kInt, {lengths, index, single(from), single(to)});
      starts = emit().op(Op::kBpermute, Suffix::kInt, {offsets, index, single(from), single(to)});
    }
    Var segments = emit().op(Op::kMakeSegdes, Suffix::kNone, {new_lengths});
    return sequence_value(segments, slices(emit(), value->parts[0], starts, segments), to);
  };
  // If the subset turns out to contain all instances, no copy is needed.
  ValuePtr result;
  const bool subsets = from > 0 && only_subsets(from, to);
  if (is_subset && level(to).mixed != letform::kNoVar) {
    single(to);  // computed before the conditional, so that it is visible after it
    result = conditional(level(to).mixed, copy_segments, [&](const ValuePtr&) { return with_level(value, to); });
  } else if (subsets && to > from + 1) {
    result = lift(lift(value, from + 1), to);
  } else {
    result = copy_segments();
  }
  emit().remember(std::move(key), leaves_of(*result));
  return result;
}

ValuePtr Levels::copied(const ValuePtr& value) { return nesl::copied(emit(), value); }

ValuePtr Levels::conditional(Var condition, const std::function<ValuePtr()>& then_part,
                             const std::function<ValuePtr(const ValuePtr&)>& else_part) {
  emit().begin_block();
  ValuePtr a = then_part();
  auto then_block = emit().end_block(leaves_of(*a));
  emit().begin_block();
  ValuePtr b = else_part(a);
  auto else_block = emit().end_block(leaves_of(*b));
  if (!same_shape(*a, *b)) context_.fail_at_different_functions();
  auto vars = emit().conditional(condition, std::move(then_block), std::move(else_block));
  std::size_t next = 0;
  return rebuild(
      a, [&](Var) { return vars[next++]; }, [](int l) { return l; });
}

Var Levels::between(int outer, int inner) {
  // Subsets add no position to that of the outer element.
  return only_subsets(outer, inner) ? origin(outer, inner) : grouping(outer, inner);
}

Location Levels::location(std::string message, std::vector<Var> inner, std::string values) {
  Location p;
  p.site = context_.site(std::move(message), std::move(values));
  p.nest = std::move(inner);
  const int first = static_cast<int>(function_->own_levels) + 1;
  for (int n = depth(); n >= first; --n) {
    if (n == depth() - kNestEnds && n - first > 2 * kNestEnds) {
      p.nest.push_back(between(first + kNestEnds, n));
      n = first + kNestEnds;
    }
    const Level& l = level(n);
    p.nest.push_back(l.flags != letform::kNoVar ? l.flags : l.link);
  }
  p.outermost = function_->levels.size() < std::max<std::size_t>(function_->own_levels, 1);
  return p;
}

ValuePtr Levels::all_of(const FlatValue& sequence) {
  const Var lengths = emit().op(Op::kLengths, Suffix::kNone, {sequence.var});
  const Var starts = emit().op(Op::kOffsets, Suffix::kNone, {sequence.var});
  return slice_value(lengths, starts, sequence.parts[0], sequence.level);
}

}  // namespace nesl
