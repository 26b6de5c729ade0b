#include "kernels/lane_strides.h"

#include <algorithm>

#include "vcode/kernel_rules.h"

namespace kernels {

using vcode::Op;

namespace {

constexpr Strides kUnknown{}, kSame{.same = true}, kUp{.up = true};

bool is_same(const Strides& s) { return s.same && !s.up && !s.down; }

/// Strides of values that are chosen from two.
Strides either(const Strides& a, const Strides& b) {
  return a.any() && b.any() ? Strides{a.down || b.down, a.same || b.same, a.up || b.up} : kUnknown;
}

/// Strides of a sum. If nothing is known of an operand, such as the offset of a row that was gathered, the sum is
/// expected to go up by 1.
Strides sum(const Strides& a, const Strides& b) {
  if (!a.any() || !b.any()) return kUp;
  return {.down = (a.down && b.same) || (a.same && b.down),
          .same = (a.same && b.same) || (a.up && b.down) || (a.down && b.up),
          .up = (a.up && b.same) || (a.same && b.up)};
}

Strides negative(const Strides& s) { return {.down = s.up, .same = s.same, .up = s.down}; }

Strides of_step(const vcode::Kernel::Step& step, const std::vector<Strides>& of) {
  const auto operand = [&](std::size_t k) { return of[step.operands[k]]; };
  switch (step.op) {
    case Op::kAdd:
      return sum(operand(0), operand(1));
    case Op::kSubtract:
      return sum(operand(0), negative(operand(1)));
    case Op::kRemainder:  // indices of a rotation are computed by remainders
      return is_same(operand(1)) ? operand(0) : kUnknown;
    case Op::kBound:
    case Op::kRequire:
      return operand(1);
    case Op::kSelect:
      return either(operand(1), operand(2));
    case Op::kBpermute:
    case Op::kBfpermute:
      return is_same(operand(1)) ? kSame : kUnknown;
    default: {
      const bool all = vcode::producer_of(step.op) == vcode::Producer::kMap &&
                       std::ranges::all_of(step.operands, [&](vcode::KernelVar v) { return is_same(of[v]); });
      return all ? kSame : kUnknown;
    }
  }
}

}  // namespace

std::vector<Strides> lane_strides(const Loop& loop, std::size_t values) {
  std::vector<Strides> strides(values);
  for (const Loop::Input& input : loop.inputs) {
    if (input.access == Loop::Access::kSpread) strides[input.value] = kSame;
    if (input.access == Loop::Access::kProgression) strides[input.value] = kUp;
  }
  for (const vcode::Kernel::Step* step : loop.steps) strides[step->results[0]] = of_step(*step, strides);
  return strides;
}

}  // namespace kernels
