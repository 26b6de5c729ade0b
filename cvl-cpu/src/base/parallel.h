#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/check.h"
#include "base/thread_pool.h"

namespace cvl::cpu {

/// The threads of a backend. Work is divided into blocks whose size does not depend on the number of threads, so the
/// results of a block, including the association of floats, do not either. Work of a single block runs in the calling
/// thread; the first work of several blocks starts the threads.
class Parallel {
 public:
  explicit Parallel(int threads);
  ~Parallel();
  Parallel(const Parallel&) = delete;
  Parallel& operator=(const Parallel&) = delete;

  int threads() const { return threads_; }
  /// The thread pool itself, for work that is not divided into blocks.
  ThreadPool& pool() {
    if (!pool_) pool_ = std::make_unique<ThreadPool>(threads_);
    return *pool_;
  }

  /// Calls body(block) once for each block in [0, blocks). Each thread begins with its own share of consecutive blocks,
  /// which is the same in every operation on as many blocks: the thread may still have them in its cache.
  template <class Body>
  void for_each(std::int64_t blocks, Body&& body) {
    run_blocks(blocks, body, &Parallel::run_in_shares);
  }

  /// Calls body(block) once for each block in [0, blocks). Threads take blocks in increasing order, so a block may wait
  /// for blocks with smaller numbers.
  template <class Body>
  void for_each_in_order(std::int64_t blocks, Body&& body) {
    run_blocks(blocks, body, &Parallel::run_in_order);
  }

  /// Calls body(begin, end) for consecutive ranges of `block` items (the last may have fewer) that cover [0, items).
  template <class Body>
  void for_ranges(std::int64_t items, std::int64_t block, Body&& body) {
    VC_CHECK(block > 0);
    for_each((items + block - 1) / block, [&](std::int64_t b) { body(b * block, std::min(items, (b + 1) * block)); });
  }

 private:
  using Call = void(void* body, std::int64_t block);
  using Run = void (Parallel::*)(std::int64_t blocks, Call* call, void* body);

  template <class Body>
  void run_blocks(std::int64_t blocks, Body& body, Run run) {
    if (blocks <= 1 || threads_ == 1) {
      for (std::int64_t b = 0; b < blocks; ++b) body(b);
    } else {
      (this->*run)(
          blocks, [](void* f, std::int64_t b) { (*static_cast<Body*>(f))(b); },
          const_cast<void*>(static_cast<const void*>(&body)));
    }
  }
  void run_in_shares(std::int64_t blocks, Call* call, void* body);
  void run_in_order(std::int64_t blocks, Call* call, void* body);
  /// Calls work(slot) in each of the threads; slots are numbered from 0.
  template <class Work>
  void run_in_threads(std::int64_t blocks, Work& work);

  /// Blocks of one thread that have not begun, in a cache line of their own.
  struct alignas(64) Share {
    std::atomic<std::int64_t> next = 0;
    std::int64_t end = 0;
  };

  int threads_;
  std::unique_ptr<ThreadPool> pool_;  ///< made on first use
  std::vector<Share> shares_;         ///< one for each thread
};

}  // namespace cvl::cpu
