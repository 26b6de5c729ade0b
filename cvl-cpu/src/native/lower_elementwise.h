#pragma once

#include <array>
#include <string>

#include "native/llvm_text.h"
#include "vcode/op.h"

namespace cvl::cpu {

/// An elementwise operation in lanes.
struct LoweredOperation {
  LaneValue value;
  std::string faults;  ///< lanes that are at fault, as a vector of bits; empty if none can be
};

/// Appends the instructions of an elementwise row of ops.def, for elements stored as `result`. They compute what its
/// expression computes, bit for bit, and harm nothing in lanes that are at fault.
LoweredOperation lower_elementwise(LlvmText& text, vcode::Op op, vcode::Suffix suffix, ElemType result,
                                   const std::array<LaneValue, 3>& operands);

/// Whether a step divides integers of a type by its last operand and can use what lower_divisor() computes.
bool divides_by_reciprocal(vcode::Op op, ElemType type);
/// Appends what divisions by `divisor`, the same number in all lanes, have in common, and adds it to `divisor`.
void lower_divisor(LlvmText& text, LaneValue& divisor);

/// Appends what the expression of a monoid's row computes of an element and an accumulation.
LaneValue lower_combination(LlvmText& text, vcode::Monoid monoid, const LaneValue& element, const LaneValue& before);
/// What an accumulation of elements of this type starts from, in all lanes.
LaneValue neutral_lanes(const LlvmText& text, vcode::Monoid monoid, ElemType type);
/// What no elements of this type come to, in all lanes.
LaneValue identity_lanes(const LlvmText& text, vcode::Monoid monoid, ElemType type);

}  // namespace cvl::cpu
