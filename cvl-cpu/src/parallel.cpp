#include "parallel.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>

namespace cvl::cpu {

struct Parallel::Pool {
  // More threads than processors are allowed when asked for (tests do), so the global limit is lifted.
  explicit Pool(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)), arena(threads) {}
  tbb::global_control limit;
  tbb::task_arena arena;
};

Parallel::Parallel(int threads) : threads_(threads > 0 ? threads : tbb::info::default_concurrency()) {}
Parallel::~Parallel() = default;

void Parallel::run(std::int64_t blocks, Call* call, void* body) {
  if (!pool_) pool_ = std::make_unique<Pool>(threads_);
  // Each of the workers takes blocks until none is left; a worker that comes late finds none.
  std::atomic<std::int64_t> next = 0;
  const int workers = static_cast<int>(std::min<std::int64_t>(threads_, blocks));
  pool_->arena.execute([&] {
    tbb::parallel_for(
        0, workers, 1,
        [&](int) {
          for (std::int64_t b; (b = next.fetch_add(1, std::memory_order_relaxed)) < blocks;) call(body, b);
        },
        tbb::simple_partitioner());
  });
}

}  // namespace cvl::cpu
