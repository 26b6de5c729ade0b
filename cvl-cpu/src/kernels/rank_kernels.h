#pragma once

#include <cstdint>

#include "cvl/backend.h"

namespace cvl::cpu {

/// Sources of keys to be ranked: elements of a type, or keys of 32 or 64 bits that were computed from elements.
inline constexpr int kRankSources = vcode::kElemTypes + 2;
inline constexpr int kRankNumbers32 = vcode::kElemTypes;
inline constexpr int kRankNumbers64 = vcode::kElemTypes + 1;

/// Computation of keys from a source, such that the unsigned order of the keys is the order to rank by. The key of an
/// element is ((order ^ flip) - least) >> drop, where `order` maps elements to unsigned numbers in the order of their
/// type.
struct RankKeys {
  const void* a;
  std::uint64_t flip = 0;  ///< all ones if descending
  std::uint64_t least = 0;
  int drop = 0;  ///< number of low bits that are the same in all elements
  int bits = 0;  ///< bits of a key
};

/// Range of the keys of some elements.
struct RankRange {
  std::uint64_t least = ~std::uint64_t(0);
  std::uint64_t greatest = 0;
  std::uint64_t varying = 0;  ///< bits in which any key differs from a reference key
};

/// Digit of a key: some of its consecutive bits.
struct RankDigit {
  int shift = 0;
  int bits = 0;
};

/// Loops for ranking more elements than fit into a cache, for keys of 32 bits (narrow) or 64 (wide). Addresses and
/// intermediate ranks have the same width as keys.
struct RankSort {
  using Count = void(const RankKeys& keys, std::int64_t begin, std::int64_t end, RankDigit digit, void* counts);
  /// Appends keys to the lists of their digits. `positions` are the ends of the lists, and are advanced. With `stream`,
  /// by non-temporal stores.
  using Move = void(const RankKeys& keys, std::int64_t begin, std::int64_t end, RankDigit digit, void* positions,
                    void* moved, bool stream);
  /// Replaces the keys in buckets [first, last) by their ranks among all keys, plus `base`. Bucket k begins at the k-th
  /// of `starts`. Only the lowest `bits` bits of keys are compared. Buckets of more than kRankBucket keys are left as
  /// they are.
  using RankBuckets = void(void* keys, const void* starts, std::int64_t first, std::int64_t last, int bits,
                           std::int64_t base);
  /// result[e] = the rank found where Move, called with the same `positions`, put the key of element e.
  using Collect = void(const RankKeys& keys, std::int64_t begin, std::int64_t end, RankDigit digit, void* positions,
                       const void* moved, void* result);
  /// Ranks keys of a single digit. `positions` hold, for each value of the digit, the rank of the next key with that
  /// value; they are advanced.
  using Rank = void(const RankKeys& keys, std::int64_t begin, std::int64_t end, RankDigit digit, void* positions,
                    void* result);

  /// Indexed by source; collect and rank also by whether the result has 64 bits.
  Count* count[kRankSources] = {};
  Move* move[kRankSources] = {};
  Collect* collect[kRankSources][2] = {};
  Rank* rank[kRankSources][2] = {};
  RankBuckets* rank_buckets = nullptr;
};

struct RankKernels {
  /// Range of order ^ flip of elements [begin, end); the reference of `varying` is element 0. Indexed by source.
  using Range = RankRange(const void* a, std::int64_t begin, std::int64_t end, std::uint64_t flip);
  Range* range[kRankSources] = {};
  /// Ranks within each of the segments [begin, end) that has at most kRankBucket elements. Indexed by ElemType and
  /// whether the result has 64 bits.
  using Segments = void(const void* a, const SegmentDescriptor& descriptor, std::int64_t begin, std::int64_t end,
                        std::uint64_t flip, void* result);
  Segments* segments[vcode::kElemTypes][2] = {};
  RankSort sort[2];  ///< narrow, wide
};

}  // namespace cvl::cpu
