#pragma once

#include "vcode/program.h"

namespace vcode {

/// Runs every function reachable from the entry symbolically, on types instead of values, and reports instructions that
/// cannot work: stack underflow, operands of the wrong type, branches that leave different stacks on which the program
/// then relies, calls that can only fail, constants too large for `widths`. An instruction that may work, depending on
/// values known only at run time, is accepted and left to the checks of the interpreter. With `strict`, IF demands a
/// Bool and LENGTH a vector of its suffix's type (legacy -c).
void validate(const Program& program, Widths widths, bool strict, base::Diagnostics& diagnostics);

}  // namespace vcode
