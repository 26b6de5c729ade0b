#include "cvl/compiler_thread.h"

#include <utility>

namespace cvl {

CompilerThread::~CompilerThread() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void CompilerThread::submit(const void* owner, std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({owner, std::move(work)});
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
}

void CompilerThread::withdraw(const void* owner) {
  std::unique_lock lock(mutex_);
  std::erase_if(waiting_, [&](const Task& task) { return task.owner == owner; });
  changed_.wait(lock, [&] { return at_work_ != owner; });
}

void CompilerThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopped_ || !waiting_.empty(); });
    if (stopped_) return;
    const Task task = std::move(waiting_.front());
    waiting_.pop_front();
    at_work_ = task.owner;
    lock.unlock();
    task.work();
    lock.lock();
    at_work_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace cvl
