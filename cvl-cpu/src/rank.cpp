#include "rank.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "context.h"
#include "segments.h"
#include "streaming.h"

namespace cvl::cpu {
namespace {

/// Elements whose range one thread looks at.
constexpr std::int64_t kBlock = 65536;
/// The fewest elements a thread sorts.
constexpr std::int64_t kSortBlock = 16384;
/// From so many elements on, fewer passes with longer digits pay.
constexpr std::int64_t kLarge = 4096;
/// From so many on, ranks are written range by range of 2^kRangeBits elements.
constexpr std::int64_t kManyRanks = 1 << 19;
constexpr int kRangeBits = 15;
/// About 2^(kBucketBits - 1) records are wanted in a bucket: with a copy and their counts they fit the first-level
/// cache.
constexpr int kBucketBits = 10;
/// Segments, in elements plus segments, that one thread ranks by comparing.
constexpr std::int64_t kComparePiece = 8192;
/// Blocks per thread of a pass: enough to even out threads that run at different speeds.
constexpr int kBlocksPerThread = 3;

/// Counts of `digits` digits in each of `blocks` blocks become their sums over smaller digits and, within
/// one digit, over earlier blocks.
template <class Count>
void sum_counts(Count* counts, std::int64_t blocks, std::int64_t digits) {
  if (blocks == 1) {
    std::exclusive_scan(counts, counts + digits, counts, Count(0));
    return;
  }
  std::vector<Count> places(static_cast<std::size_t>(digits), 0);
  for (std::int64_t b = 0; b < blocks; ++b)
    for (std::int64_t d = 0; d < digits; ++d) places[static_cast<std::size_t>(d)] += counts[b * digits + d];
  std::exclusive_scan(places.begin(), places.end(), places.begin(), Count(0));
  for (std::int64_t b = 0; b < blocks; ++b)
    for (std::int64_t d = 0; d < digits; ++d) {
      const Count here = counts[b * digits + d];
      counts[b * digits + d] = places[static_cast<std::size_t>(d)];
      places[static_cast<std::size_t>(d)] += here;
    }
}

/// A radix sort under way.
class Ranking {
 public:
  Ranking(Context& context, Operand a, const SegmentMap& map, Result result, std::uint64_t flip)
      : context_(context),
        result_(result.data),
        n_(a.length),
        type_(static_cast<int>(a.type)),
        long_result_(elem_size(result.type) == 8),
        keys_{a.data, map, flip} {}

  void compare() {
    RankKernels::Compare& kernel = *context_.kernels.rank.compare[type_][long_result_];
    const Partition partition(keys_.map, kComparePiece);
    context_.parallel.for_each(partition.pieces(), [&](std::int64_t p) {
      const Piece piece = partition.piece(p);
      kernel(keys_, piece.segment_begin, piece.segment_end, result_);
    });
  }

  void sort();

 private:
  void find_range();
  void pass(RankDigit digit, bool first, bool last, int segment_shift);
  template <class Count>
  bool sort_by_buckets(int bits);
  RankDigit element_ranges() const;
  void write_ranges(RankDigit range, const void* lists);
  void last_pass_by_range(RankDigit digit, int segment_shift);
  template <class Body>
  void for_blocks(Body&& body);
  void* counts_of(char* counts, RankDigit digit, std::int64_t block) const;
  void clear(char* counts, RankDigit digit) const;
  void sum(char* counts, RankDigit digit) const;

