#include "operations/operations.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <vector>

#include "base/chunks.h"
#include "base/streaming.h"
#include "cvl/dispatch.h"
#include "operations/context.h"
#include "tuning/rank_tuning.h"

namespace cvl::cpu {
namespace {

/// Replaces the counts of `digits` digits in each of `blocks` blocks by their exclusive prefix sums in the order of
/// digits and, within one digit, of blocks, plus `base`.
template <class Key>
void sum_counts(Key* counts, std::int64_t blocks, std::int64_t digits, Key base) {
  std::vector<Key> positions(static_cast<std::size_t>(digits), 0);
  for (std::int64_t b = 0; b < blocks; ++b)
    for (std::int64_t d = 0; d < digits; ++d) positions[static_cast<std::size_t>(d)] += counts[b * digits + d];
  std::exclusive_scan(positions.begin(), positions.end(), positions.begin(), base);
  for (std::int64_t b = 0; b < blocks; ++b)
    for (std::int64_t d = 0; d < digits; ++d) {
      const Key here = counts[b * digits + d];
      counts[b * digits + d] = positions[static_cast<std::size_t>(d)];
      positions[static_cast<std::size_t>(d)] += here;
    }
}

/// Destination of ranks, and the rank of the least key.
struct Ranks {
  void* data;
  bool is_long;  ///< 64 bits each
  std::int64_t base;
};

/// Ranks more elements than fit into a cache. Keys are moved into buckets by their highest bits, in the order of
/// elements, and replaced there by their ranks. A second pass over the elements in the same order finds the rank of
/// each element where its key was put. So keys are moved without the numbers of their elements, and nothing is read or
/// written at random.
///
/// Bytes moved per element of 4 bytes: 36. The element is read by the passes range, count, move and collect. Its key is
/// written by move, read and replaced in its bucket, and read by collect, which writes the rank.
class Ranking {
 public:
  Ranking(Context& context, int source, const void* a, std::int64_t n, std::uint64_t flip, Ranks ranks)
      : context_(context), source_(source), n_(n), keys_{a, flip}, ranks_(ranks) {
    const int threads = context.parallel.threads();
    blocks_ = std::clamp<std::int64_t>(n / kRankFewestMoved, 1, threads == 1 ? 1 : threads * kRankBlocksPerThread);
  }

  void run() {
    find_range();
    if (keys_.bits > 32 || (ranks_.base + n_) >> 32 != 0)
      run_with<std::uint64_t>(context_.kernels.rank.sort[1]);
    else
      run_with<std::uint32_t>(context_.kernels.rank.sort[0]);
  }

 private:
  void find_range();
  template <class Key>
  void run_with(const RankSort& sort);
  template <class Key>
  void by_counting(const RankSort& sort);
  template <class Key>
  void by_buckets(const RankSort& sort, RankDigit high);
  template <class Key>
  void rank_buckets(const RankSort& sort, Key* keys, const std::vector<Key>& starts, int bits);
  template <class Key>
  void count(const RankSort& sort, RankDigit digit, Key* counts, Key base);

  template <class T>
  Arena::Scratch<T> scratch(std::int64_t n) {
    Arena::Scratch<T> memory = context_.arena.scratch<T>(n);
    if (memory == nullptr) context_.faults.report(FaultKind::kOutOfMemory, 0, n * std::int64_t(sizeof(T)));
    return memory;
  }
  /// Calls body(block, begin, end) for each block.
  template <class Body>
  void for_blocks(Body&& body) {
    const std::int64_t size = (n_ + blocks_ - 1) / blocks_;
    context_.parallel.for_each(blocks_,
                               [&](std::int64_t b) { body(b, std::min(n_, b * size), std::min(n_, (b + 1) * size)); });
  }

