#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "cvl/backend.h"

namespace cvl::conformance {

struct RankTeamOptions {
  int ranks = 3;
  std::int64_t block = 4;          ///< elements of a block of divided vectors
  std::size_t exchange_bytes = 0;  ///< see MpiBackendOptions
};

/// All ranks of a job as one backend: each function is called on every rank, which is a thread of this process with a
/// backend of its own. Ends the program if ranks disagree in a result, such as the bytes of a download or a fault. The
/// addresses that it gives are those of rank 0. `make_host`: see make_mpi_backend().
std::unique_ptr<Backend> make_rank_team(const std::function<std::unique_ptr<Backend>()>& make_inner,
                                        const std::function<std::unique_ptr<Backend>()>& make_host,
                                        std::size_t memory_limit, const RankTeamOptions& options);

}  // namespace cvl::conformance
