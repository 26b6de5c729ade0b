#pragma once

#include <string>

#include "fcode-opt/optimize.h"

namespace nesl_cli {

/// What the interpreter runs: a compiled program, optimized. What --print-before and --print-after ask for goes to
/// standard error.
vcode::Program executable(vcode::letform::Program program, const fcode_opt::OptimizeOptions& options);

/// What fusion does to a compiled program.
struct FusionExplained {
  std::string text;  ///< in lines, below the let-form that they speak of; empty if it has no operations on vectors
  vcode::Program program;  ///< with kernels
};
FusionExplained explain_fusion(vcode::letform::Program program);

}  // namespace nesl_cli
