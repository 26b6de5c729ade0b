#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "messages/messenger.h"

namespace cvl::mpi {

/// Ranks that are threads of one process and exchange bytes through its memory: for tests, and for counting messages
/// exactly. Also checks that the ranks agree on each call, which an MPI library need not notice.
class ThreadRanks {
 public:
  explicit ThreadRanks(int ranks);
  ThreadRanks(const ThreadRanks&) = delete;
  ThreadRanks& operator=(const ThreadRanks&) = delete;

  int ranks() const { return static_cast<int>(calls_.size()); }
  /// The messenger of a rank, for one thread. It must not outlive this object.
  std::unique_ptr<Messenger> messenger(int rank);
  /// Makes every waiting and every later call of a messenger throw BackendLost: a rank has failed.
  void fail();
  /// Makes call number `call`, from 1 on, of the messengers of a rank throw BackendLost, as if its messages were lost.
  void lose(int rank, std::int64_t call);

 private:
  friend class ThreadMessenger;

  enum class Kind : std::uint8_t { kExchange, kCounts, kGather, kReduce, kBroadcast };
  /// The call that a rank is in.
  struct Call {
    Kind kind = Kind::kExchange;
    std::span<const Outgoing> outgoing;
    const void* data = nullptr;
    std::size_t bytes = 0;
  };

  /// Waits until every rank has called this.
  void wait_for_all();
  /// Publishes the call of a rank and waits for those of all ranks. Throws std::logic_error if they are of different
  /// kinds.
  void meet(int rank, const Call& call);

  std::vector<Call> calls_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  int waiting_ = 0;
  std::uint64_t round_ = 0;
  bool failed_ = false;
  int losing_rank_ = -1;
  std::int64_t until_lost_ = 0;  ///< calls of that rank up to the one that fails
};

}  // namespace cvl::mpi
