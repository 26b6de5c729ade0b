#pragma once

#include "base/arena.h"
#include "base/fault_sink.h"
#include "base/parallel.h"
#include "base/place_sums.h"
#include "kernels/kernels.h"

namespace cvl::cpu {

/// What the operations of one backend work with.
struct Context {
  const Kernels& kernels;
  Parallel& parallel;
  Arena& arena;
  FaultSink& faults;
  PlaceSums place_sums[2] = {};  ///< for places of 32 bits, of 64

  /// Reports that an operation found no working memory of this size.
  void out_of_memory(std::size_t bytes) const {
    faults.begin_operation();
    faults.report(FaultKind::kOutOfMemory, 0, static_cast<std::int64_t>(bytes));
  }
};

}  // namespace cvl::cpu
