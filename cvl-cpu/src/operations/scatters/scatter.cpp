#include "operations/operations.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "cvl/dispatch.h"
#include "operations/scatters/chunked_scatter.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {
namespace {

/// State of one scatter.
struct Scattering {
  Context& context;
  ScatterJob job;
  ElemType indices;
  Result result;
  bool wide = needs_wide_positions(job.from, job.to);
  Partition partition{job.from, kScatterChunkItems};

  ScatterKernels::Run& kernel(ScatterMode mode) const {
    return *context.kernels.scatter.at(mode, result.type, indices, wide);
  }

  std::int64_t index_of(std::int64_t e) const {
    return elem_size(indices) == 8 ? static_cast<const std::int64_t*>(job.indices)[e]
                                   : static_cast<const std::int32_t*>(job.indices)[e];
  }

  template <class T>
  Arena::Scratch<T> scratch(std::int64_t n) {
    Arena::Scratch<T> memory = context.arena.scratch<T>(n);
    if (memory == nullptr) context.faults.report(FaultKind::kOutOfMemory, 0, n * static_cast<std::int64_t>(sizeof(T)));
    return memory;
  }

  void report_first_duplicate();
  void without_defaults();
  void with_defaults();
  void by_copies(int threads);
};

/// Reports the first element whose target an earlier element has. All indices are in range.
void Scattering::report_first_duplicate() {
  const std::int64_t words = (job.to.elements + 63) / 64;
  auto taken = scratch<std::uint64_t>(words);
  if (taken == nullptr) return;
  std::memset(taken.get(), 0, static_cast<std::size_t>(words) * sizeof(std::uint64_t));
  std::int64_t e = 0;
  for (std::int64_t k = 0; k < job.from.segments; ++k)
    for (const std::int64_t end = job.from.start(k + 1); e < end; ++e) {
      if (job.flags != nullptr && !job.flags[e]) continue;
      const std::int64_t position = job.to.start(k) + index_of(e);
      const std::uint64_t bit = std::uint64_t(1) << position % 64;
      if (taken[static_cast<std::size_t>(position / 64)] & bit)
        return context.faults.report(FaultKind::kDuplicateTarget, e, index_of(e));
      taken[static_cast<std::size_t>(position / 64)] |= bit;
    }
}

void Scattering::without_defaults() {
  ChunkedScatter scatter(context, job.from, job.to, job.flags != nullptr, indices, result);
  if (!scatter.begin()) return;
  std::atomic<bool> good = true;
  const auto write = [&](std::int64_t p) {
    if (!scatter.write(job.source, job.indices, job.flags, partition.chunk(p))) good = false;
  };
  if (job.to.is_single() && result.length * static_cast<std::int64_t>(elem_size(result.type)) <= kOneWriterBytes)
    for (std::int64_t p = 0; p < partition.chunks(); ++p) write(p);
  else
    context.parallel.for_each(partition.chunks(), write);
  if (good && !scatter.positions_were_distinct()) report_first_duplicate();
}

/// Each thread scatters a share of the elements into a copy of the result. The written targets of the copies are then
/// moved to the result in the order of the shares, so the last element for a target wins.
void Scattering::by_copies(int threads) {
  const std::int64_t n = job.to.elements, shares = threads,
                     bytes = n * static_cast<std::int64_t>(elem_size(result.type));
  auto copies = scratch<char>(shares * bytes);
  auto marks = scratch<std::uint8_t>(shares * n);
  if (copies == nullptr || marks == nullptr) return;
  ScatterKernels::Run& body = kernel(ScatterMode::kMarked);
  context.parallel.for_each(shares, [&](std::int64_t t) {
    ScatterJob own = job;
    own.result = copies.get() + t * bytes;
    own.marks = marks.get() + t * n;
    std::memset(own.marks, 0, static_cast<std::size_t>(n));
    for (std::int64_t p = t * partition.chunks() / shares; p < (t + 1) * partition.chunks() / shares; ++p)
      if (!context.faults.check(body(own, partition.chunk(p)).fault)) return;
  });
  with_type(result.type, [&]<class T>() {
    context.parallel.for_ranges(n, kScatterChunkItems, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t t = 0; t < shares; ++t) {
        const T* const copy = reinterpret_cast<const T*>(copies.get() + t * bytes);
        for (std::int64_t p = begin; p < end; ++p)
          if (marks[static_cast<std::size_t>(t * n + p)] != 0) static_cast<T*>(result.data)[p] = copy[p];
      }
    });
  });
}

/// Scatters into the result, which holds the defaults already.
void Scattering::with_defaults() {
  const std::int64_t n = job.to.elements;
  const int threads = partition.chunks() <= 1 ? 1 : context.parallel.threads();
  if (threads > 1 && n * threads * kElementsForCopies <= job.from.elements) return by_copies(threads);
  if (threads <= kMostOwners) {
    // Each thread owns a share of the targets, reads all elements in order and writes only to its targets.
    ScatterKernels::Run& body = kernel(ScatterMode::kOwned);
    const std::int64_t share = (n + threads - 1) / threads;
    context.parallel.for_each(threads, [&](std::int64_t t) {
      ScatterJob own = job;
      own.own_begin = std::min(n, t * share);
      own.own_end = std::min(n, (t + 1) * share);
      context.faults.check(body(own, {0, job.from.elements, 0, job.from.segments}).fault);
    });
    return;
  }
  const std::int64_t bytes = n * (wide ? 8 : 4);
  auto writers = scratch<char>(bytes);
  if (writers == nullptr) return;
  job.writers = writers.get();
  fill_zero(context, job.writers, bytes);
  std::atomic<bool> good = true;
  ScatterKernels::Run& note = kernel(ScatterMode::kLastWriter);
  context.parallel.for_each(partition.chunks(), [&](std::int64_t p) {
    if (!context.faults.check(note(job, partition.chunk(p)).fault)) good = false;
  });
  if (!good) return;
  ScatterKernels::Resolve& resolve = *context.kernels.scatter.resolve[ScatterKernels::size_index(result.type)][wide];
  context.parallel.for_ranges(n, kScatterChunkItems,
                              [&](std::int64_t begin, std::int64_t end) { resolve(job, begin, end); });
}

}  // namespace

void run(Context& context, const Scatter& scatter) {
  context.faults.begin_operation();
  const bool* flags = !scatter.flags ? nullptr : static_cast<const bool*>(scatter.flags->data);
  Scattering work{context,
                  {scatter.source.data, scatter.indices.data, flags, scatter.from, scatter.to, scatter.result.data},
                  scatter.indices.type,
                  scatter.result};
  if (!scatter.defaults) return work.without_defaults();
  copy_defaults(context, *scatter.defaults, scatter.result);
  work.with_defaults();
}

}  // namespace cvl::cpu
