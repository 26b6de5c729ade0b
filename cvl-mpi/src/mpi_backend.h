#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cvl/backend.h"
#include "layout/distribution.h"
#include "messages/messenger.h"

namespace cvl::mpi {

struct MpiBackendOptions {
  std::int64_t block = 32768;    ///< elements of a block; see Distribution
  std::size_t memory_limit = 0;  ///< bytes of a rank's vectors
  /// Most bytes for the buffers of an exchange of elements, which otherwise goes in turns; 0: an eighth of
  /// memory_limit.
  std::size_t exchange_bytes = 0;
};

/// A backend whose vectors are divided among ranks.
class DividedBackend : public Backend {
 public:
  /// The elements of this rank, of a divided vector or of one that every rank has: see RankJob::part().
  virtual Range part(std::int64_t length) const = 0;
  /// See RankJob. Collective.
  virtual void join(const Result& vector, const void* mine, std::int64_t count) = 0;
  virtual const void* own_part(const Operand& vector) = 0;
};

/// A backend that computes with all ranks of a job: each rank makes one around a backend of its own, whose memory the
/// host can read, and calls the same functions in the same order. Short vectors are on every rank, and computed there
/// without messages; long ones are divided (layout/distribution.h). Results have the same bits for any number of ranks.
/// Downloads, faults and counts are the same on every rank. Collective.
std::unique_ptr<DividedBackend> make_mpi_backend(std::unique_ptr<Backend> inner, std::unique_ptr<Messenger> messenger,
                                                 const MpiBackendOptions& options);

}  // namespace cvl::mpi
