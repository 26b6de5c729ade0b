#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cvl/backend.h"

namespace cvl {

/// The job of several processes, its ranks, that run one program together (cvl-mpi). All functions but rank(), ranks()
/// and fail() are collective: every rank calls the same ones in the same order, between operations of the job's
/// backend.
class RankJob {
 public:
  virtual ~RankJob() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// Replaces the bytes at `data` by those of rank 0.
  virtual void broadcast(void* data, std::size_t bytes) = 0;
  /// A number of each rank, in the order of ranks.
  virtual std::vector<std::int64_t> gather(std::int64_t number) = 0;
  /// A backend that computes with all ranks, each by the library `inner`, or one that suits for "auto". Null on failure
  /// of any rank, with the reason in `error`. The job outlives it.
  virtual std::unique_ptr<Backend> make_backend(const std::string& inner, const BackendOptions& options,
                                                std::string& error) = 0;
  /// Ends the job: nothing may follow.
  virtual void finish() = 0;
  /// Ends the processes of all ranks because of a failure that the others may not have. `message` is printed, with rank
  /// and machine, to the standard error that the process was started with; if it is empty, nothing is.
  [[noreturn]] virtual void fail(const std::string& message, int status) = 0;
};

/// Type of the function cvl_join_rank_job that libcvl-mpi.so exports. Returns null, and fills `error`, if the process
/// is one of several ranks but cannot take part; null with an empty `error` if it is none.
using JoinRankJobFn = RankJob*(std::string& error);

/// The job that this process was started in, by libcvl-mpi.so in one of `directories`; to be called once. Null if the
/// process is not one of several ranks, or on failure, with the reason in `error`.
std::unique_ptr<RankJob> join_rank_job(const std::vector<std::string>& directories, std::string& error);

}  // namespace cvl
