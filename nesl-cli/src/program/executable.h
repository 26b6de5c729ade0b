#pragma once

#include <string>
#include <vector>

#include "fcode-opt/optimize.h"

namespace nesl_cli {

/// Optimizes a compiled program for the interpreter. Output of --print-before and --print-after goes to standard error.
vcode::Program executable(vcode::letform::Program program, const fcode_opt::OptimizeOptions& options);
/// The options, for a program that any VCODE interpreter can run unless it has kernels, which only our own can.
fcode_opt::OptimizeOptions for_any_interpreter(fcode_opt::OptimizeOptions options);

/// The report about the fusion of a program.
struct FusionExplained {
  std::string text;  ///< let-form, then lines about fusion; empty if the program has no operations on vectors
  std::vector<std::string> remarks;  ///< how conditionals and loops are computed
  vcode::Program program;            ///< with kernels
  std::vector<fcode_opt::KeptApart> kept_apart;
};
FusionExplained explain_fusion(vcode::letform::Program program);

}  // namespace nesl_cli
