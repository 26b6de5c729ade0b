#pragma once

#include <vector>

#include "fcode-opt/letform.h"

/// Effects of bindings.
namespace vcode::letform {

/// Whether a binding has an effect. `functions`: whether each function has one. Not for IF.
bool has_effect(const Binding& binding, const std::vector<bool>& functions);

}  // namespace vcode::letform
