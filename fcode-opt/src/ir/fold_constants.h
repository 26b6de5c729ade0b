#pragma once

#include <optional>
#include <vector>

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// Result of an operation on constants; nothing unless it is the same for all widths of INT and FLOAT and in all vector
/// libraries. Faults are never folded.
std::optional<Constant> fold(Op op, Suffix suffix, const std::vector<const Constant*>& operands);

/// Whether an operand leaves the other operand unchanged: x + 0, x * 1. `constant` is a scalar.
bool is_right_identity(Op op, Suffix suffix, std::size_t operand, const Constant& constant);

/// Whether a reduction of copies of this scalar constant yields it, whatever the widths and the number of copies: none,
/// one, or many.
bool is_identity(Op reduction, Suffix suffix, const Constant& constant);

/// Whether the operation can fault if all elements of its operand number `operand` are this scalar constant.
bool can_fault_with(Op op, Suffix suffix, std::size_t operand, const Constant& constant);

}  // namespace vcode::letform
