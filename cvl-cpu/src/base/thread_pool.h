#pragma once

#include <memory>

namespace cvl::cpu {

/// Threads that are kept between jobs: the only place that knows oneTBB.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls work(argument, slot) `times` times, on as many threads as are free, and returns when all calls have. The
  /// slot tells the threads apart: it is below their number, 0 in the calling thread, and a thread's for as long as it
  /// has work.
  void run(int times, void (*work)(void*, int), void* argument);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace cvl::cpu
