#pragma once

#include "vcode-interp/run_flags.h"

namespace nesl_cli {

/// How the command line wants NESL programs to be run.
struct Flags : interp::RunFlags {
  int optimization = 2;  ///< 0: as the compiler leaves them, 1: all but fusion, 2: operations become kernels
};

}  // namespace nesl_cli
