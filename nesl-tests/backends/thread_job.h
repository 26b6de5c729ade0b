#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cvl/rank_job.h"
#include "messages/thread_ranks.h"

namespace cvl::conformance {

/// A job whose ranks are threads of one process, each with a backend and a run of the program of its own, as the
/// processes of an MPI job are. rank_team.h is for one run on all ranks, without pieces of calls.
class ThreadJob {
 public:
  /// `block`: elements of a block of divided vectors. `memory_of_last`: bytes that the backend of the last rank alone
  /// can have for short vectors and exchanges, or its device; 0: as much as the others.
  ThreadJob(int ranks, std::int64_t block, std::size_t memory_of_last = 0);
  ~ThreadJob();

  int ranks() const { return team_.ranks(); }
  RankJob& rank(int r);
  /// See ThreadRanks.
  void lose(int rank, std::int64_t call) { team_.lose(rank, call); }
  /// Calls work(r) for each rank r on a thread of its own, and waits. Throws what a rank has thrown.
  void run(const std::function<void(int)>& work);

 private:
  class Rank;
  mpi::ThreadRanks team_;
  std::vector<std::unique_ptr<Rank>> jobs_;
};

}  // namespace cvl::conformance
