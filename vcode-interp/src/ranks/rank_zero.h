#pragma once

#include <functional>
#include <vector>

#include "cvl/rank_job.h"
#include "runtime/evaluator.h"

namespace interp {

/// Computes vectors on rank 0 of a job, which alone has the streams, and gives them to all ranks; a RunError that
/// `work` throws is thrown by all ranks. The host has copies of the operands, which `work` reads, on all ranks before.
/// `work` must not use the device otherwise, as the other ranks do not take part. Collective.
std::vector<runtime::Value> compute_on_rank_zero(cvl::RankJob& job, runtime::Evaluator& evaluator,
                                                 std::span<const runtime::Value> operands,
                                                 const std::function<std::vector<runtime::Value>()>& work);

}  // namespace interp