  Context& context_;
  int source_;
  std::int64_t n_;
  RankKeys keys_;
  Ranks ranks_;
  std::int64_t blocks_;  ///< number of blocks of each pass
};

/// Computes the members least, drop and bits of the keys.
void Ranking::find_range() {
  const std::int64_t parts = (n_ + kRankRangeBlock - 1) / kRankRangeBlock;
  std::vector<RankRange> ranges(static_cast<std::size_t>(parts));
  context_.parallel.for_each(parts, [&](std::int64_t p) {
    ranges[static_cast<std::size_t>(p)] = context_.kernels.rank.range[source_](
        keys_.a, p * kRankRangeBlock, std::min(n_, (p + 1) * kRankRangeBlock), keys_.flip);
  });
  RankRange all;
  for (const RankRange& range : ranges) {
    all.least = std::min(all.least, range.least);
    all.greatest = std::max(all.greatest, range.greatest);
    all.varying |= range.varying;
  }
  keys_.least = all.least;
  keys_.drop = all.varying == 0 ? 0 : std::countr_zero(all.varying);
  keys_.bits = std::bit_width((all.greatest - all.least) >> keys_.drop);
}

template <class Key>
void Ranking::run_with(const RankSort& sort) {
  if (keys_.bits <= kRankDigitBits || (keys_.bits <= kRankCountedBits && n_ >> keys_.bits >= kRankElementsPerCount))
    return by_counting<Key>(sort);
  const int wanted = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n_))) - kRankBucketBits;
  const int bits = std::min(kRankDigitBits, wanted);
  // Use one bit more if the keys in a bucket then need one digit less.
  const int more = (keys_.bits - bits) % kRankDigitBits == 1 && bits < kRankDigitBits;
  by_buckets<Key>(sort, {keys_.bits - bits - more, bits + more});
}

/// Computes where the keys of each block's digits go, from `base` on.
template <class Key>
void Ranking::count(const RankSort& sort, RankDigit digit, Key* counts, Key base) {
  std::fill_n(counts, blocks_ << digit.bits, Key(0));
  for_blocks([&](std::int64_t b, std::int64_t begin, std::int64_t end) {
    sort.count[source_](keys_, begin, end, digit, counts + (b << digit.bits));
  });
  sum_counts(counts, blocks_, std::int64_t(1) << digit.bits, base);
}

template <class Key>
void Ranking::by_counting(const RankSort& sort) {
  const RankDigit digit{0, keys_.bits};
  const auto positions = scratch<Key>(blocks_ << digit.bits);
  if (positions == nullptr) return;
  count(sort, digit, positions.get(), Key(ranks_.base));
  for_blocks([&](std::int64_t b, std::int64_t begin, std::int64_t end) {
    sort.rank[source_][ranks_.is_long](keys_, begin, end, digit, positions.get() + (b << digit.bits), ranks_.data);
  });
}

template <class Key>
void Ranking::by_buckets(const RankSort& sort, RankDigit high) {
  const std::int64_t buckets = std::int64_t(1) << high.bits, all_positions = blocks_ << high.bits;
  const auto keys = scratch<Key>(n_);
  const auto moving = scratch<Key>(2 * all_positions);
  if (keys == nullptr || moving == nullptr) return;
  Key* collecting = moving.get() + all_positions;

  count(sort, high, moving.get(), Key(0));
  std::copy_n(moving.get(), all_positions, collecting);
  std::vector<Key> starts(moving.get(), moving.get() + buckets);  // starts of the first block
  starts.push_back(Key(n_));

  const bool stream = n_ * std::int64_t(sizeof(Key)) >= stream_bytes();
  for_blocks([&](std::int64_t b, std::int64_t begin, std::int64_t end) {
    sort.move[source_](keys_, begin, end, high, moving.get() + (b << high.bits), keys.get(), stream);
  });
  rank_buckets(sort, keys.get(), starts, high.shift);
  for_blocks([&](std::int64_t b, std::int64_t begin, std::int64_t end) {
    sort.collect[source_][ranks_.is_long](keys_, begin, end, high, collecting + (b << high.bits), keys.get(),
                                          ranks_.data);
  });
}

/// Replaces keys by ranks. Buckets that are too large for a cache, from unevenly distributed keys, are ranked
/// recursively.
template <class Key>
void Ranking::rank_buckets(const RankSort& sort, Key* keys, const std::vector<Key>& starts, int bits) {
  const auto buckets = static_cast<std::int64_t>(starts.size()) - 1;
  // Groups of buckets with about the same number of keys.
  const std::int64_t share = (n_ + blocks_ - 1) / blocks_;
  const auto first_of = [&](std::int64_t group) {
    return std::lower_bound(starts.begin(), starts.begin() + buckets, Key(std::min(n_, group * share))) -
           starts.begin();
  };
  context_.parallel.for_each(blocks_, [&](std::int64_t group) {
    sort.rank_buckets(keys, starts.data(), first_of(group), group + 1 == blocks_ ? buckets : first_of(group + 1), bits,
                      ranks_.base);
  });
  constexpr int kSource = sizeof(Key) == 8 ? kRankNumbers64 : kRankNumbers32;
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    const auto start = static_cast<std::int64_t>(starts[k]), n = static_cast<std::int64_t>(starts[k + 1]) - start;
    if (n > kRankBucket)
      Ranking(context_, kSource, keys + start, n, 0, {keys + start, sizeof(Key) == 8, ranks_.base + start}).run();
  }
}