  Context& context_;
  void* result_;
  std::int64_t n_;
  int type_;
  bool long_result_;
  RankKeys keys_;
  bool wide_ = false;
  bool stream_ = false;     ///< records are written past the cache
  std::int64_t block_ = 0;  ///< elements of a block of a pass
  std::int64_t blocks_ = 0;
  char* from_ = nullptr;  ///< records
  char* to_ = nullptr;
  char* counts_ = nullptr;  ///< of digits, for each block
  char* range_counts_ = nullptr;
};

/// Sets least, drop and bits of the keys.
void Ranking::find_range() {
  const std::int64_t parts = (n_ + kBlock - 1) / kBlock;
  std::vector<RankRange> ranges(static_cast<std::size_t>(parts));
  context_.parallel.for_each(parts, [&](std::int64_t p) {
    ranges[static_cast<std::size_t>(p)] =
        context_.kernels.rank.range[type_](keys_.a, p * kBlock, std::min(n_, (p + 1) * kBlock), keys_.flip);
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

/// Calls body(block, begin, end) for each block.
template <class Body>
void Ranking::for_blocks(Body&& body) {
  context_.parallel.for_each(blocks_, [&](std::int64_t b) { body(b, b * block_, std::min(n_, (b + 1) * block_)); });
}

/// The counts of a digit in a block.
void* Ranking::counts_of(char* counts, RankDigit digit, std::int64_t block) const {
  return counts + (block << (digit.bits + (wide_ ? 3 : 2)));
}

void Ranking::clear(char* counts, RankDigit digit) const {
  std::fill_n(counts, blocks_ << (digit.bits + (wide_ ? 3 : 2)), '\0');
}

/// Turns counts into places.
void Ranking::sum(char* counts, RankDigit digit) const {
  if (wide_)
    sum_counts(reinterpret_cast<std::uint64_t*>(counts), blocks_, std::int64_t(1) << digit.bits);
  else
    sum_counts(reinterpret_cast<std::uint32_t*>(counts), blocks_, std::int64_t(1) << digit.bits);
}

/// Sorts by one digit. The first pass reads the elements; the last writes the ranks.
void Ranking::pass(RankDigit digit, bool first, bool last, int segment_shift) {
  if (last && !first && n_ >= kManyRanks) return last_pass_by_range(digit, segment_shift);
  const RankSort& sort = context_.kernels.rank.sort[wide_];
  clear(counts_, digit);
  for_blocks([&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    void* counts = counts_of(counts_, digit, block);
    if (first)
      sort.count_elements[type_](keys_, begin, end, digit, counts);
    else
      sort.count_records(from_, begin, end, digit, counts);
  });
  sum(counts_, digit);
  for_blocks([&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    void* counts = counts_of(counts_, digit, block);
    if (first && last)
      sort.rank_elements[type_][long_result_](keys_, begin, end, digit, counts, result_);
    else if (first)
      sort.move_elements[type_](keys_, begin, end, digit, counts, from_, stream_);
    else if (last)
      sort.rank_records[long_result_](from_, begin, end, digit, counts, keys_.map, segment_shift, result_);
    else
      sort.move_records(from_, begin, end, digit, counts, to_, stream_);
  });
  if (!first && !last) std::swap(from_, to_);
}

/// The last pass where the result is larger than a cache: threads writing all over it would also take its
/// lines from each other.
void Ranking::last_pass_by_range(RankDigit digit, int segment_shift) {
  const RankSort& sort = context_.kernels.rank.sort[wide_];
  const RankDigit range = element_ranges();
  clear(counts_, digit);
  clear(range_counts_, range);
  for_blocks([&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    sort.count_both(from_, begin, end, digit, counts_of(counts_, digit, block), range,
                    counts_of(range_counts_, range, block));
  });
  sum(counts_, digit);
  sum(range_counts_, range);
  for_blocks([&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    sort.list_ranks(from_, begin, end, digit, counts_of(counts_, digit, block), keys_.map, segment_shift, range,
                    counts_of(range_counts_, range, block), to_);
  });
  write_ranges(range, to_);
}

/// Ranges of consecutive elements, as a digit of their numbers.
RankDigit Ranking::element_ranges() const {
  const int bits = std::bit_width(static_cast<std::uint64_t>(n_ - 1));
  const int shift = std::max(kRangeBits, bits - kRankDigitBits);
  return {shift, bits - shift};
}

void Ranking::write_ranges(RankDigit range, const void* lists) {
  context_.parallel.for_ranges(n_, std::int64_t(1) << range.shift, [&](std::int64_t begin, std::int64_t end) {
    context_.kernels.rank.sort[wide_].write_ranks[long_result_](lists, begin, end, result_);
  });
}

/// One pass by the highest bits into buckets that fit a cache, which are then sorted each by itself; the
/// records go through memory three times however many bits the keys have. False, with nothing done, if the
/// keys are too unevenly spread for that.
template <class Count>
bool Ranking::sort_by_buckets(int bits) {
  const RankSort& sort = context_.kernels.rank.sort[wide_];
  const int high_bits = std::min<int>(
      {kRankDigitBits, bits, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n_))) - kBucketBits});
  const RankDigit high{bits - high_bits, high_bits};
  const std::int64_t buckets = std::int64_t(1) << high_bits;
  const RankDigit range = element_ranges();
  const std::int64_t ranges = (n_ + (std::int64_t(1) << range.shift) - 1) >> range.shift;
  const std::int64_t groups = blocks_;

  const std::int64_t copy = (n_ * 2 * std::int64_t(sizeof(Count)) + 63) / 64 * 64;
  const std::int64_t count_bytes = (ranges * buckets + (groups << range.bits)) * std::int64_t(sizeof(Count));
  const std::int64_t bytes = 2 * copy + count_bytes;
  auto memory = context_.arena.scratch<char>(bytes);
  if (memory == nullptr) {
    context_.faults.report(FaultKind::kOutOfMemory, 0, bytes);
    return true;
  }
  char* records = memory.get();
  char* lists = records + copy;
  Count* counts = reinterpret_cast<Count*>(lists + copy);  // of each range and bucket
  Count* group_counts = counts + ranges * buckets;         // of each group of buckets and range
  std::fill_n(counts, count_bytes / std::int64_t(sizeof(Count)), Count(0));

  context_.parallel.for_each(ranges, [&](std::int64_t r) {
    const std::int64_t begin = r << range.shift;
    sort.count_elements[type_](keys_, begin, std::min(n_, begin + (std::int64_t(1) << range.shift)), high,
                               counts + r * buckets);
  });
  std::vector<Count> starts(static_cast<std::size_t>(buckets + 1), 0);
  for (std::int64_t r = 0; r < ranges; ++r)
    for (std::int64_t k = 0; k < buckets; ++k) starts[static_cast<std::size_t>(k + 1)] += counts[r * buckets + k];
  if (*std::max_element(starts.begin(), starts.end()) > Count(kRankBucket)) return false;
  for (std::size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];

  // Groups of buckets with about as many records each.
  std::vector<std::int64_t> group(static_cast<std::size_t>(groups + 1), buckets);
  for (std::int64_t g = 0, k = 0; g < groups; ++g) {
    while (k < buckets && std::int64_t(starts[static_cast<std::size_t>(k)]) < n_ * g / groups) ++k;
    group[static_cast<std::size_t>(g)] = k;
  }
  const auto bounds = [&](std::int64_t g) {
    return std::pair(group[static_cast<std::size_t>(g)], group[static_cast<std::size_t>(g + 1)]);
  };
  for (std::int64_t g = 0; g < groups; ++g) {
    const auto [first, last] = bounds(g);
    for (std::int64_t r = 0; r < ranges; ++r)
      group_counts[(g << range.bits) + r] =
          std::accumulate(counts + r * buckets + first, counts + r * buckets + last, Count(0));
  }
  sum_counts(counts, ranges, buckets);
  sum_counts(group_counts, groups, std::int64_t(1) << range.bits);

  const std::int64_t ranges_per_block = (ranges + blocks_ - 1) / blocks_;
  context_.parallel.for_ranges(ranges, ranges_per_block, [&](std::int64_t first, std::int64_t last) {
    sort.move_elements[type_](keys_, first << range.shift, std::min(n_, last << range.shift), high,
                              counts + first * buckets, records, stream_);
  });
  context_.parallel.for_each(groups, [&](std::int64_t g) {
    const auto [first, last] = bounds(g);
    sort.rank_buckets(records, starts.data(), first, last, high.shift, keys_.map, keys_.bits, range,
                      group_counts + (g << range.bits), lists);
  });
  write_ranges(range, lists);
  return true;
}

/// The digits of a number of `bits` bits, as equal as can be.
std::vector<RankDigit> digits_of(int bits, int most) {
  const int count = std::max(1, (bits + most - 1) / most);
  std::vector<RankDigit> digits(static_cast<std::size_t>(count));
  int shift = 0;
  for (int d = 0; d < count; ++d) {
    const int here = (bits - shift + count - d - 1) / (count - d);
    digits[static_cast<std::size_t>(d)] = {shift, here};
    shift += here;
  }
  return digits;
}

/// One sort whatever the number of segments: by the keys, then by the segments, or by both in one number
/// where 64 bits hold it.
void Ranking::sort() {
  find_range();
  const int segment_bits = std::bit_width(static_cast<std::uint64_t>(keys_.map.segments - 1));
  const bool together = keys_.bits + segment_bits <= 64;
  const int bits = together ? keys_.bits + segment_bits : keys_.bits;
  keys_.by_segment = together && !keys_.map.is_single();
  wide_ = !together || bits > 32 || n_ >> 32 != 0;

  const std::int64_t record = wide_ ? 16 : 8;
  stream_ = n_ * record >= kStreamBytes;

  // With few elements, clearing and summing many counts would cost more than another pass.
  const bool one_pass = bits <= kRankDigitBits && n_ >> bits >= 2;
  const int most = one_pass || n_ >= kLarge ? kRankDigitBits : n_ < 512 ? 6 : 8;
  std::vector<RankDigit> digits = digits_of(bits, most);
  const std::size_t key_digits = digits.size();
  if (!together)
    for (const RankDigit digit : digits_of(segment_bits, most)) digits.push_back(digit);

  const std::int64_t wanted = context_.parallel.threads() == 1 ? 1 : context_.parallel.threads() * kBlocksPerThread;
  blocks_ = std::clamp<std::int64_t>(n_ / kSortBlock, 1, wanted);
  block_ = (n_ + blocks_ - 1) / blocks_;

  if (together && digits.size() >= 3 && n_ >= kManyRanks)
    if (wide_ ? sort_by_buckets<std::uint64_t>(bits) : sort_by_buckets<std::uint32_t>(bits)) return;

  const std::int64_t passes = static_cast<std::int64_t>(digits.size());
  const std::int64_t copies = passes == 1 ? 0 : passes == 2 && n_ < kManyRanks ? 1 : 2;
  const std::int64_t count_bytes = blocks_ * (record / 2) << most;
  const std::int64_t copy_bytes = (n_ * record + 63) / 64 * 64;  // records are streamed in whole lines
  const std::int64_t bytes = 2 * count_bytes + copies * copy_bytes;
  auto memory = context_.arena.scratch<char>(bytes);
  if (memory == nullptr) return context_.faults.report(FaultKind::kOutOfMemory, 0, bytes);
  counts_ = memory.get();
  range_counts_ = counts_ + count_bytes;
  from_ = range_counts_ + count_bytes;
  to_ = from_ + copy_bytes;

  for (std::size_t d = 0; d < digits.size(); ++d) {
    if (d == key_digits)
      context_.parallel.for_ranges(n_, kBlock, [&](std::int64_t begin, std::int64_t end) {
        context_.kernels.rank.sort[wide_].key_by_segment(from_, begin, end, keys_.map);
      });
    pass(digits[d], d == 0, d + 1 == digits.size(), together ? keys_.bits : 0);
  }
}

/// The segments too long to be ranked by comparing.
std::vector<std::int64_t> long_segments(Context& context, const SegmentMap& map) {
  const std::int64_t blocks = (map.segments + kBlock - 1) / kBlock;
  std::vector<std::vector<std::int64_t>> found(static_cast<std::size_t>(blocks));
  context.parallel.for_ranges(map.segments, kBlock, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      if (map.start(k + 1) - map.start(k) > kRankShort) found[static_cast<std::size_t>(begin / kBlock)].push_back(k);
  });
  std::vector<std::int64_t> all;
  for (const auto& block : found) all.insert(all.end(), block.begin(), block.end());
  return all;
}

/// Elements [begin, begin + n) of a vector.
Operand part(Operand a, std::int64_t begin, std::int64_t n) {
  return {a.type, n, static_cast<const char*>(a.data) + begin * std::int64_t(elem_size(a.type))};
}
Result part(Result r, std::int64_t begin, std::int64_t n) {
  return {r.type, n, static_cast<char*>(r.data) + begin * std::int64_t(elem_size(r.type))};
}

}  // namespace

void rank(Context& context, bool descending, Operand a, const SegmentMap& map, Result result) {
  if (a.length == 0) return;
  context.faults.begin_operation();
  const std::uint64_t flip = descending ? ~std::uint64_t(0) : 0;
  Ranking all(context, a, map, result, flip);
  if (map.is_regular()) return map.regular_length <= kRankShort ? all.compare() : all.sort();
  const std::vector<std::int64_t> segments = long_segments(context, map);
  std::int64_t elements = 0;
  for (const std::int64_t k : segments) elements += map.start(k + 1) - map.start(k);
  // Sorts of their own, without segments in the keys, only for few and large ones.
  if (elements < std::int64_t(segments.size()) * kBlock) return all.sort();
  all.compare();
  for (const std::int64_t k : segments) {
    const std::int64_t begin = map.start(k), n = map.start(k + 1) - begin;
    Ranking(context, part(a, begin, n), SegmentMap::single(n), part(result, begin, n), flip).sort();
  }
}

}  // namespace cvl::cpu
