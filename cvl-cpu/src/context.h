#pragma once

#include "arena.h"
#include "faults.h"
#include "kernels.h"
#include "parallel.h"

namespace cvl::cpu {

/// What the operations of one backend work with.
struct Context {
  const Kernels& kernels;
  Parallel& parallel;
  Arena& arena;
  FaultSink& faults;
};

}  // namespace cvl::cpu
