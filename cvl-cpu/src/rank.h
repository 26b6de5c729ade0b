#pragma once

#include <cstdint>

#include "cvl/backend.h"

namespace cvl::cpu {

struct Context;

/// How elements become keys whose unsigned order is the order asked for. The key of an element is
/// ((order ^ flip) - least) >> drop, where `order` is its place in the order of its type; with `by_segment`
/// the number of its segment stands above these bits.
struct RankKeys {
  const void* a;
  SegmentMap map;
  std::uint64_t flip = 0;  ///< all ones if descending
  std::uint64_t least = 0;
  int drop = 0;  ///< low bits that all keys agree in
  int bits = 0;  ///< of a key, without its segment
  bool by_segment = false;
};

/// What the keys of some elements span.
struct RankRange {
  std::uint64_t least = ~std::uint64_t(0);
  std::uint64_t greatest = 0;
  std::uint64_t varying = 0;  ///< bits in which they differ from the reference
};

/// The bits of a key that a pass of the radix sort looks at.
struct RankDigit {
  int shift = 0;
  int bits = 0;
};

/// Most bits of a digit: so many lists can be written at a time at the speed of the second-level cache.
inline constexpr int kRankDigitBits = 11;

/// Segments of up to so many elements are ranked by comparing each element with each.
inline constexpr std::int64_t kRankShort = 48;

/// Most records of a bucket that is sorted by itself: they stay in the second-level cache.
inline constexpr std::int64_t kRankBucket = 16384;

/// The radix sort for one width of records. A record is a key and the element it belongs to, 32 bits each
/// (narrow) or 64 (wide); counts and places have the same width. Counts of a pass are, when a kernel that
/// moves is called, the place of the first record of each digit, and are moved on by it. With `stream`, records
/// are too many for a cache and written past it.
struct RankSort {
  using CountElements = void(const RankKeys& keys, std::int64_t begin, std::int64_t end, RankDigit digit, void* counts);
  using MoveElements = void(const RankKeys& keys, std::int64_t begin, std::int64_t end, RankDigit digit, void* counts,
                            void* records, bool stream);
  using RankElements = void(const RankKeys& keys, std::int64_t begin, std::int64_t end, RankDigit digit, void* counts,
                            void* result);
  using CountRecords = void(const void* records, std::int64_t begin, std::int64_t end, RankDigit digit, void* counts);
  using MoveRecords = void(const void* records, std::int64_t begin, std::int64_t end, RankDigit digit, void* counts,
                           void* moved, bool stream);
  /// Counts a digit of the keys and one of the elements.
  using CountBoth = void(const void* records, std::int64_t begin, std::int64_t end, RankDigit digit, void* counts,
                         RankDigit range, void* range_counts);
  /// The segment of a record is its key from `segment_shift` on.
  using RankRecords = void(const void* records, std::int64_t begin, std::int64_t end, RankDigit digit, void* counts,
                           const SegmentMap& map, int segment_shift, void* result);
  /// The two halves of RankRecords for results larger than a cache, which it would write line by line in no
  /// order: the ranks go to lists by range of elements, whose places are `range_counts`, then range by range
  /// to the result.
  using ListRanks = void(const void* records, std::int64_t begin, std::int64_t end, RankDigit digit, void* counts,
                         const SegmentMap& map, int segment_shift, RankDigit range, void* range_counts, void* lists);
  using WriteRanks = void(const void* lists, std::int64_t begin, std::int64_t end, void* result);
  /// For records sorted by their keys' bits from `bits` on, sorts buckets [first, last), where bucket k starts at
  /// the k-th of `starts`, and lists the ranks as ListRanks does. The records are lost.
  using RankBuckets = void(void* records, const void* starts, std::int64_t first, std::int64_t last, int bits,
                           const SegmentMap& map, int segment_shift, RankDigit range, void* range_counts, void* lists);
  /// Replaces the keys of records by the segments of their elements.
  using KeyBySegment = void(void* records, std::int64_t begin, std::int64_t end, const SegmentMap& map);

  /// By ElemType of the elements; the results by 64-bit INT.
  CountElements* count_elements[vcode::kElemTypes] = {};
  MoveElements* move_elements[vcode::kElemTypes] = {};
  RankElements* rank_elements[vcode::kElemTypes][2] = {};
  CountRecords* count_records = nullptr;
  CountBoth* count_both = nullptr;
  ListRanks* list_ranks = nullptr;
  WriteRanks* write_ranks[2] = {};
  MoveRecords* move_records = nullptr;
  RankRecords* rank_records[2] = {};
  RankBuckets* rank_buckets = nullptr;
  KeyBySegment* key_by_segment = nullptr;
};

struct RankKernels {
  /// The range of the flipped orders of elements [begin, end), `varying` against element 0.
  using Range = RankRange(const void* a, std::int64_t begin, std::int64_t end, std::uint64_t flip);
  Range* range[vcode::kElemTypes] = {};
  /// Ranks by comparing all elements of a segment, for the short ones of segments [begin, end). By ElemType, 64-bit
  /// INT.
  using Compare = void(const RankKeys& keys, std::int64_t begin, std::int64_t end, void* result);
  Compare* compare[vcode::kElemTypes][2] = {};
  RankSort sort[2];  ///< narrow, wide
};

void rank(Context& context, bool descending, Operand a, const SegmentMap& map, Result result);

}  // namespace cvl::cpu
