#pragma once

#include <cstdint>
#include <vector>

#include "cvl/rank_job.h"
#include "runtime/evaluator.h"

namespace interp {

/// A vector of which each rank of a job has `length` elements at `mine`, in the memory of the host; those of all ranks
/// follow one another. kNone if memory is exhausted, on all ranks. Collective.
runtime::Value join_parts(cvl::RankJob& job, runtime::Evaluator& evaluator, vcode::ElemType type, const void* mine,
                          std::int64_t length);
/// The same if all ranks know the number of elements of each rank.
runtime::Value join_parts(cvl::RankJob& job, runtime::Evaluator& evaluator, vcode::ElemType type, const void* mine,
                          const std::vector<std::int64_t>& counts);

}  // namespace interp
