#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cvl/backend.h"

namespace cvl {

/// Some consecutive elements for each rank: the first one, and the one behind the last.
using RankRanges = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// The job of several processes, its ranks, that run one program together (cvl-mpi). All functions but rank(), ranks(),
/// is_divided(), own_backend(), compute_alone() and fail() are collective: every rank calls the same ones in the same
/// order, between operations of the job's backend.
class RankJob {
 public:
  virtual ~RankJob() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// Replaces the bytes at `data` by those of rank `root`.
  virtual void broadcast(void* data, std::size_t bytes, int root = 0) = 0;
  /// A number of each rank, in the order of ranks.
  virtual std::vector<std::int64_t> gather(std::int64_t number) = 0;
  /// Fills `all` with bytes[r] bytes of each rank r, in the order of ranks; those of this rank are at `mine`.
  virtual void gather(const void* mine, const std::vector<std::size_t>& bytes, void* all) = 0;
  /// Sends to each rank r the next sent[r] bytes at `mine`, and puts those that it gets, received[r] from each rank r,
  /// one behind the other to `to`.
  virtual void exchange(const void* mine, const std::vector<std::size_t>& sent, void* to,
                        const std::vector<std::size_t>& received) = 0;
  /// A backend that computes with all ranks, each by the library `inner`; for "auto" by processors. Of a library with
  /// devices, the ranks of a machine take one after the other of `devices`, or of all if there are none named, and then
  /// the first one again. Null on failure of any rank, with the reason in `error`. The job outlives it.
  virtual std::unique_ptr<Backend> make_backend(const std::string& inner, const std::vector<int>& devices,
                                                const BackendOptions& options, std::string& error) = 0;

  // Vectors in the memory of the backend that make_backend() has made.

  /// Whether ranks have different elements of a vector of a length; if not, all have all of them.
  virtual bool is_divided(std::int64_t length) const = 0;
  /// The elements of a vector of a length that belong to this rank: first element, and number. The parts of all ranks
  /// follow one another.
  virtual std::pair<std::int64_t, std::int64_t> part(std::int64_t length) const = 0;
  /// Fills a vector: each rank r has counts[r] of its elements at `mine`, and those of all ranks follow one another.
  virtual void join(const Result& vector, const void* mine, const std::vector<std::int64_t>& counts) = 0;
  /// Address of this rank's part() of a vector, which the host can read until the next operation.
  virtual const void* own_part(const Operand& vector) = 0;

  // Computations of one rank without the others.

  /// A backend of this rank alone, which lives as long as the job's. Its memory counts toward the limit of the job's
  /// backend.
  virtual Backend& own_backend() = 0;
  /// Calls `work`, which computes on own_backend(), and counts its time as work of this rank.
  virtual void compute_alone(const std::function<void()>& work) = 0;
  /// Brings the elements wants[r] of a vector to each rank r. Returns the address of those of this rank; they may be a
  /// part of the vector itself, or a copy that lives as long as the pointer.
  virtual std::shared_ptr<const void> fetch(const Operand& vector, const RankRanges& wants) = 0;
  /// The numbers of each rank, in the order of ranks; each may have another count of them.
  virtual std::vector<std::vector<std::int64_t>> gather_lists(const std::vector<std::int64_t>& mine) = 0;

  /// Ends the job: nothing may follow.
  virtual void finish() = 0;
  /// Ends the processes of all ranks because of a failure that the others may not have. `message`, of one or several
  /// lines, is printed, with rank and machine, to the standard error that the process was started with; if it is empty,
  /// nothing is.
  [[noreturn]] virtual void fail(const std::string& message, int status) = 0;
};

/// A communicator of an MPI library that a process has started already.
struct Communicator {
  std::string library;  ///< "openmpi" or "mpich"
  int handle = 0;       ///< of Fortran, which is an int in all libraries
};

/// Type of the function cvl_join_rank_job that libcvl-mpi.so exports. With a communicator, its ranks are the job;
/// without one, those that a launcher has started. Returns null, and fills `error`, if the process cannot take part;
/// null with an empty `error` if no launcher has started it as one of several ranks.
using JoinRankJobFn = RankJob*(const Communicator* communicator, std::string& error);

/// The job that this process was started in, by libcvl-mpi.so in one of `directories`; to be called once. Null if the
/// process is not one of several ranks, or on failure, with the reason in `error`.
std::unique_ptr<RankJob> join_rank_job(const std::vector<std::string>& directories, std::string& error);
/// The job of the ranks of a communicator. Null on failure, with the reason in `error`. A process has one at a time.
/// Collective.
std::unique_ptr<RankJob> join_rank_job(const std::vector<std::string>& directories, const Communicator& communicator,
                                       std::string& error);

}  // namespace cvl
