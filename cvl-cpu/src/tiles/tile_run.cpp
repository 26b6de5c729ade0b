#include "tiles/tile_run.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory_resource>

#include "tiles/tile_worker.h"
#include "tuning/kernel_tuning.h"

namespace cvl::cpu {

void run_tiles(Context& context, const TilePlan& plan, std::span<const CompiledRegion> compiled,
               const KernelCall& call) {
  context.faults.begin_operation();
  std::array<std::byte, kRunBytes> room;
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  TileJob job(context, plan, compiled, call, &memory);
  // Any fault makes the caller compute the kernel step by step.
  if (!job.by_one) return context.faults.report(FaultKind::kDivideByZero, 0, 0);
  if (!job.allocate()) return;
  std::pmr::vector<TileWorker> workers(job.small_memory);
  const std::int64_t most = job.in_turn ? 1 : std::min<std::int64_t>(job.chunks, context.parallel.threads());
  workers.reserve(static_cast<std::size_t>(most));
  for (std::int64_t w = 0; w < most; ++w) {
    workers.emplace_back(job);
    if (!workers.back().allocate()) return;
  }
  if (job.in_turn) {
    // A chunk with a fault passes no carries on.
    for (std::int64_t p = 0; p < job.chunks && !job.failed; ++p) workers[0].run_chunk(p);
  } else {
    std::pmr::vector<std::atomic<bool>> busy(workers.size(), job.small_memory);
    const auto run_chunk = [&](std::int64_t p) {
      std::size_t w = 0;
      while (busy[w].exchange(true, std::memory_order_acquire)) w = (w + 1) % busy.size();
      workers[w].run_chunk(p);
      busy[w].store(false, std::memory_order_release);
    };
    if (plan.has_carries())
      context.parallel.for_each_in_order(job.chunks, run_chunk);
    else
      context.parallel.for_each(job.chunks, run_chunk);
  }
  if (context.faults.any()) return;
  job.join();
  job.finish_steps();
}

}  // namespace cvl::cpu
