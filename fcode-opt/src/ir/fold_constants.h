#pragma once

#include <optional>
#include <vector>

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// What an operation computes from constants, if that is the same whatever the widths of INT and FLOAT and whatever
/// library runs it. Faults are never folded.
std::optional<Constant> fold(Op op, Suffix suffix, const std::vector<const Constant*>& operands);

/// Whether an operand does not change the other one: x + 0, x * 1. `constant` is a scalar.
bool is_neutral(Op op, Suffix suffix, std::size_t operand, const Constant& constant);

/// Whether a reduction of nothing but this scalar constant yields it, whatever the widths: no elements, one, or many.
bool is_identity(Op reduction, Suffix suffix, const Constant& constant);

/// Whether the operation can fail although its operand `operand` consists of this scalar constant only.
bool can_fault_with(Op op, Suffix suffix, std::size_t operand, const Constant& constant);

}  // namespace vcode::letform
