#pragma once

#include <vector>

#include "shapes/safety.h"

namespace vcode::letform {

/// Pass "dead-bindings": removes unused bindings without effect, and unused results of IF.
///   before:  a = + INT x y   b, c = IF f then yield x y else yield y x   ret c
///   after:   c = IF f then yield y else yield x   ret c
/// Keeps the order of the remaining bindings. One backward walk, O(n). `safety` must not have noted any binding;
/// `effects` is the result of functions_with_effects().
void remove_dead_bindings(Function& function, Safety safety, const std::vector<bool>& effects);

}  // namespace vcode::letform
