// Operations that move blocks of elements in the VCODE of 1995: gathers and scatters through indices.
#include "legalize/expander.h"

namespace vcode::letform {
namespace {

/// The numbers start, start + 1, … in each segment.
Var range(Expander& to, Var starts, Var segments) {
  return to.op(Op::kIndex, {starts, to.spread(1, starts), segments});
}

/// Zeros for all elements of a descriptor.
Var zeros(Expander& to, Var descriptor) {
  const Var all = to.op(Op::kMakeSegdes, {to.op(Op::kElements, {descriptor})});
  return to.op(Op::kDist, to.suffix(), {to.zero(to.suffix()), all});
}

}  // namespace

/// SLICE a start s:
///   i = INDEX start 1 s    BPERMUTE a i t u               (t and u: one segment over a and over i)
Var expand_slice(Expander& to, const std::vector<Var>& operands) {
  const Var a = operands[0], indices = range(to, operands[1], operands[2]);
  return to.faulting_op(Op::kBpermute, to.suffix(), {a, indices, to.all_of(a), to.all_of(indices)});
}

/// APPEND a b s1 s2 s3:
///   p = INDEX 0 1 s1    q = INDEX (LENGTHS s1) 1 s2
///   DPERMUTE b q (DPERMUTE a p (DIST 0 t) s1 s3) s2 s3       (t: one segment over the elements of s3)
Var expand_append(Expander& to, const std::vector<Var>& operands) {
  const Var a = operands[0], b = operands[1], s1 = operands[2], s2 = operands[3], s3 = operands[4];
  const Var none = zeros(to, s3);
  const Var lengths = to.op(Op::kLengths, {s1});
  const Var p = range(to, to.spread(0, lengths), s1), q = range(to, lengths, s2);
  const Var half = to.faulting_op(Op::kDpermute, to.suffix(), {a, p, none, s1, s3});
  return to.faulting_op(Op::kDpermute, to.suffix(), {b, q, half, s2, s3});
}

/// APPEND3 a b c s1 s2 s3 s4:
///   t = MAKE_SEGDES (+ (LENGTHS s1) (LENGTHS s2))
///   APPEND (APPEND a b s1 s2 t) c t s3 s4
Var expand_append3(Expander& to, const std::vector<Var>& operands) {
  const Var s1 = operands[3], s2 = operands[4];
  const Var lengths = to.op(Op::kAdd, Suffix::kInt, {to.op(Op::kLengths, {s1}), to.op(Op::kLengths, {s2})});
  const Var t = to.op(Op::kMakeSegdes, {lengths});
  const Var front = to.op(Op::kAppend, to.suffix(), {operands[0], operands[1], s1, s2, t});
  return to.op(Op::kAppend, to.suffix(), {front, operands[2], t, operands[5], operands[6]});
}

/// MERGE f a b:
///   (p, s1) = PACK n f t    (q, s2) = PACK n (NOT f) t       (n: 0 1 2 …; t: one segment over f)
///   DPERMUTE b q (DPERMUTE a p (DIST 0 t) s1 t) s2 t
Var expand_merge(Expander& to, const std::vector<Var>& operands) {
  const Var f = operands[0], all = to.all_of(f);
  const Var numbers = to.op(Op::kIndex, {to.number(0), to.number(1), all});
  const auto [p, s1] = to.pack(Suffix::kInt, {numbers, f, all});
  const auto [q, s2] = to.pack(Suffix::kInt, {numbers, to.op(Op::kNot, Suffix::kBool, {f}), all});
  const Var none = to.op(Op::kDist, to.suffix(), {to.zero(to.suffix()), all});
  const Var half = to.faulting_op(Op::kDpermute, to.suffix(), {operands[1], p, none, s1, all});
  return to.faulting_op(Op::kDpermute, to.suffix(), {operands[2], q, half, s2, all});
}

/// MERGE_SEGS f a b s1 s2 s3:
///   (j, t1) = PACK n f t    (k, t2) = PACK n (NOT f) t       (n: 0 1 2 …; t: one segment over f)
///   u1 = MAKE_SEGDES (DPERMUTE INT (LENGTHS s1) j (DIST 0 t) t1 t)    u2 = the same of s2, k and t2
///   APPEND a b u1 u2 s3
/// where u1 and u2 have the segments of s1 and s2, and an empty segment for each one of the other operand.
Var expand_merge_segments(Expander& to, const std::vector<Var>& operands) {
  const Var f = operands[0], all = to.all_of(f);
  const Var numbers = to.op(Op::kIndex, {to.number(0), to.number(1), all});
  const Var none = to.op(Op::kDist, Suffix::kInt, {to.number(0), all});
  const auto with_empty_segments = [&](Var segments, Var flags) {
    const auto [places, kept] = to.pack(Suffix::kInt, {numbers, flags, all});
    const Var lengths = to.op(Op::kLengths, {segments});
    return to.op(Op::kMakeSegdes, {to.op(Op::kDpermute, Suffix::kInt, {lengths, places, none, kept, all})});
  };
  const Var u1 = with_empty_segments(operands[3], f);
  const Var u2 = with_empty_segments(operands[4], to.op(Op::kNot, Suffix::kBool, {f}));
  return to.op(Op::kAppend, to.suffix(), {operands[1], operands[2], u1, u2, operands[5]});
}

/// LATEST a i s1 s2:
///   BPERMUTE (DPERMUTE a i (DIST 0 t) s1 s2) i s2 s1         (t: one segment over the places)
Var expand_latest(Expander& to, const std::vector<Var>& operands) {
  const Var a = operands[0], i = operands[1], s1 = operands[2], s2 = operands[3];
  const Var written = to.faulting_op(Op::kDpermute, to.suffix(), {a, i, zeros(to, s2), s1, s2});
  return to.faulting_op(Op::kBpermute, to.suffix(), {written, i, s2, s1});
}

}  // namespace vcode::letform
