#pragma once

#include "cvl/rank_job.h"
#include "line_source.h"

namespace nesl_cli {

/// The lines of a session of several ranks: rank 0 reads them from `lines`, and all ranks get them. `lines` is null on
/// the other ranks.
std::unique_ptr<LineSource> shared_lines(cvl::RankJob& job, std::unique_ptr<LineSource> lines);

}  // namespace nesl_cli
