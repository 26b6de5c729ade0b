#pragma once

#include <optional>

#include "cvl/rank_job.h"
#include "files/file_part.h"

namespace interp {

/// This rank's part of a sparse matrix in a Matrix Market file: some of its rows, which follow those of the ranks
/// before. Each rank reads consecutive lines, and sends their entries to the ranks of their rows. Nothing if rank 0 has
/// to read the file for all, which also finds mistakes in it. Collective.
std::optional<FileValue> read_matrix_in_parts(cvl::RankJob& job, const FileRequest& request, const SharedFile& file);

}  // namespace interp
