#pragma once

#include "fcode-opt/optimize.h"
#include "vcode-interp/run_flags.h"

namespace nesl_cli {

/// How the command line wants NESL programs to be optimized and run.
struct Flags : interp::RunFlags {
  fcode_opt::OptimizeOptions optimize;
};

/// What `nesl compile` and nesl2vcode do unless told otherwise: everything that other interpreters of VCODE understand.
inline const fcode_opt::OptimizeOptions kCompileOptions = {.level = 1};

}  // namespace nesl_cli
