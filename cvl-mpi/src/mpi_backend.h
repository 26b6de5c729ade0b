#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cvl/backend.h"
#include "cvl/rank_job.h"
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
  virtual bool is_divided(std::int64_t length) const = 0;
  /// The elements of this rank, of a divided vector or of one that every rank has: see RankJob::part().
  virtual Range part(std::int64_t length) const = 0;
  // See RankJob. Collective, but for own_backend() and compute_alone().
  virtual void gather_bytes(const void* mine, const std::vector<std::size_t>& bytes, void* all) = 0;
  virtual void exchange_bytes(const void* mine, const std::vector<std::size_t>& sent, void* to,
                              const std::vector<std::size_t>& received) = 0;
  virtual void join(const Result& vector, const void* mine, const std::vector<std::int64_t>& counts) = 0;
  virtual const void* own_part(const Operand& vector) = 0;
  virtual Backend& own_backend() = 0;
  virtual void compute_alone(const std::function<void()>& work) = 0;
  virtual std::shared_ptr<const void> fetch(const Operand& vector, const RankRanges& wants) = 0;
  virtual std::vector<std::vector<std::int64_t>> gather_lists(const std::vector<std::int64_t>& mine) = 0;
};

/// A backend that computes with all ranks of a job: each rank makes one around a backend of its own, and calls the same
/// functions in the same order. Short vectors are on every rank, and computed there without messages; long ones are
/// divided (layout/distribution.h). Results have the same bits for any number of ranks. Downloads, faults and counts
/// are the same on every rank. If the host cannot read the memory of `inner`, that of a SharedDevice, `host` computes
/// for it (staging/staged_backend.h); else `host` is not used. Collective.
std::unique_ptr<DividedBackend> make_mpi_backend(std::unique_ptr<Backend> inner, std::unique_ptr<Messenger> messenger,
                                                 const MpiBackendOptions& options,
                                                 std::unique_ptr<Backend> host = nullptr);

}  // namespace cvl::mpi
