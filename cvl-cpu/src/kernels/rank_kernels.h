#pragma once

#include <cstdint>

#include "cvl/backend.h"

namespace cvl::cpu {

/// What is ranked: elements of a type, or unsigned numbers of 32 or 64 bits that were made from some.
inline constexpr int kRankSources = vcode::kElemTypes + 2;
inline constexpr int kRankNumbers32 = vcode::kElemTypes;
inline constexpr int kRankNumbers64 = vcode::kElemTypes + 1;

/// How a source becomes keys whose unsigned order is the order asked for. The key of an element is
/// ((order ^ flip) - least) >> drop, where `order` is its place in the order of its type.
struct RankKeys {
  const void* a;
  std::uint64_t flip = 0;  ///< all ones if descending
  std::uint64_t least = 0;
  int drop = 0;  ///< low bits that all keys agree in
  int bits = 0;  ///< of a key
};

/// What the keys of some elements span.
struct RankRange {
  std::uint64_t least = ~std::uint64_t(0);
  std::uint64_t greatest = 0;
  std::uint64_t varying = 0;  ///< bits in which they differ from the reference
};

/// Some bits of a key.
struct RankDigit {
  int shift = 0;
  int bits = 0;
};

/// Ranking of more elements than a cache holds, for one width of keys: 32 bits (narrow) or 64 (wide). Places and ranks
/// on the way have the same width.
struct RankSort {
  using Count = void(const RankKeys& keys, std::int64_t begin, std::int64_t end, RankDigit digit, void* counts);
  /// Moves keys to the lists of their digits, which begin at `places`; these are moved on. With `stream`, past the
  /// cache.
  using Move = void(const RankKeys& keys, std::int64_t begin, std::int64_t end, RankDigit digit, void* places,
                    void* moved, bool stream);
  /// Replaces the keys in buckets [first, last), of which bucket k starts at the k-th of `starts`, by their ranks among
  /// all, plus `base`. They differ in their lowest `bits` bits. Buckets of more than kRankBucket keys are left.
  using RankBuckets = void(void* keys, const void* starts, std::int64_t first, std::int64_t last, int bits,
                           std::int64_t base);
  /// Brings back what stands where Move put the keys, called with the same places.
  using Collect = void(const RankKeys& keys, std::int64_t begin, std::int64_t end, RankDigit digit, void* places,
                       const void* moved, void* result);
  /// Ranks keys that are no longer than a digit: `places` are the ranks of the next of each.
  using Rank = void(const RankKeys& keys, std::int64_t begin, std::int64_t end, RankDigit digit, void* places,
                    void* result);

  /// By source; those that write the result by 64-bit INT.
  Count* count[kRankSources] = {};
  Move* move[kRankSources] = {};
  Collect* collect[kRankSources][2] = {};
  Rank* rank[kRankSources][2] = {};
  RankBuckets* rank_buckets = nullptr;
};

struct RankKernels {
  /// The range of the flipped orders of elements [begin, end), `varying` against element 0. By source.
  using Range = RankRange(const void* a, std::int64_t begin, std::int64_t end, std::uint64_t flip);
  Range* range[kRankSources] = {};
  /// Ranks of those of segments [begin, end) that have at most kRankBucket elements. By ElemType, 64-bit INT.
  using Segments = void(const void* a, const SegmentMap& map, std::int64_t begin, std::int64_t end, std::uint64_t flip,
                        void* result);
  Segments* segments[vcode::kElemTypes][2] = {};
  RankSort sort[2];  ///< narrow, wide
};

}  // namespace cvl::cpu
