#pragma once

#include <array>
#include <string>

#include "lanes/llvm_text.h"
#include "vcode/op.h"

namespace cvl::cpu {

/// An elementwise operation in lanes.
struct LoweredOperation {
  LaneValue value;
  std::string faults;  ///< lanes at fault, as a vector of bits; empty if no lane can be
};

/// Appends the instructions of an elementwise row of ops.def, for elements stored as `result`. They compute the same
/// bits as the row's expression, and never trap in lanes at fault.
LoweredOperation lower_elementwise(LlvmText& text, vcode::Op op, vcode::Suffix suffix, ElemType result,
                                   const std::array<LaneValue, 3>& operands);

/// Whether a step divides numbers of this type by its last operand and can use the results of lower_divisor().
bool divides_by_reciprocal(vcode::Op op, ElemType type, const NativeTarget& target);
/// Appends the part of divisions by `divisor` that does not depend on the dividend, and records it in `divisor`.
void lower_divisor(LlvmText& text, LaneValue& divisor);

/// Appends the combination, by the monoid, of an element and an accumulation.
LaneValue lower_combination(LlvmText& text, vcode::Monoid monoid, const LaneValue& element, const LaneValue& before);
/// The identity element of a monoid, in all lanes.
LaneValue identity_lanes(vcode::Monoid monoid, ElemType type);
/// The empty value of a monoid, in all lanes.
LaneValue empty_value_lanes(vcode::Monoid monoid, ElemType type);

}  // namespace cvl::cpu
