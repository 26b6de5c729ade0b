// The thread sanitizer does not see the synchronisation inside the oneTBB library. This file, the only one that
// includes oneTBB's headers, is therefore compiled without the sanitizer and declares here which order oneTBB
// establishes.

#include "base/thread_pool.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <optional>

#ifdef NESL_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace cvl::cpu {

namespace {

/// Tells the sanitizer that later code of this thread happens after the code that any thread ran before it released the
/// same address.
void acquire([[maybe_unused]] void* address) {
#ifdef NESL_THREAD_SANITIZER
  __tsan_acquire(address);
#endif
}

void release([[maybe_unused]] void* address) {
#ifdef NESL_THREAD_SANITIZER
  __tsan_release(address);
#endif
}

}  // namespace

struct ThreadPool::Arena {
  explicit Arena(int threads) : arena(threads) {
    // Tests use more threads than there are processors, so the global limit is raised for them. Otherwise the limit is
    // left alone, because the least limit holds for all pools of the process.
    if (threads > tbb::info::default_concurrency())
      limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  }
  std::optional<tbb::global_control> limit;
  tbb::task_arena arena;
};

ThreadPool::ThreadPool(int threads) : arena_(std::make_unique<Arena>(threads)) {}
ThreadPool::~ThreadPool() = default;

void ThreadPool::run(int times, void (*work)(void*, int), void* argument) {
  const auto call = [=](int) {
    acquire(argument);
    work(argument, tbb::this_task_arena::current_thread_index());
    release(argument);
  };
  release(argument);
  // Isolation keeps a thread that waits for the others from beginning a task of a group.
  arena_->arena.execute(
      [&] { tbb::this_task_arena::isolate([&] { tbb::parallel_for(0, times, 1, call, tbb::simple_partitioner()); }); });
  acquire(argument);
}

struct ThreadPool::Group::Tasks {
  tbb::task_group group;
};

ThreadPool::Group::Group(ThreadPool& pool) : pool_(pool), tasks_(std::make_unique<Tasks>()) {}
ThreadPool::Group::~Group() { wait(); }

void ThreadPool::Group::start(std::function<void()> work) {
  release(this);
  pool_.arena_->arena.execute([&] {
    tasks_->group.run([this, work = std::move(work)] {
      acquire(this);
      work();
      release(this);
    });
  });
}

void ThreadPool::Group::wait() {
  pool_.arena_->arena.execute([&] { tasks_->group.wait(); });
  acquire(this);
}

}  // namespace cvl::cpu
