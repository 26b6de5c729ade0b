#pragma once

#include <vector>

#include "vcode/program.h"

namespace interp {

/// For each function of a program whether its calls may be cut into any pieces: neither the function nor one that it
/// calls sums FLOATs up, so that its results do not depend on the cut (docs/vcode.md), and it is not called by a
/// function with pieces that does, whose pieces are sized by samples of all that it calls.
std::vector<bool> functions_cut_anywhere(const vcode::Program& program);

/// For each function whether its calls may be divided among devices whose memories are apart: calls may be cut into
/// any pieces, and lead to recursion or a loop, whose work may exceed that of copying operands and results.
/// `is_recursive`: see LinkedProgram.
std::vector<bool> functions_for_devices(const vcode::Program& program, const std::vector<bool>& is_recursive);

}  // namespace interp
