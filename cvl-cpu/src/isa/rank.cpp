/// Ranking: order-preserving keys, and the passes of a stable radix sort over (key, element) records.
///
/// Bytes moved per element and pass: its record read twice (once to count) and written once; the first pass
/// reads elements instead, the last writes ranks. With digits of up to 11 bits a pass writes to at most 2048
/// places in turn, whose lines stay in the second-level cache.

#include <type_traits>

#include "group_scan.h"

namespace cvl::cpu::CVL_ISA {
namespace {

/// Keys computed at a time, between first-level cache and first-level cache.
constexpr int64_t kTile = 512;

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// The place of x in the order of its type: -0.0 with 0.0, NaN (of any sign) behind all numbers.
template <class T>
inline Bits<T> order_of(T x) {
  constexpr Bits<T> kSign = Bits<T>(1) << (8 * sizeof(T) - 1);
  if constexpr (std::is_integral_v<T>) {
    return Bits<T>(x) ^ kSign;
  } else {
    const T without_sign_of_zero = x == T(0) ? T(0) : x;
    Bits<T> bits;
    std::memcpy(&bits, &without_sign_of_zero, sizeof bits);
    bits ^= (bits & kSign) != 0 ? ~Bits<T>(0) : kSign;
    return x != x ? ~Bits<T>(0) : bits;
  }
}

template <class T>
RankRange range(const void* all, int64_t begin, int64_t end, std::uint64_t flip) {
  const T* a = static_cast<const T*>(all);
  const Bits<T> f = Bits<T>(flip), reference = order_of(a[0]) ^ f;
  Bits<T> least = ~Bits<T>(0), greatest = 0, varying = 0;
  for (int64_t e = begin; e < end; ++e) {
    const Bits<T> order = order_of(a[e]) ^ f;
    least = order < least ? order : least;
    greatest = order > greatest ? order : greatest;
    varying |= order ^ reference;
  }
  return {least, greatest, varying};
}

/// The segment of element e.
inline int64_t segment_of(const SegmentMap& map, int64_t e) {
  if (map.is_regular()) return e / map.regular_length;
  int64_t low = 0, high = map.segments - 1;
  while (low < high) {
    const int64_t k = low + (high - low) / 2;
    if (map.offsets[k + 1] <= e)
      low = k + 1;
    else
      high = k;
  }
  return low;
}

/// Calls f(k, from, to) for the part of each segment in [begin, end).
template <class F>
inline void for_segments(const SegmentMap& map, int64_t begin, int64_t end, F&& f) {
  if (begin >= end) return;
  for (int64_t k = map.is_single() ? 0 : segment_of(map, begin); begin < end; ++k) {
    const int64_t stop = map.start(k + 1) < end ? map.start(k + 1) : end;
    if (begin < stop) f(k, begin, stop);
    begin = stop;
  }
}

template <class W>
struct Record {
  W key;
  W element;
};

/// Appends records to the lists of their digits. Where lists are long, a few lines of each are collected in
/// the second-level cache and streamed to memory together, which spares reading the lines to be overwritten
/// (Satish et al., "Fast sort on CPUs and GPUs", SIGMOD 2010).
template <class W>
class Lists {
 public:
  Lists(Record<W>* out, W* places, int digits) : out_(out), places_(places), digits_(digits) {
    std::memcpy(first_, places, static_cast<std::size_t>(digits) * sizeof(W));
  }

  void append(W digit, Record<W> record) {
    const W place = places_[digit]++;
    buffer_[digit][place % kDepth] = record;
    if (place % kDepth == kDepth - 1) write_full(digit, place + 1 - kDepth);
  }

  /// Writes what is left; without it lists are incomplete.
  void finish() {
    for (int d = 0; d < digits_; ++d) {
      const W end = places_[d];
      const W line = end - end % kDepth;
      for (W p = line > first_[d] ? line : first_[d]; p < end; ++p) out_[p] = buffer_[d][p % kDepth];
    }
    stream_fence();
  }

  /// Whether so many elements are worth the lists' buffers.
  static bool pays(int64_t elements, RankDigit digit) { return elements >= int64_t(32) << digit.bits; }

 private:
  static constexpr W kDepth = 128 / sizeof(Record<W>);

  void write_full(W digit, W from) {
    if (from < first_[digit] || from > places_[digit]) {  // the list begins within these lines
      for (W p = first_[digit]; p < places_[digit]; ++p) out_[p] = buffer_[digit][p % kDepth];
      return;
    }
    for (int line = 0; line < 2; ++line)
      stream_line(out_ + from + line * (64 / sizeof(Record<W>)), buffer_[digit] + line * (64 / sizeof(Record<W>)));
  }

