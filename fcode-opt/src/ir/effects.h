#pragma once

#include <vector>

#include "fcode-opt/letform.h"

/// What passes know of bindings.
namespace vcode::letform {

/// Of a binding, given that of the functions it calls. Not for IF.
bool has_effect(const Binding& binding, const std::vector<bool>& functions);

}  // namespace vcode::letform
