// Checks in the VCODE of 1995: a conditional whose other branch reports the error and ends the program. An operation
// reports the first element at fault, and so do its expansion and the interpreter of the expansion.
#include "legalize/expander.h"

namespace vcode::letform {
namespace {

void exit_unless(Expander& to, Var flags) {
  to.unless(to.op(Op::kAndReduce, Suffix::kBool, {flags, to.all_of(flags)}), [&] { to.exit_with_message(flags); });
}

}  // namespace

/// ASSERT f:
///   IF AND_REDUCE BOOL f (MAKE_SEGDES (LENGTH BOOL f))  ELSE  WRITE CHAR "…"  EXIT
Var expand_assert(Expander& to, const std::vector<Var>& operands) {
  exit_unless(to, operands[0]);
  return operands[0];
}

/// REQUIRE a b f: as ASSERT f; yields b. The message does not tell a and b.
///   r = SELECT INT f b a                                     (fails like REQUIRE if lengths disagree)
Var expand_require(Expander& to, const std::vector<Var>& operands) {
  const Var a = operands[0], b = operands[1], f = operands[2];
  const Var result = to.op(Op::kSelect, Suffix::kInt, {f, b, a});
  exit_unless(to, f);
  return result;
}

/// BOUND n i:
///   f = AND (>= INT i 0) (< INT i n)
///   IF AND_REDUCE BOOL f s  ELSE  EXTRACT (DIST 0 t) i' t
/// where s has one segment over f, and the first false element of f provokes the error of EXTRACT: it gets a segment t
/// of as many zeros as n says, each other element one zero, and the index 0.
Var expand_bound(Expander& to, const std::vector<Var>& operands) {
  const Var n = operands[0], i = operands[1];
  const Var all = to.all_of(i), zero = to.op(Op::kDist, Suffix::kInt, {to.number(0), all});
  const Var inside = to.op(Op::kAnd, Suffix::kBool,
                           {to.op(Op::kGreaterEqual, Suffix::kInt, {i, zero}), to.op(Op::kLess, Suffix::kInt, {i, n})});
  to.unless(to.op(Op::kAndReduce, Suffix::kBool, {inside, all}), [&] {
    const Var wrong = to.op(Op::kNot, Suffix::kBool, {inside});
    const Var before = to.op(Op::kOrScan, Suffix::kBool, {wrong, all});
    const Var first = to.op(Op::kAnd, Suffix::kBool, {wrong, to.op(Op::kNot, Suffix::kBool, {before})});
    const Var one = to.op(Op::kDist, Suffix::kInt, {to.number(1), all});
    const Var segments = to.op(Op::kMakeSegdes, {to.op(Op::kSelect, Suffix::kInt, {first, n, one})});
    to.faulting_op(Op::kExtract, Suffix::kInt,
                   {to.op(Op::kDist, Suffix::kInt, {zero, segments}),
                    to.op(Op::kSelect, Suffix::kInt, {first, i, zero}), segments});
  });
  return i;
}

}  // namespace vcode::letform
