#pragma once

#include <vector>

#include "vcode/program.h"

namespace interp {

/// For each function of a program whether its calls may be cut into any pieces: neither the function nor one that it
/// calls sums FLOATs up, so that its results do not depend on the cut (docs/vcode.md), and it is not called by a
/// function with pieces that does, whose pieces are sized by samples of all that it calls.
std::vector<bool> functions_cut_anywhere(const vcode::Program& program);

}  // namespace interp
