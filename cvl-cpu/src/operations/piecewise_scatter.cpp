#include "operations/piecewise_scatter.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "tuning/piece_tuning.h"

namespace cvl::cpu {

void fill_zero(Context& context, void* data, std::int64_t bytes) {
  context.parallel.for_ranges(bytes, kBytesBlock, [&](std::int64_t begin, std::int64_t end) {
    std::memset(static_cast<char*>(data) + begin, 0, static_cast<std::size_t>(end - begin));
  });
}

PiecewiseScatter::PiecewiseScatter(Context& context, const SegmentMap& elements, const SegmentMap& places, bool flagged,
                                   ElemType indices, Result result)
    : job_{.source = nullptr,
           .indices = nullptr,
           .flags = nullptr,
           .from = elements,
           .to = places,
           .result = result.data},
      context_(context),
      is_permutation_(!flagged && elements.elements == places.elements),
      wide_(needs_wide_places(elements, places)),
      size_(elem_size(result.type)),
      run_(context.kernels.scatter.at(is_permutation_ ? ScatterMode::kPermutation : ScatterMode::kMarked, result.type,
                                      indices, wide_)) {}

bool PiecewiseScatter::begin() {
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

bool PiecewiseScatter::write(const void* source, const void* indices, const bool* flags, const Piece& piece) {
  VC_CHECK(is_permutation_ || marks_ != nullptr);
  ScatterJob job = job_;
  job.source = source;
  job.indices = indices;
  job.flags = flags;
  const ScatterOutcome outcome = run_(job, piece);
  fingerprint_.fetch_add(outcome.fingerprint, std::memory_order_relaxed);
  written_.fetch_add(outcome.written, std::memory_order_relaxed);
  return context_.faults.check(outcome.fault);
}

void PiecewiseScatter::add_written(std::uint64_t hashes) {
  VC_CHECK(is_permutation_ && !wide_);
  fingerprint_.fetch_add(hashes, std::memory_order_relaxed);
}

bool PiecewiseScatter::places_were_distinct() {
  const std::int64_t n = job_.to.elements;
  if (is_permutation_)
    return fingerprint_ == context_.place_sums[wide_].below(n, *context_.kernels.scatter.sum_places[wide_]);
  std::atomic<std::int64_t> places = 0;
  context_.parallel.for_ranges(n, kBytesBlock, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t here = 0;
    for (std::int64_t p = begin; p < end; ++p) here += marks_[static_cast<std::size_t>(p)];
    places.fetch_add(here, std::memory_order_relaxed);
  });
  return places == written_;
}

}  // namespace cvl::cpu
