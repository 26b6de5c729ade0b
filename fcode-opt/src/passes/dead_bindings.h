#pragma once

#include <vector>

#include "ir/safety.h"

namespace vcode::letform {

/// Pass "dead-bindings": what nobody uses and what has no effect goes, and results of IF that nobody uses.
///   before:  a = + INT x y   b, c = IF f then yield x y else yield y x   ret c
///   after:   c = IF f then yield y else yield x   ret c
/// Keeps the order of what remains. One walk backwards, O(n). `safety` has been told of no binding yet; `effects` are
/// the functions_with_effects().
void remove_dead_bindings(Function& function, Safety safety, const std::vector<bool>& effects);

}  // namespace vcode::letform
