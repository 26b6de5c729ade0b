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

  /// Calls work(argument) `times` times, on as many threads as are free, and returns when all calls have.
  void run(int times, void (*work)(void*), void* argument);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace cvl::cpu
