#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace cvl {

/// A thread that compiles kernels beside the run, one after the other. It is started when there is something to do.
class CompilerThread {
 public:
  CompilerThread() = default;
  /// Waits for what is being done; what is waiting is never done.
  ~CompilerThread();
  CompilerThread(const CompilerThread&) = delete;
  CompilerThread& operator=(const CompilerThread&) = delete;

  /// What is left to do when the owner of a work is no longer needed for it; may be empty.
  using Rest = std::function<void()>;
  /// Has `work`, and then what it returns, done by the thread, some time. Neither may throw. `owner` names the work for
  /// withdraw(), but not the rest. Throws std::system_error if no thread can be started.
  void submit(const void* owner, std::function<Rest()> work);
  /// Returns when no work of this owner is waiting or being done.
  void withdraw(const void* owner);

 private:
  struct Task {
    const void* owner = nullptr;
    std::function<Rest()> work;
  };
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> waiting_;
  const void* at_work_ = nullptr;  ///< the owner of what the thread does
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace cvl
