#pragma once

#include <optional>
#include <vector>

#include "fcode-opt/letform.h"
#include "passes/definitions.h"

namespace vcode::letform {

/// Makes a repeated kernel (vcode/kernel.h) of the steps of a loop:
///   before:  n = CONST INT 2   d = DIST INT n s   f = < INT x d   y = / INT x d   z = SELECT INT f x y   g = NOT f
///   after:   z', g' = REPEATED over s of x' s as x  { n d f y z g  yield z g }
/// `made` is straight-line code that computes, from the values `state`, their next values and whether the loop goes on,
/// `next`. The loop begins with the values `initial`. Bindings that do not depend on the state stay before the kernel,
/// but for constants and their DISTs. Returns all bindings, of which the last one is the kernel; nothing if a step
/// cannot be in a kernel. O(n) sets and lists.
std::optional<std::vector<Binding>> repeat_steps(Function& function, const Definitions& definitions,
                                                 const std::vector<Binding>& made, const std::vector<Var>& initial,
                                                 const std::vector<Var>& state, const std::vector<Var>& next);

}  // namespace vcode::letform
