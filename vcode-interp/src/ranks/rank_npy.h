#pragma once

#include <functional>
#include <span>
#include <string>

#include "cvl/rank_job.h"
#include "files/file_value.h"
#include "runtime/value.h"

namespace interp {

/// Files with fewer bytes are read and written by rank 0.
inline constexpr std::int64_t kLeastBytesOfParts = 1 << 16;

/// Does a rank's part of some work. False, on all ranks, if it threw NotInParts on one of them. Throws, on all ranks,
/// the FileError of the first rank that has one. Collective.
bool agree_on_part(cvl::RankJob& job, const std::function<void()>& work);

/// Writes the vectors of a value as an .npy file, each rank its part, to a temporary file that rank 0 renames when all
/// have succeeded. False if that is impossible: for values that are short or have rows of several lengths, and where
/// ranks share no file system. Throws the same FileError on all ranks; a regular file is then unchanged. Collective.
bool write_npy_in_parts(cvl::RankJob& job, const FileRequest& request, std::span<const runtime::Value> values);

}  // namespace interp
