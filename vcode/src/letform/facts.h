#pragma once

#include <vector>

#include "vcode/letform.h"

/// What passes know of operations. All of it is derived from the table of operations.
namespace vcode::letform {

/// Whether the data of the operation's operands can make it fail. Lengths that disagree do not count: a let-form
/// program has none.
bool can_fault(Op op, Suffix suffix);

/// Whether an operation must run although nothing uses its results, and keep its place among its like.
bool has_effect(Op op, Suffix suffix);

/// Whether two operands may change places.
bool commutes(Op op, Suffix suffix);

/// Of a binding, given that of the functions it calls. Not for IF.
bool has_effect(const Binding& binding, const std::vector<bool>& functions);

}  // namespace vcode::letform