  Record<W>* out_;
  W* places_;
  int digits_;
  W first_[1 << kRankDigitBits];
  alignas(64) Record<W> buffer_[1 << kRankDigitBits][kDepth];
};

/// The place of an element among those that can occur, before bits that never vary are dropped.
template <class T>
class Offsets {
 public:
  explicit Offsets(const RankKeys& job)
      : a_(static_cast<const T*>(job.a)), flip_(Bits<T>(job.flip)), least_(Bits<T>(job.least)) {}
  Bits<T> operator[](int64_t e) const { return (order_of(a_[e]) ^ flip_) - least_; }

 private:
  const T* a_;
  Bits<T> flip_, least_;
};

/// Calls f(e, key) for elements [begin, end) and their keys.
template <class T, class W, class F>
inline void for_keys(const RankKeys& job, int64_t begin, int64_t end, F&& f) {
  const Offsets<T> offsets(job);
  const int drop = job.drop;
  alignas(64) W keys[kTile];
  for (int64_t tile = begin; tile < end; tile += kTile) {
    const int64_t n = end - tile < kTile ? end - tile : kTile;
    for (int64_t k = 0; k < n; ++k) keys[k] = W(offsets[tile + k] >> drop);
    if (job.by_segment)
      for_segments(job.map, tile, tile + n, [&](int64_t segment, int64_t from, int64_t to) {
        const W high = W(std::uint64_t(segment) << job.bits);
        for (int64_t e = from; e < to; ++e) keys[e - tile] |= high;
      });
    for (int64_t k = 0; k < n; ++k) f(tile + k, keys[k]);
  }
}

/// Calls f(e, d) for elements [begin, end) and a digit of their keys.
template <class T, class W, class F>
inline void for_digits(const RankKeys& job, int64_t begin, int64_t end, RankDigit digit, F&& f) {
  const W mask = (W(1) << digit.bits) - 1;
  if (job.by_segment)
    return for_keys<T, W>(job, begin, end, [&](int64_t e, W key) { f(e, key >> digit.shift & mask); });
  const Offsets<T> offsets(job);
  const int shift = job.drop + digit.shift;
  for (int64_t e = begin; e < end; ++e) f(e, W(offsets[e] >> shift) & mask);
}

template <class T, class W>
void count_elements(const RankKeys& job, int64_t begin, int64_t end, RankDigit digit, void* counts) {
  W* count = static_cast<W*>(counts);
  for_digits<T, W>(job, begin, end, digit, [&](int64_t, W d) { ++count[d]; });
}

template <class T, class W>
void move_elements(const RankKeys& job, int64_t begin, int64_t end, RankDigit digit, void* counts, void* records,
                   bool stream) {
  W* count = static_cast<W*>(counts);
  auto* out = static_cast<Record<W>*>(records);
  const W mask = (W(1) << digit.bits) - 1;
  if (stream && Lists<W>::pays(end - begin, digit)) {
    Lists<W> lists(out, count, 1 << digit.bits);
    for_keys<T, W>(job, begin, end, [&](int64_t e, W key) { lists.append(key >> digit.shift & mask, {key, W(e)}); });
    return lists.finish();
  }
  for_keys<T, W>(job, begin, end, [&](int64_t e, W key) { out[count[key >> digit.shift & mask]++] = {key, W(e)}; });
}

template <class T, class W, class R>
void rank_elements(const RankKeys& job, int64_t begin, int64_t end, RankDigit digit, void* counts, void* result) {
  W* count = static_cast<W*>(counts);
  R* rank = static_cast<R*>(result);
  for_digits<T, W>(job, begin, end, digit, [&](int64_t e, W d) { rank[e] = R(count[d]++); });
  if (!job.map.is_single())
    for_segments(job.map, begin, end, [&](int64_t segment, int64_t from, int64_t to) {
      const R start = R(job.map.start(segment));
      for (int64_t e = from; e < to; ++e) rank[e] -= start;
    });
}

template <class W>
void count_records(const void* records, int64_t begin, int64_t end, RankDigit digit, void* counts) {
  const auto* in = static_cast<const Record<W>*>(records);
  W* count = static_cast<W*>(counts);
  const W mask = (W(1) << digit.bits) - 1;
  for (int64_t e = begin; e < end; ++e) ++count[in[e].key >> digit.shift & mask];
}

template <class W>
void move_records(const void* records, int64_t begin, int64_t end, RankDigit digit, void* counts, void* moved,
                  bool stream) {
  const auto* in = static_cast<const Record<W>*>(records);
  auto* out = static_cast<Record<W>*>(moved);
  W* count = static_cast<W*>(counts);
  const W mask = (W(1) << digit.bits) - 1;
  if (stream && Lists<W>::pays(end - begin, digit)) {
    Lists<W> lists(out, count, 1 << digit.bits);
    for (int64_t e = begin; e < end; ++e) lists.append(in[e].key >> digit.shift & mask, in[e]);
    return lists.finish();
  }
  for (int64_t e = begin; e < end; ++e) {
    const Record<W> record = in[e];
    out[count[record.key >> digit.shift & mask]++] = record;
  }
}

template <class W, class R>
void rank_records(const void* records, int64_t begin, int64_t end, RankDigit digit, void* counts, const SegmentMap& map,
                  int segment_shift, void* result) {
  const auto* in = static_cast<const Record<W>*>(records);
  R* rank = static_cast<R*>(result);
  W* count = static_cast<W*>(counts);
  const W mask = (W(1) << digit.bits) - 1;
  if (map.is_single()) {
    for (int64_t e = begin; e < end; ++e) rank[in[e].element] = R(count[in[e].key >> digit.shift & mask]++);
    return;
  }
  for (int64_t e = begin; e < end; ++e) {
    const int64_t place = int64_t(count[in[e].key >> digit.shift & mask]++);
    rank[in[e].element] = R(place - map.start(int64_t(in[e].key >> segment_shift)));
  }
}

template <class W>
void count_both(const void* records, int64_t begin, int64_t end, RankDigit digit, void* counts, RankDigit range,
                void* range_counts) {
  const auto* in = static_cast<const Record<W>*>(records);
  W* count = static_cast<W*>(counts);
  W* range_count = static_cast<W*>(range_counts);
  const W mask = (W(1) << digit.bits) - 1;
  for (int64_t e = begin; e < end; ++e) {
    ++count[in[e].key >> digit.shift & mask];
    ++range_count[in[e].element >> range.shift];
  }
}

template <class W>
void list_ranks(const void* records, int64_t begin, int64_t end, RankDigit digit, void* counts, const SegmentMap& map,
                int segment_shift, RankDigit range, void* range_counts, void* lists) {
  const auto* in = static_cast<const Record<W>*>(records);
  W* count = static_cast<W*>(counts);
  const W mask = (W(1) << digit.bits) - 1;
  Lists<W> out(static_cast<Record<W>*>(lists), static_cast<W*>(range_counts), 1 << range.bits);
  if (map.is_single()) {
    for (int64_t e = begin; e < end; ++e)
      out.append(in[e].element >> range.shift, {count[in[e].key >> digit.shift & mask]++, in[e].element});
  } else {
    for (int64_t e = begin; e < end; ++e) {
      const W place = count[in[e].key >> digit.shift & mask]++;
      const W start = W(map.start(int64_t(in[e].key >> segment_shift)));
      out.append(in[e].element >> range.shift, {W(place - start), in[e].element});
    }
  }
  out.finish();
}

template <class W, class R>
void write_ranks(const void* lists, int64_t begin, int64_t end, void* result) {
  const auto* in = static_cast<const Record<W>*>(lists);
  R* rank = static_cast<R*>(result);
  for (int64_t e = begin; e < end; ++e) rank[in[e].element] = R(in[e].key);
}

/// Sorts the n records of a bucket by the lower `bits` bits of their keys and calls put(place, record) for each,
/// the last of the passes included. The first asks for the next bucket, which lies behind this one.
template <class W, class Put>
inline void sort_bucket(Record<W>* records, int64_t n, int bits, Put&& put) {
  if (n <= 24) {
    for (int64_t j = 0; j < n; ++j) {
      const Record<W> record = records[j];
      int64_t k = j;
      for (; k > 0 && records[k - 1].key > record.key; --k) records[k] = records[k - 1];
      records[k] = record;
    }
    for (int64_t k = 0; k < n; ++k) put(W(k), records[k]);
    return;
  }
  constexpr int64_t kLine = 64 / sizeof(Record<W>);
  alignas(64) Record<W> other[kRankBucket];
  alignas(64) std::int32_t count[1 << kRankDigitBits];
  const int most = n < 512 ? 8 : kRankDigitBits;
  const int passes = bits == 0 ? 1 : (bits + most - 1) / most;
  Record<W>* from = records;
  Record<W>* to = other;
  for (int pass = 0, shift = 0; pass < passes; ++pass) {
    const int width = (bits - shift + passes - pass - 1) / (passes - pass);
    const W mask = (W(1) << width) - 1;
    const int64_t digits = width < 6 ? kGroup : int64_t(1) << width;
    std::memset(count, 0, sizeof(count[0]) * static_cast<std::size_t>(digits));
    for (int64_t e = 0; e < n; ++e) {
      if (pass == 0 && e % kLine == 0) __builtin_prefetch(records + n + e);
      ++count[from[e].key >> shift & mask];
    }
    GroupScan<vcode::monoids::Sum, std::int32_t> places(0);
    for (int64_t d = 0; d < digits; d += kGroup) places.template scan<false>(count + d, count + d, 0);
    if (pass + 1 == passes) {
      for (int64_t e = 0; e < n; ++e) put(W(count[from[e].key >> shift & mask]++), from[e]);
    } else {
      for (int64_t e = 0; e < n; ++e) to[count[from[e].key >> shift & mask]++] = from[e];
      Record<W>* sorted = to;
      to = from;
      from = sorted;
    }
    shift += width;
  }
}

template <class W>
void rank_buckets(void* records, const void* starts, int64_t first, int64_t last, int bits, const SegmentMap& map,
                  int segment_shift, RankDigit range, void* range_counts, void* lists) {
  auto* all = static_cast<Record<W>*>(records);
  const W* start = static_cast<const W*>(starts);
  Lists<W> out(static_cast<Record<W>*>(lists), static_cast<W*>(range_counts), 1 << range.bits);
  for (int64_t bucket = first; bucket < last; ++bucket) {
    const W begin = start[bucket];
    sort_bucket(all + begin, int64_t(start[bucket + 1] - begin), bits, [&](W place, Record<W> record) {
      W rank = begin + place;
      if (!map.is_single()) rank -= W(map.start(int64_t(record.key >> segment_shift)));
      out.append(record.element >> range.shift, {rank, record.element});
    });
  }
  out.finish();
}

template <class W>
void key_by_segment(void* records, int64_t begin, int64_t end, const SegmentMap& map) {
  auto* in = static_cast<Record<W>*>(records);
  for (int64_t e = begin; e < end; ++e) in[e].key = W(segment_of(map, int64_t(in[e].element)));
}

/// Ranks in the short segments: the rank of an element is the number of elements before it in the order asked for.
template <class T, class R>
void compare(const RankKeys& job, int64_t first, int64_t last, void* result) {
  const T* a = static_cast<const T*>(job.a);
  R* rank = static_cast<R*>(result);
  const Bits<T> flip = Bits<T>(job.flip);
  alignas(64) Bits<T> keys[kRankShort];
  alignas(64) Bits<T> ranks[kRankShort];
  for (int64_t segment = first; segment < last; ++segment) {
    const int64_t begin = job.map.start(segment), n = job.map.start(segment + 1) - begin;
    if (n > kRankShort) continue;
    for (int64_t k = 0; k < n; ++k) {
      keys[k] = order_of(a[begin + k]) ^ flip;
      ranks[k] = 0;
    }
    // Of each pair exactly one is behind the other: of equal ones the later.
    for (int64_t j = 1; j < n; ++j) {
      const Bits<T> key = keys[j];
      Bits<T> before = 0;
      for (int64_t k = 0; k < j; ++k) {
        const Bits<T> behind = keys[k] > key;
        ranks[k] += behind;
        before += 1 - behind;
      }
      ranks[j] = before;
    }
    for (int64_t k = 0; k < n; ++k) rank[begin + k] = R(ranks[k]);
  }
}

template <class T, class W>
void add_type(RankSort& sort) {
  constexpr int kType = static_cast<int>(vcode::kElemTypeOf<T>);
  sort.count_elements[kType] = count_elements<T, W>;
  sort.move_elements[kType] = move_elements<T, W>;
  sort.rank_elements[kType][0] = rank_elements<T, W, std::int32_t>;
  sort.rank_elements[kType][1] = rank_elements<T, W, std::int64_t>;
}

template <class W>
void add_width(RankSort& sort) {
  add_type<std::int32_t, W>(sort);
  add_type<std::int64_t, W>(sort);
  add_type<float, W>(sort);
  add_type<double, W>(sort);
  sort.count_records = count_records<W>;
  sort.count_both = count_both<W>;
  sort.list_ranks = list_ranks<W>;
  sort.write_ranks[0] = write_ranks<W, std::int32_t>;
  sort.write_ranks[1] = write_ranks<W, std::int64_t>;
  sort.move_records = move_records<W>;
  sort.rank_records[0] = rank_records<W, std::int32_t>;
  sort.rank_records[1] = rank_records<W, std::int64_t>;
  sort.rank_buckets = rank_buckets<W>;
  sort.key_by_segment = key_by_segment<W>;
}

template <class T>
void add_compare(RankKernels& table) {
  constexpr int kType = static_cast<int>(vcode::kElemTypeOf<T>);
  table.range[kType] = range<T>;
  table.compare[kType][0] = compare<T, std::int32_t>;
  table.compare[kType][1] = compare<T, std::int64_t>;
}

}  // namespace

void add_rank(Kernels& kernels) {
  add_compare<std::int32_t>(kernels.rank);
  add_compare<std::int64_t>(kernels.rank);
  add_compare<float>(kernels.rank);
  add_compare<double>(kernels.rank);
  add_width<std::uint32_t>(kernels.rank.sort[0]);
  add_width<std::uint64_t>(kernels.rank.sort[1]);
}

}  // namespace cvl::cpu::CVL_ISA
