#pragma once

#include "fcode-opt/optimize.h"
#include "nesl-compiler/session.h"
#include "vcode-interp/run_flags.h"

namespace nesl_cli {

/// The command-line options about optimizing and running NESL programs.
struct Flags : interp::RunFlags {
  fcode_opt::OptimizeOptions optimize;
  nesl::CheckedOperations checks;
};

/// Default options of `nesl compile` and nesl2vcode: all optimizations whose result other VCODE interpreters can run.
inline const fcode_opt::OptimizeOptions kCompileOptions = {.level = 1};

}  // namespace nesl_cli
