#pragma once

#include <functional>
#include <memory>

namespace cvl::cpu {

/// Threads that are kept between jobs; the only user of oneTBB.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls work(argument, slot) `times` times, on as many threads as are free, and returns when all calls have
  /// returned. Concurrent calls have different slots, which are less than the number of threads; the calling thread has
  /// slot 0.
  void run(int times, void (*work)(void*, int), void* argument);

  /// Tasks that the threads of the pool do when they are free.
  class Group {
   public:
    explicit Group(ThreadPool& pool);
    ~Group();  ///< waits for all tasks
    void start(std::function<void()> work);
    /// Returns when all tasks have been done; the calling thread does some of them.
    void wait();

   private:
    struct Tasks;
    ThreadPool& pool_;
    std::unique_ptr<Tasks> tasks_;
  };

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace cvl::cpu
