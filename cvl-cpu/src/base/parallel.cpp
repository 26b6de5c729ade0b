#include "base/parallel.h"

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

Parallel::Parallel(int threads)
    : threads_(threads > 0 ? threads : processors()), shares_(static_cast<std::size_t>(threads_)) {}
Parallel::~Parallel() = default;

template <class Work>
void Parallel::run_in_threads(std::int64_t blocks, Work& work) {
  const int workers = static_cast<int>(std::min<std::int64_t>(threads_, blocks));
  pool().run(
      workers, [](void* argument, int slot) { (*static_cast<Work*>(argument))(slot); }, &work);
}

void Parallel::run_in_shares(std::int64_t blocks, Call* call, void* body) {
  const std::int64_t shares = std::min<std::int64_t>(threads_, blocks);
  for (std::int64_t s = 0; s < shares; ++s) {
    Share& share = shares_[static_cast<std::size_t>(s)];
    share.next.store(s * blocks / shares, std::memory_order_relaxed);
    share.end = (s + 1) * blocks / shares;
  }
  // A thread that has finished its own share takes blocks from the next; a thread that starts late finds none left.
  auto work = [&](int slot) {
    for (std::int64_t s = 0; s < shares; ++s) {
      Share& share = shares_[static_cast<std::size_t>((slot + s) % shares)];
      for (std::int64_t b; (b = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;) call(body, b);
    }
  };
  run_in_threads(blocks, work);
}

void Parallel::run_in_order(std::int64_t blocks, Call* call, void* body) {
  std::atomic<std::int64_t> next = 0;
  auto work = [&](int) {
    for (std::int64_t b; (b = next.fetch_add(1, std::memory_order_relaxed)) < blocks;) call(body, b);
  };
  run_in_threads(blocks, work);
}

}  // namespace cvl::cpu
