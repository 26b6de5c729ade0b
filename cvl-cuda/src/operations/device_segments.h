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

/// A SegmentMap on the device. All elements take the same branches on its form.
struct Segments {
  std::int64_t segments = 0, elements = 0, regular_length = -1;
  const std::int64_t* offsets = nullptr;
  const SegmentHeads* heads = nullptr;
  const std::int32_t* nonempty = nullptr;

  explicit Segments(const SegmentMap& map)
      : segments(map.segments),
        elements(map.elements),
        regular_length(map.regular_length),
        offsets(map.offsets),
        heads(map.heads),
        nonempty(map.nonempty) {}

  /// First element of segment k; of segment `segments`, the number of elements.
  VC_HD std::int64_t start(std::int64_t k) const { return regular_length >= 0 ? k * regular_length : offsets[k]; }
  VC_HD std::int64_t length(std::int64_t k) const { return start(k + 1) - start(k); }

  /// The segment of element e.
  VC_HD std::int64_t of(std::int64_t e) const {
    if (segments == 1) return 0;
    if (regular_length >= 0) {
      // A division of 64 bits takes several times as long.
      if (elements <= UINT32_MAX) return std::uint32_t(e) / std::uint32_t(regular_length);
      return e / regular_length;
    }
    if (heads == nullptr) return search(e);
    const SegmentHeads word = heads[e / 32];
    const std::int64_t head = std::int64_t(word.before) + count_bits(word.bits << (31 - e % 32)) - 1;
    return nonempty != nullptr ? nonempty[head] : head;
  }

  /// True of the first element of a segment.
  VC_HD bool is_head(std::int64_t e) const {
    if (e == 0) return true;
    if (segments == 1) return false;
    if (heads != nullptr) return (heads[e / 32].bits >> (e % 32) & 1) != 0;
    return start(of(e)) == e;
  }

 private:
  /// The last segment that begins at e or before, by binary search.
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
};

}  // namespace cvl::cuda
