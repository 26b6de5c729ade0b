#include "parallel.h"

#include <sched.h>

#include <atomic>
#include <thread>

namespace cvl::cpu {

namespace {

/// The processors this process may run on.
int processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace

Parallel::Parallel(int threads) : threads_(threads > 0 ? threads : processors()) {}
Parallel::~Parallel() = default;

void Parallel::run(std::int64_t blocks, Call* call, void* body) {
  if (!pool_) pool_ = std::make_unique<ThreadPool>(threads_);
  // Each of the workers takes blocks until none is left; a worker that comes
  // late finds none.
  std::atomic<std::int64_t> next = 0;
  auto work = [&] {
    for (std::int64_t b; (b = next.fetch_add(1, std::memory_order_relaxed)) < blocks;) call(body, b);
  };
  const int workers = static_cast<int>(std::min<std::int64_t>(threads_, blocks));
  pool_->run(
      workers, [](void* argument) { (*static_cast<decltype(work)*>(argument))(); }, &work);
}

}  // namespace cvl::cpu
