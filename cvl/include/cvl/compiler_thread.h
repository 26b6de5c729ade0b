#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace cvl {

/// A thread that compiles kernels beside the run, one after the other. Started by the first task.
class CompilerThread {
 public:
  CompilerThread() = default;
  /// Waits for the task that is running; waiting tasks are dropped.
  ~CompilerThread();
  CompilerThread(const CompilerThread&) = delete;
  CompilerThread& operator=(const CompilerThread&) = delete;

  /// Queues work, which may not throw. withdraw() finds it by its `owner`, which may be null for work that is complete
  /// in itself. Throws std::system_error if no thread can be started.
  void submit(const void* owner, std::function<void()> work);
  /// Drops waiting work of `owner`, and returns when none of its work is running.
  void withdraw(const void* owner);

 private:
  struct Task {
    const void* owner = nullptr;
    std::function<void()> work;
  };
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> waiting_;
  const void* at_work_ = nullptr;  ///< the owner of the running work
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace cvl
