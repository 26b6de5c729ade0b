#pragma once

#include <cstdint>
#include <type_traits>

#include "executor/blocks.h"
#include "operations/device_operations.h"
#include "operations/tile_heads.h"
#include "vcode/arith.h"

namespace cvl::cuda {

/// A sum of lengths below 2^63, or one with the highest bit if a length is negative or the sum is greater. The other
/// bits are then arbitrary.
struct AddLengths {
  static constexpr std::uint64_t kBad = std::uint64_t{1} << 63;
  VC_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return ((a & ~kBad) + (b & ~kBad)) | ((a | b) & kBad);
  }
};

/// The number of nonempty segments, modulo 2^31, and a bit that is set if one of the lengths differs from the first of
/// all. Negative lengths count as one.
struct AddMarks {
  static constexpr std::uint64_t kCount = 0x7FFFFFFF, kDiffers = 0x80000000;
  VC_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return ((a + b) & kCount) | ((a | b) & kDiffers);
  }
};

/// Facts about some lengths.
struct Summary {
  std::uint64_t sum, marks;  ///< see AddLengths and AddMarks

  VC_HD Payload payload() const { return {sum, static_cast<std::uint32_t>(marks)}; }
  VC_HD static Summary from(const Payload& p) { return {p.low, p.high}; }
  VC_HD std::int32_t nonempty() const { return static_cast<std::int32_t>(marks & AddMarks::kCount); }
};

struct AddSummaries {
  VC_HD Summary operator()(const Summary& a, const Summary& b) const {
    return {AddLengths{}(a.sum, b.sum), AddMarks{}(a.marks, b.marks)};
  }
};

/// Shared memory of a block: the number of nonempty segments before its tile.
struct NonemptyBefore {
  std::uint64_t count;
};

/// Lengths, and where their offsets and the numbers of nonempty segments go; either may be null. Lengths is a pointer
/// or a type with its operator [].
template <class Lengths>
struct ExpandedLengths {
  static constexpr int kLengths = kTileOf<std::uint64_t>;

  Lengths lengths;
  std::int64_t segments;
  std::uint64_t* offsets;
  std::int32_t* nonempty;

  template <class AnyBlock, class Kept, class Convert>
  CVL_DEVICE void load(AnyBlock& block, Kept& items, std::int64_t begin, int count, Convert convert) const {
    if constexpr (std::is_pointer_v<Lengths>)
      block.load(items, lengths + begin, count, std::uint64_t{0}, convert);
    else
      block.fill(items, [&](int k) { return k < count ? convert(lengths[begin + k]) : std::uint64_t{0}; });
  }
  /// Expands a tile, with sums and marks as working memory: Items, or StoredItems. before(here) gives the Summary of
  /// the lengths before it from that of its own; all threads of one warp call it, the leader among them.
  template <class AnyBlock, class Kept, class Before>
  CVL_DEVICE void expand(AnyBlock& block, NonemptyBefore& shared, Kept& sums, Kept& marks, Before before) const {
    const std::int64_t tile = block.index(), begin = tile * kLengths;
    const int count = count_in_tile(tile, segments, kLengths);  // 0 if the tile has only the end of the last segment
    const auto first = segments > 0 ? lengths[0] : decltype(lengths[0] + 0){0};
    const auto as_sum = [](auto n) { return n < 0 ? AddLengths::kBad : static_cast<std::uint64_t>(n); };
    const std::uint64_t first_sum = as_sum(first);
    load(block, sums, begin, count, as_sum);
    block.derive(marks, sums, [=](int k, std::uint64_t n) {
      return k < count ? (n != 0 ? std::uint64_t{1} : 0) | (n != first_sum ? AddMarks::kDiffers : 0) : std::uint64_t{0};
    });
    Summary here{0, 0};  // valid in the threads that call the lambdas below
    block.template scan<false>(marks, std::uint64_t{0}, std::uint64_t{0}, NoHeads{}, AddMarks{},
                               [&](std::uint64_t all, bool) {
                                 here.marks = all;
                                 return std::uint64_t{0};
                               });
    block.template scan<false>(sums, std::uint64_t{0}, std::uint64_t{0}, NoHeads{}, AddLengths{},
                               [&](std::uint64_t all, bool) {
                                 here.sum = all;
                                 const Summary of_others = before(here);
                                 if (block.leads()) shared.count = of_others.marks;
                                 return of_others.sum;
                               });
    if (offsets != nullptr) block.store(sums, offsets + begin, count_in_tile(tile, segments + 1, kLengths));
    if (nonempty == nullptr) return;
    const ExpandedLengths self = *this;
    const std::uint64_t before_tile = shared.count;
    block.for_items(marks, [=](int k, std::uint64_t mark) {
      if (k < count && self.lengths[begin + k] != 0)
        self.nonempty[(before_tile + mark) & AddMarks::kCount] = static_cast<std::int32_t>(begin + k);
    });
  }
};

/// The summary of lengths for the host. Waits, and reports a fault, if one is negative or their sum too large.
LengthsSummary read_summary(const Context& context, const Operand& lengths, const Summary& all);

}  // namespace cvl::cuda
