#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cvl/backend.h"
#include "messages/messenger.h"

namespace cvl::mpi {

struct MpiBackendOptions {
  std::int64_t block = 32768;    ///< elements of a block; see Distribution
  std::size_t memory_limit = 0;  ///< bytes of a rank's vectors
};

/// A backend that computes with all ranks of a job: each rank makes one around a backend of its own, whose memory the
/// host can read, and calls the same functions in the same order. Short vectors are on every rank, and computed there
/// without messages; long ones are divided (layout/distribution.h). Results have the same bits for any number of ranks.
/// Downloads, faults and counts are the same on every rank. Collective.
std::unique_ptr<Backend> make_mpi_backend(std::unique_ptr<Backend> inner, std::unique_ptr<Messenger> messenger,
                                          const MpiBackendOptions& options);

}  // namespace cvl::mpi
