#include "classic/classic_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/streaming.h"
#include "classic/classic_library.h"
#include "operations/operations.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu::classic {
namespace {

/// Size of the page before a heap, which stores the bytes of page and heap.
constexpr std::size_t kHeadBytes = 4096;

}  // namespace

int units_of_descriptor(int, int m) { return m <= 1 ? 0 : units_of_bytes((m + std::int64_t{2}) * 8); }

SegmentDescriptor segments(const void* sd, int n, int m) {
  if (m == 1) return SegmentDescriptor::single(n);
  if (n == 0) return {m, 0, 0, nullptr};
  const auto* offsets = static_cast<const std::int64_t*>(sd);
  const std::int64_t length = offsets[m + 1];
  return {m, n, length, length >= 0 ? nullptr : offsets};
}

void make_descriptor(void* sd, const Operand& lengths, int n, int m) {
  if (m == 1 && *static_cast<const std::int32_t*>(lengths.data) == n && n >= 0) return;
  Context& context = library().context;
  const LengthsSummary summary = summarize_lengths(context, {lengths, {}, {}});
  if (context.faults.any()) return;
  if (summary.total != n)
    stop("mke_fov", "the lengths sum up to " + std::to_string(summary.total) + ", but n is " + std::to_string(n));
  if (m <= 1) return;
  auto* offsets = static_cast<std::int64_t*>(sd);
  offsets[m + 1] = summary.regular_length;
  if (summary.regular_length < 0) run(context, MakeOffsets{lengths, {ElemType::kI64, m + 1, offsets}, {}});
}

void lengths(const SegmentDescriptor& descriptor, const Result& result) {
  auto* out = static_cast<std::int32_t*>(result.data);
  library().parallel.for_ranges(descriptor.segments, kLengthsBlock, [&](std::int64_t begin, std::int64_t end) {
    if (descriptor.is_regular())
      std::fill(out + begin, out + end, static_cast<std::int32_t>(descriptor.regular_length));
    else
      for (std::int64_t k = begin; k < end; ++k)
        out[k] = static_cast<std::int32_t>(descriptor.offsets[k + 1] - descriptor.offsets[k]);
  });
}

void copy_descriptor(void* d, const void* s, int n, int m) { copy_bytes(d, s, kUnitBytes * units_of_descriptor(n, m)); }

void* allocate_heap(int size) {
  start();
  if (size < 0) return nullptr;
  const std::size_t bytes = kHeadBytes + static_cast<std::size_t>(size * kUnitBytes);
  void* head = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (head == MAP_FAILED) return nullptr;
  madvise(head, bytes, MADV_HUGEPAGE);  // the first touch of small pages costs several times as much
  *static_cast<std::size_t*>(head) = bytes;
  return static_cast<char*>(head) + kHeadBytes;
}

void free_heap(void* heap) {
  if (heap == nullptr) return;
  void* head = static_cast<char*>(heap) - kHeadBytes;
  munmap(head, *static_cast<std::size_t*>(head));
}

/// Moves overlapping ranges in steps of their distance, so that no step reads what it writes.
void move(void* d, const void* s, int size) {
  auto* to = static_cast<char*>(d);
  const auto* from = static_cast<const char*>(s);
  const std::int64_t bytes = size * kUnitBytes, apart = std::abs(to - from);
  if (apart == 0 || bytes <= 0) return;
  if (apart >= bytes) return copy_bytes(to, from, bytes);
  if (apart < 2 * kBytesBlock) {
    std::memmove(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  for (std::int64_t done = 0; done < bytes; done += apart) {
    const std::int64_t step = std::min(apart, bytes - done), at = to < from ? done : bytes - done - step;
    copy_bytes(to + at, from + at, step);
  }
}

void copy_bytes(void* to, const void* from, std::int64_t bytes) {
  if (to == from || bytes <= 0) return;
  const TileKernels& kernels = library().kernels.tile;
  const bool stream = bytes >= stream_bytes();
  library().parallel.for_ranges(bytes, kBytesBlock, [&](std::int64_t begin, std::int64_t end) {
    char* t = static_cast<char*>(to) + begin;
    const char* f = static_cast<const char*>(from) + begin;
    const auto n = static_cast<std::size_t>(end - begin);
    if (stream) {
      kernels.stream(t, f, n);
      kernels.fence();
    } else {
      std::memcpy(t, f, n);
    }
  });
}

}  // namespace cvl::cpu::classic
