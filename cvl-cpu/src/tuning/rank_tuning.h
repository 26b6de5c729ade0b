#pragma once

#include <cstdint>

/// Tuning numbers (see README.md in this folder) of ranking (decision 016).

namespace cvl::cpu {

/// Elements of a block in the pass that computes the range of keys; segments of a block in the pass that searches for
/// long segments.
inline constexpr std::int64_t kRankRangeBlock = 65536;
/// Fewest elements per thread when keys are moved into buckets.
inline constexpr std::int64_t kRankFewestMoved = 8192;
/// Buckets get 2^(kRankBucketBits - 1) to 2^kRankBucketBits keys if keys are spread evenly: the keys and their counts
/// fit into the first-level cache.
inline constexpr int kRankBucketBits = 10;
/// Items of a chunk when short segments are ranked, each by one thread.
inline constexpr std::int64_t kRankChunkItems = 8192;
/// Blocks per thread of a pass, so that a slow thread can leave blocks to others.
inline constexpr int kRankBlocksPerThread = 3;
/// Most bits of a digit: the ends of 2048 lists stay in the second-level cache while keys are appended to them.
inline constexpr int kRankDigitBits = 11;
/// Most bits of keys that are ranked by counts of all of them, in two passes, if there are kRankElementsPerCount
/// elements for each count: 16384 counts stay in the second-level cache.
inline constexpr int kRankCountedBits = 14;
inline constexpr std::int64_t kRankElementsPerCount = 16;
/// Fewer keys than kRankFewKeys are sorted by digits of fewer bits, whose counts are cleared and summed sooner.
inline constexpr std::int64_t kRankFewKeys = 256;
inline constexpr int kRankFewKeysDigitBits = 8;
/// Most passes of a sort by all digits; beyond, it goes by the two highest digits first.
inline constexpr int kRankMostPasses = 4;
/// Most elements that one thread ranks in the second-level cache: two arrays of 128 or 256 KiB.
inline constexpr std::int64_t kRankBucket = 16384;
/// Keys that are computed at a time into the first-level cache.
inline constexpr std::int64_t kRankTile = 512;
/// Bytes of the write buffer of a list: two cache lines, which are streamed together.
inline constexpr int kRankListBytes = 128;
/// Elements per list from which on write buffers are used; for fewer, flushing the buffers costs more than they save.
inline constexpr std::int64_t kRankElementsPerList = 32;
/// Elements that are compared with their neighbours before those behind them, to find out whether all are in order.
inline constexpr std::int64_t kRankOrderTile = 128;
/// Most elements that are ranked by comparing each pair of them.
inline constexpr std::int64_t kRankCompared = 48;

}  // namespace cvl::cpu
