#pragma once

#include <vector>

#include "fcode-opt/letform.h"

/// What passes know of operations. All of it is derived from the table of operations.
namespace vcode::letform {

/// Whether two operands may change places.
bool commutes(Op op, Suffix suffix);

/// Of a binding, given that of the functions it calls. Not for IF.
bool has_effect(const Binding& binding, const std::vector<bool>& functions);

}  // namespace vcode::letform
