#include "operations/scatters/chunked_scatter.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {

void copy_defaults(Context& context, const Operand& defaults, const Result& result) {
  if (defaults.data == result.data) return;
  const std::int64_t bytes = result.length * static_cast<std::int64_t>(elem_size(result.type));
  context.parallel.for_ranges(bytes, kBytesBlock, [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(static_cast<char*>(result.data) + begin, static_cast<const char*>(defaults.data) + begin,
                static_cast<std::size_t>(end - begin));
  });
}

void fill_zero(Context& context, void* data, std::int64_t bytes) {
  context.parallel.for_ranges(bytes, kBytesBlock, [&](std::int64_t begin, std::int64_t end) {
    std::memset(static_cast<char*>(data) + begin, 0, static_cast<std::size_t>(end - begin));
  });
}

ChunkedScatter::ChunkedScatter(Context& context, const SegmentDescriptor& elements, const SegmentDescriptor& positions,
                               bool flagged, ElemType indices, Result result)
    : job_{.source = nullptr,
           .indices = nullptr,
           .flags = nullptr,
           .from = elements,
           .to = positions,
           .result = result.data},
      context_(context),
      is_permutation_(!flagged && elements.elements == positions.elements),
      wide_(needs_wide_positions(elements, positions)),
      size_(elem_size(result.type)),
      run_(context.kernels.scatter.at(is_permutation_ ? ScatterMode::kPermutation : ScatterMode::kMarked, result.type,
                                      indices, wide_)) {}

bool ChunkedScatter::begin() {
  if (is_permutation_) return true;
  const std::int64_t n = job_.to.elements;
  marks_ = context_.arena.scratch<std::uint8_t>(n);
  if (marks_ == nullptr) {
    context_.faults.report(FaultKind::kOutOfMemory, 0, n);
    return false;
  }
  job_.marks = marks_.get();
  fill_zero(context_, job_.marks, n);
  fill_zero(context_, job_.result, n * static_cast<std::int64_t>(size_));
  return true;
}

bool ChunkedScatter::write(const void* source, const void* indices, const bool* flags, const Chunk& chunk) {
  VC_CHECK(is_permutation_ || marks_ != nullptr);
  ScatterJob job = job_;
  job.source = source;
  job.indices = indices;
  job.flags = flags;
  const ScatterOutcome outcome = run_(job, chunk);
  fingerprint_.fetch_add(outcome.fingerprint, std::memory_order_relaxed);
  written_.fetch_add(outcome.written, std::memory_order_relaxed);
  return context_.faults.check(outcome.fault);
}

void ChunkedScatter::add_written(std::uint64_t hashes) {
  VC_CHECK(is_permutation_ && !wide_);
  fingerprint_.fetch_add(hashes, std::memory_order_relaxed);
}

bool ChunkedScatter::positions_were_distinct() {
  const std::int64_t n = job_.to.elements;
  if (is_permutation_)
    return fingerprint_ == context_.position_sums[wide_].below(n, *context_.kernels.scatter.sum_positions[wide_]);
  std::atomic<std::int64_t> positions = 0;
  context_.parallel.for_ranges(n, kBytesBlock, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t here = 0;
    for (std::int64_t p = begin; p < end; ++p) here += marks_[static_cast<std::size_t>(p)];
    positions.fetch_add(here, std::memory_order_relaxed);
  });
  return positions == written_;
}

}  // namespace cvl::cpu
