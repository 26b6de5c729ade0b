#pragma once

#include <functional>
#include <memory>

namespace cvl::cpu {

/// Threads that are kept between jobs. Nothing else depends on oneTBB.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls work(argument, slot) `times` times, on as many threads as are free, and returns when all calls have
  /// returned. Concurrent calls have different slots, which are less than the number of threads; that of the calling
  /// thread is 0.
  void run(int times, void (*work)(void*, int), void* argument);

  /// Work for the same threads, done when they are free.
  class Group {
   public:
    explicit Group(ThreadPool& pool);
    ~Group();  ///< waits, too
    void start(std::function<void()> work);
    /// Returns when all of it has been done, some of it by the calling thread.
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
