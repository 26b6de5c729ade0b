#include "classic/classic_descriptors.h"

#include <algorithm>
#include <map>

#include "classic/classic_backend.h"

namespace cvl::classic {
namespace {

/// Offsets of the parts of a descriptor, in bytes.
struct Layout {
  std::int64_t offsets, heads, nonempty, end;

  Layout(int n, int m)
      : offsets((std::int64_t{4} * m + 7) / 8 * 8),
        heads(offsets + std::int64_t{8} * (m + std::int64_t{1})),
        nonempty(heads + std::int64_t{8} * head_words(n)),
        end(nonempty + std::int64_t{4} * (m + std::int64_t{1})) {}
};

template <class T = char>
T* at(void* sd, std::int64_t byte) {
  return reinterpret_cast<T*>(static_cast<char*>(sd) + byte);
}
template <class T = char>
const T* at(const void* sd, std::int64_t byte) {
  return reinterpret_cast<const T*>(static_cast<const char*>(sd) + byte);
}

/// The size of each heap in bytes, by its address: Backend::deallocate() needs the size.
std::map<void*, std::size_t>& heaps() {
  static auto* const sizes = new std::map<void*, std::size_t>;
  return *sizes;
}

/// Smallest distance at which overlapping ranges are moved in steps of their distance, in bytes.
constexpr std::int64_t kLongStep = 1 << 20;

}  // namespace

int units_of_descriptor(int n, int m) { return m <= 1 ? 0 : units_of_bytes(Layout(n, m).end); }

SegmentDescriptor segments(const void* sd, int n, int m) {
  if (m == 1) return SegmentDescriptor::single(n);
  if (n == 0) return {m, 0, 0, nullptr};
  const Layout layout(n, m);
  SegmentDescriptor descriptor{m, n, -1, at<std::int64_t>(sd, layout.offsets)};
  if (backend().wants_segment_heads()) {
    descriptor.heads = at<SegmentHeads>(sd, layout.heads);
    descriptor.nonempty = at<std::int32_t>(sd, layout.nonempty);
  }
  return descriptor;
}

void make_descriptor(void* sd, const Operand& lengths, int n, int m) {
  if (m <= 1) return;
  const Layout layout(n, m);
  copy_words(sd, lengths.data, std::int64_t{4} * m);
  const std::int64_t entries = m + std::int64_t{1};
  const bool with_heads = backend().wants_segment_heads();
  backend().run(MakeOffsets{lengths,
                            {ElemType::kI64, entries, at(sd, layout.offsets)},
                            {ElemType::kI32, entries, with_heads ? at(sd, layout.nonempty) : nullptr}});
  if (n == 0 || !with_heads) return;
  SegmentDescriptor descriptor = segments(sd, n, m);
  descriptor.heads = nullptr;
  backend().run(MakeSegmentHeads{descriptor, {ElemType::kI64, head_words(n), at(sd, layout.heads)}});
}

void lengths(const SegmentDescriptor& descriptor, const Result& d) {
  const auto length = static_cast<std::int32_t>(descriptor.regular_length);
  if (descriptor.is_regular()) return fill(&length, d);
  const Layout layout(0, static_cast<int>(descriptor.segments));
  copy_words(d.data, at(descriptor.offsets, -layout.offsets), 4 * descriptor.segments);
}

void copy_descriptor(void* d, const void* s, int n, int m) { copy_words(d, s, kUnitBytes * units_of_descriptor(n, m)); }

void* allocate_heap(int size) {
  start();
  if (size < 0) return nullptr;
  const auto bytes = static_cast<std::size_t>((size + std::int64_t{1}) * kUnitBytes);
  void* heap = backend().allocate(bytes);
  if (heap != nullptr) heaps()[heap] = bytes;
  return heap;
}

void free_heap(void* heap) {
  const auto found = heaps().find(heap);
  if (found == heaps().end()) return;
  backend().deallocate(heap, found->second);
  heaps().erase(found);
}

void* only_heap() {
  VC_CHECK(!heaps().empty());
  if (heaps().size() > 1) stop("alo_foz", "there is a heap already, from whose beginning handles that are ints count");
  return heaps().begin()->first;
}

/// Moves overlapping ranges in steps of their distance, so that no step reads and writes the same memory; or, if the
/// distance is short, through temporary memory.
void move(void* d, const void* s, int size) {
  const std::int64_t bytes = size * kUnitBytes;
  const std::int64_t apart = std::abs(static_cast<const char*>(d) - static_cast<const char*>(s));
  if (apart == 0 || bytes <= 0) return;
  if (apart >= bytes) return copy_words(d, s, bytes);
  if (apart < kLongStep) {
    const Temporary between(bytes);
    copy_words(between.data(), s, bytes);
    return copy_words(d, between.data(), bytes);
  }
  for (std::int64_t done = 0; done < bytes; done += apart) {
    const std::int64_t step = std::min(apart, bytes - done), from = d < s ? done : bytes - done - step;
    copy_words(at(d, from), at(s, from), step);
  }
}

void copy_words(void* d, const void* s, std::int64_t bytes) {
  if (d == s || bytes <= 0) return;
  const std::int64_t words = (bytes + 3) / 4;
  const Operand operands[] = {{ElemType::kI32, words, s}, {ElemType::kI32, words, s}};
  backend().run(Elementwise{Op::kOr, operands, {ElemType::kI32, words, d}});
}

void fill(const void* value, const Result& d) {
  backend().run(Dist{{d.type, 1, value, true}, SegmentDescriptor::single(d.length), d});
}

}  // namespace cvl::classic
