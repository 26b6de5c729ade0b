#pragma once

#include "base/arena.h"
#include "base/fault_sink.h"
#include "base/parallel.h"
#include "base/position_sums.h"
#include "kernels/kernels.h"

namespace cvl::cpu {

/// State that the operations of one backend share.
struct Context {
  const Kernels& kernels;
  Parallel& parallel;
  Arena& arena;
  FaultSink& faults;
  PositionSums position_sums[2] = {};  ///< for targets of 32 bits, and of 64

  /// Reports that `bytes` of working memory could not be allocated.
  void out_of_memory(std::size_t bytes) const {
    faults.begin_operation();
    faults.report(FaultKind::kOutOfMemory, 0, static_cast<std::int64_t>(bytes));
  }
};

}  // namespace cvl::cpu
