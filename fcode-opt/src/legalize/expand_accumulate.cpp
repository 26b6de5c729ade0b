// Combining permutations in the VCODE of 1995: by sorting.
#include "legalize/expander.h"

namespace vcode::letform {
namespace {

Var combined(Expander& to, const MonoidInfo& by, Var old, Var added) {
  if (!by.selects) return to.op(by.operation, to.suffix(), {old, added});
  Var take = to.op(by.operation, to.suffix(), {added, old});
  // NaN is ignored.
  if (to.suffix() == Suffix::kFloat)
    take = to.op(Op::kOr, Suffix::kBool, {take, to.op(Op::kNotEqual, to.suffix(), {old, old})});
  return to.op(Op::kSelect, to.suffix(), {take, added, old});
}

}  // namespace

/// +_PERMUTE a i d s1 s2, and those of other monoids: with the elements in the order of their places, those of one
/// place are a segment.
///   n = COUNT_INTS j 0 t s2    r = +_REDUCE (PERMUTE b (RANK_UP INT j t) t) (MAKE_SEGDES n)
///   SELECT (> n 0) (+ d r) d
/// where b, j and t are the elements, places and segments without those out of range, of which DPERMUTE a i d s1 s2
/// reports the first. Sums of FLOATs are grouped as those of segments.
Var expand_accumulate(Expander& to, const std::vector<Var>& operands) {
  const Var a = operands[0], i = operands[1], d = operands[2], s1 = operands[3], s2 = operands[4];
  const Monoid monoid = info(to.operation()).monoid;
  to.faulting_op(Op::kDpermute, to.suffix(), {a, i, d, s1, s2});
  const Var room = to.op(Op::kDist, Suffix::kInt, {to.op(Op::kLengths, {s2}), s1});
  const Var inside =
      to.op(Op::kAnd, Suffix::kBool,
            {to.op(Op::kGreaterEqual, Suffix::kInt, {i, to.spread(0, i)}), to.op(Op::kLess, Suffix::kInt, {i, room})});
  const auto [b, t] = to.pack(to.suffix(), {a, inside, s1});
  const Var j = to.pack(Suffix::kInt, {i, inside, s1}).first;
  const Var counts = to.op(Op::kCountInts, {j, to.spread(0, to.op(Op::kLengths, {t})), t, s2});
  const Var order = to.op(Op::kRankUp, Suffix::kInt, {j, t});
  const Var sorted = to.op(Op::kPermute, to.suffix(), {b, order, t});
  const Var added = to.op(op_of(OpClass::kReduce, monoid), to.suffix(), {sorted, to.op(Op::kMakeSegdes, {counts})});
  const Var any = to.op(Op::kGreater, Suffix::kInt, {counts, to.spread(0, counts)});
  return to.op(Op::kSelect, to.suffix(), {any, combined(to, info(monoid), d, added), d});
}

}  // namespace vcode::letform
