// COUNT_INTS: differences of the ranks at which runs of equal numbers end.
#include "recognize/recognizer.h"

namespace vcode::letform {

Var Recognizer::ranked(Var numbers, Var s) {
  if (!is(numbers, Op::kAdd)) return kNoVar;
  for (const std::size_t k : {0, 1}) {
    const Var rank = operands(numbers)[k], one = operands(numbers)[1 - k];
    if (is(rank, Op::kRankUp) && uniform(one) == 1 && definitions_.of(rank).suffix == Suffix::kInt &&
        shapes_.same_descriptor(operands(rank)[1], s))
      return operands(rank)[0];
  }
  return kNoVar;
}

bool Recognizer::are_inside(Var flags, Var targets, Var s1, Var s2) {
  if (!is(flags, Op::kAnd)) return false;
  for (const std::size_t k : {0, 1}) {
    const Var low = operands(flags)[k], high = operands(flags)[1 - k];
    if (!is(low, Op::kGreaterEqual) || !is(high, Op::kLess)) continue;
    const Var room = operands(high)[1];
    if (operands(low)[0] != targets || uniform(operands(low)[1]) != 0) continue;
    if (operands(high)[0] != targets || !is(room, Op::kDist)) continue;
    const Var of_segment = operands(room)[0];
    if (const std::int64_t known = uniform_length(s2); known >= 0 && uniform(of_segment) == known) return true;
    const bool same = shapes_.same_descriptor(operands(room)[1], s1) || shapes_.is_single(of_segment);
    return same && shapes_.are_lengths_of(of_segment, s2);
  }
  return false;
}

/// before:  f = AND (>= j 0) (< j (DIST (LENGTHS s2) s1))                    (j: - a b; b: DIST start s1)
///          e = DFPERMUTE INT (+ (RANK_UP INT a s1) 1) j f 0 s1 s2
///          l = DIST (+_REDUCE INT (B_TO_I (< a b)) s1) s2    m = MAX_SCAN INT e s2
///          c = SELECT (> e 0) (- e (SELECT (> m l) m l)) 0
/// after:   c = COUNT_INTS a start s1 s2
/// If b is 0, j is a. No target of the DFPERMUTE is outside, because f is false there.
bool Recognizer::count_ints(Binding& choice) {
  const Var any = choice.operands[0], counts = choice.operands[1];
  if (!is(any, Op::kGreater) || !is(counts, Op::kSubtract) || uniform(choice.operands[2]) != 0) return false;
  const Var ends = operands(any)[0], starts = operands(counts)[1];
  if (uniform(operands(any)[1]) != 0 || operands(counts)[0] != ends) return false;
  if (!is(ends, Op::kDfpermute) || !is(starts, Op::kSelect)) return false;
  const Var targets = operands(ends)[1], s1 = operands(ends)[4], s2 = operands(ends)[5];
  const Var a = ranked(operands(ends)[0], s1);
  if (a == kNoVar || uniform(operands(ends)[3]) != 0 || !are_inside(operands(ends)[2], targets, s1, s2)) return false;
  if (targets != a && (!is(targets, Op::kSubtract) || operands(targets)[0] != a)) return false;

  const Var larger = operands(starts)[0], before = operands(starts)[1], least = operands(starts)[2];
  if (!is(larger, Op::kGreater) || operands(larger)[0] != before || operands(larger)[1] != least) return false;
  if (!is(before, Op::kMaxScan) || operands(before)[0] != ends) return false;
  if (!shapes_.same_descriptor(operands(before)[1], s2) || !is(least, Op::kDist)) return false;
  const Var below = operands(least)[0];
  if (!shapes_.is_single(below) && !shapes_.same_descriptor(operands(least)[1], s2)) return false;
  if (!is(below, Op::kSumReduce) || !shapes_.same_descriptor(operands(below)[1], s1)) return false;
  const Var ones = operands(below)[0];
  if (!is(ones, Op::kBoolToInt) || !is(operands(ones)[0], Op::kLess)) return false;
  const Var less = operands(ones)[0], first = operands(less)[1];
  if (operands(less)[0] != a || (targets == a ? uniform(first) != 0 : operands(targets)[1] != first)) return false;

  if (!is(first, Op::kDist)) return false;
  Var start = operands(first)[0];
  if (!shapes_.same_descriptor(operands(first)[1], s1)) {
    if (!shapes_.is_single(start)) return false;
    start = for_each_segment(start, s1);
  }
  become(choice, Op::kCountInts, {a, start, s1, s2});
  faultless_.push_back(ends);
  return true;
}

}  // namespace vcode::letform
