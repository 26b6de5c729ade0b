#pragma once

#include <bit>
#include <cstdint>

#include "cvl/backend.h"
#include "vcode/arith.h"

namespace cvl::cuda {

VC_HD inline int count_bits(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __popc(bits);
#else
  return std::popcount(bits);
#endif
}

/// a / b rounded up, for a >= 0.
VC_HD inline std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  // A 64-bit division takes several times as long.
  if ((a | b) <= INT32_MAX) return (std::uint32_t(a) + std::uint32_t(b) - 1) / std::uint32_t(b);
  return (a + b - 1) / b;
}

// Kernels whose elements depend on the form of a segmentation have it as a template argument, to avoid a test per
// element.

/// How the starts of segments are computed. kAny tests the form at run time, for code where speed does not matter.
enum class Starts { kRegular, kOffsets, kAny };
/// How an element finds its segment: there is only one segment; from the heads of its tile; by binary search.
enum class Lookup { kNone, kHeads, kSearch };

/// A SegmentDescriptor on the device.
struct Segments {
  std::int64_t segments = 0, elements = 0, regular_length = -1;
  const std::int64_t* offsets = nullptr;
  const SegmentHeads* heads = nullptr;
  const std::int32_t* nonempty = nullptr;

  Segments() = default;
  explicit Segments(const SegmentDescriptor& descriptor)
      : segments(descriptor.segments),
        elements(descriptor.elements),
        regular_length(descriptor.regular_length),
        offsets(descriptor.offsets),
        heads(descriptor.heads),
        nonempty(descriptor.nonempty) {}

  Starts starts() const { return regular_length >= 0 ? Starts::kRegular : Starts::kOffsets; }
  /// True if the segment of an element is found by binary search.
  VC_HD bool is_searched() const { return regular_length < 0 && heads == nullptr; }
  VC_HD bool may_have_empty() const {
    return regular_length < 0 ? heads == nullptr || nonempty != nullptr : elements == 0;
  }

  /// First element of segment k; for k == segments, the number of elements.
  template <Starts form>
  VC_HD std::int64_t start(std::int64_t k) const {
    return is_regular<form>() ? k * regular_length : offsets[k];
  }
  template <Starts form>
  VC_HD std::int64_t length(std::int64_t k) const {
    return is_regular<form>() ? regular_length : offsets[k + 1] - offsets[k];
  }

  /// The last segment with offsets[k] <= e. Requires offsets.
  VC_HD std::int64_t search(std::int64_t e) const {
    std::int64_t low = 0, high = segments;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      if (offsets[middle] <= e)
        low = middle;
      else
        high = middle;
    }
    return low;
  }

  /// The segment of any element.
  VC_HD std::int64_t of(std::int64_t e) const {
    if (regular_length >= 0) return divide_up(e + 1, regular_length) - 1;
    if (heads == nullptr) return search(e);
    const SegmentHeads word = heads[e / 32];
    const std::int64_t head = std::int64_t(word.before) + count_bits(word.bits << (31 - e % 32)) - 1;
    return nonempty != nullptr ? nonempty[head] : head;
  }

 private:
  template <Starts form>
  VC_HD bool is_regular() const {
    return form == Starts::kRegular || (form == Starts::kAny && regular_length >= 0);
  }
};

/// Calls f.operator()<starts>().
template <class F>
void with_starts(const Segments& segments, F&& f) {
  if (segments.starts() == Starts::kRegular)
    f.template operator()<Starts::kRegular>();
  else
    f.template operator()<Starts::kOffsets>();
}

/// Calls f.operator()<lookup, starts>(). `lookup` finds the segments of the elements of one segmentation, `starts` the
/// starts of the segments of another, which has as many segments.
template <class F>
void with_lookup(const Segments& of_elements, const Segments& asked, F&& f) {
  if (of_elements.segments == 1)
    f.template operator()<Lookup::kNone, Starts::kRegular>();
  else if (of_elements.is_searched())
    f.template operator()<Lookup::kSearch, Starts::kAny>();
  else if (asked.starts() == Starts::kRegular)
    f.template operator()<Lookup::kHeads, Starts::kRegular>();
  else
    f.template operator()<Lookup::kHeads, Starts::kOffsets>();
}

}  // namespace cvl::cuda