/// Whether a comes before b: NaN is larger than every number and equal to itself.
template <class T>
bool comes_before(T a, T b) {
  return a < b || (a == a && b != b);
}

/// Whether no element of [begin, end) belongs before the one in front of it. Ends where one does.
template <class T>
bool is_in_order(const T* a, std::int64_t begin, std::int64_t end, bool descending) {
  for (std::int64_t tile = std::max<std::int64_t>(begin, 1); tile < end; tile += kRankOrderTile) {
    const std::int64_t last = std::min(end, tile + kRankOrderTile);
    int wrong = 0;
    if (descending)
      for (std::int64_t e = tile; e < last; ++e) wrong |= comes_before(a[e - 1], a[e]);
    else
      for (std::int64_t e = tile; e < last; ++e) wrong |= comes_before(a[e], a[e - 1]);
    if (wrong != 0) return false;
  }
  return true;
}

/// Ranks elements that are in order, equal ones among them, by their positions. False if they are not in order, which
/// the first elements that are compared tell for nearly all others.
bool rank_in_order(Context& context, bool descending, const Operand& a, const Result& ranks) {
  std::atomic<bool> in_order = true;
  with_number(a.type, [&]<class T>() {
    context.parallel.for_ranges(a.length, kRankRangeBlock, [&](std::int64_t begin, std::int64_t end) {
      if (in_order.load(std::memory_order_relaxed) &&
          !is_in_order(static_cast<const T*>(a.data), begin, end, descending))
        in_order.store(false, std::memory_order_relaxed);
    });
  });
  if (!in_order) return false;
  const std::int64_t zero = 0, one = 1;
  const std::int32_t short_zero = 0, short_one = 1;
  const bool is_long = elem_size(ranks.type) == 8;
  const Operand start{ranks.type, 1, is_long ? static_cast<const void*>(&zero) : &short_zero};
  const Operand stride{ranks.type, 1, is_long ? static_cast<const void*>(&one) : &short_one};
  run(context, Index{start, stride, SegmentDescriptor::single(a.length), ranks});
  return true;
}

/// Numbers of the segments that are too long to be ranked in a cache.
std::vector<std::int64_t> long_segments(Context& context, const SegmentDescriptor& descriptor) {
  const std::int64_t blocks = (descriptor.segments + kRankRangeBlock - 1) / kRankRangeBlock;
  std::vector<std::vector<std::int64_t>> found(static_cast<std::size_t>(blocks));
  context.parallel.for_ranges(descriptor.segments, kRankRangeBlock, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      if (descriptor.start(k + 1) - descriptor.start(k) > kRankBucket)
        found[static_cast<std::size_t>(begin / kRankRangeBlock)].push_back(k);
  });
  std::vector<std::int64_t> all;
  for (const auto& block : found) all.insert(all.end(), block.begin(), block.end());
  return all;
}

}  // namespace

void run(Context& context, const Rank& rank) {
  context.faults.begin_operation();
  const std::uint64_t flip = rank.descending ? ~std::uint64_t(0) : 0;
  const bool is_long = elem_size(rank.result.type) == 8;
  const auto type = static_cast<int>(rank.a.type);
  if (!rank.descriptor.is_regular() || rank.descriptor.regular_length <= kRankBucket) {
    RankKernels::Segments& kernel = *context.kernels.rank.segments[type][is_long];
    const Partition partition(rank.descriptor, kRankChunkItems);
    context.parallel.for_each(partition.chunks(), [&](std::int64_t p) {
      const Chunk chunk = partition.chunk(p);
      kernel(rank.a.data, rank.descriptor, chunk.segment_begin, chunk.segment_end, flip, rank.result.data);
    });
    if (rank.descriptor.is_regular()) return;
  }
  for (const std::int64_t k : long_segments(context, rank.descriptor)) {
    const std::int64_t begin = rank.descriptor.start(k), n = rank.descriptor.start(k + 1) - begin;
    const auto at = [&](auto* data, ElemType t) { return data + begin * std::int64_t(elem_size(t)); };
    const void* const a = at(static_cast<const char*>(rank.a.data), rank.a.type);
    void* const ranks = at(static_cast<char*>(rank.result.data), rank.result.type);
    if (!rank_in_order(context, rank.descending, {rank.a.type, n, a}, {rank.result.type, n, ranks}))
      Ranking(context, type, a, n, flip, {ranks, is_long, 0}).run();
  }
}

}  // namespace cvl::cpu
