// Questions about descriptors, counts and places of extremes in the VCODE of 1995.
#include "legalize/expander.h"

namespace vcode::letform {

/// ELEMENTS s:
///   +_REDUCE INT (LENGTHS s) (MAKE_SEGDES (LENGTH INT (LENGTHS s)))
Var expand_elements(Expander& to, const std::vector<Var>& operands) {
  const Var lengths = to.op(Op::kLengths, {operands[0]});
  return to.op(Op::kSumReduce, Suffix::kInt, {lengths, to.all_of(lengths)});
}

/// OFFSETS s:
///   +_SCAN INT (LENGTHS s) (MAKE_SEGDES (LENGTH INT (LENGTHS s)))
Var expand_offsets(Expander& to, const std::vector<Var>& operands) {
  const Var lengths = to.op(Op::kLengths, {operands[0]});
  return to.op(Op::kSumScan, Suffix::kInt, {lengths, to.all_of(lengths)});
}

/// COUNT_INTS a start s1 s2: counts by ranks. The rank of the last element equal to a number, less the rank of the last
/// element with a smaller number, or else the number of elements below `start`:
///   ends = DFPERMUTE INT (+ (RANK_UP INT a s1) 1) (- a start) f 0 s1 s2       (f: 0 <= a - start < LENGTHS s2)
///   starts = the larger one of MAX_SCAN INT ends s2 and +_REDUCE INT (B_TO_I (< INT a start)) s1
///   SELECT (> ends 0) (- ends starts) 0
Var expand_count_ints(Expander& to, const std::vector<Var>& operands) {
  const Var a = operands[0], start = operands[1], s1 = operands[2], s2 = operands[3];
  const auto of_ints = [&](Op op, std::vector<Var> values) { return to.op(op, Suffix::kInt, std::move(values)); };
  const Var none = of_ints(Op::kDist, {to.number(0), to.op(Op::kMakeSegdes, {to.op(Op::kElements, {s2})})});
  const Var first = of_ints(Op::kDist, {start, s1});
  const Var targets = of_ints(Op::kSubtract, {a, first});
  const Var room = of_ints(Op::kDist, {to.op(Op::kLengths, {s2}), s1});
  const Var counted =
      to.op(Op::kAnd, Suffix::kBool,
            {of_ints(Op::kGreaterEqual, {targets, to.spread(0, a)}), of_ints(Op::kLess, {targets, room})});
  const Var numbers = of_ints(Op::kAdd, {of_ints(Op::kRankUp, {a, s1}), to.spread(1, a)});
  const Var ends = of_ints(Op::kDfpermute, {numbers, targets, counted, none, s1, s2});
  const Var below = of_ints(Op::kSumReduce, {to.op(Op::kBoolToInt, {of_ints(Op::kLess, {a, first})}), s1});
  const Var least = of_ints(Op::kDist, {below, s2}), before = of_ints(Op::kMaxScan, {ends, s2});
  const Var starts = of_ints(Op::kSelect, {of_ints(Op::kGreater, {before, least}), before, least});
  return of_ints(Op::kSelect, {of_ints(Op::kGreater, {ends, none}), of_ints(Op::kSubtract, {ends, starts}), none});
}

namespace {

Var expand_extreme(Expander& to, Op reduction, const std::vector<Var>& operands) {
  const Var x = operands[0], s = operands[1];
  const Var extreme = to.op(Op::kDist, to.suffix(), {to.op(reduction, to.suffix(), {x, s}), s});
  const Var lengths = to.op(Op::kLengths, {s});
  const Var numbers = to.op(Op::kIndex, {to.spread(0, lengths), to.spread(1, lengths), s});
  const Var chosen =
      to.op(Op::kSelect, Suffix::kInt,
            {to.op(Op::kEqual, to.suffix(), {x, extreme}), numbers, to.op(Op::kDist, Suffix::kInt, {lengths, s})});
  return to.op(Op::kMinReduce, Suffix::kInt, {chosen, s});
}

}  // namespace

/// MAX_INDEX x s:
///   MIN_REDUCE INT (SELECT INT (= x (DIST (MAX_REDUCE x s) s)) (INDEX 0 1 s) (DIST INT (LENGTHS s) s)) s
Var expand_max_index(Expander& to, const std::vector<Var>& operands) {
  return expand_extreme(to, Op::kMaxReduce, operands);
}

/// MIN_INDEX x s: as MAX_INDEX, with MIN_REDUCE.
Var expand_min_index(Expander& to, const std::vector<Var>& operands) {
  return expand_extreme(to, Op::kMinReduce, operands);
}

}  // namespace vcode::letform
