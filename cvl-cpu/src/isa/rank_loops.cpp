/// Ranking: order-preserving keys; ranks of keys that fit into a cache, by comparisons or by a stable radix sort;
/// passes that divide more elements into such buckets.

#include <type_traits>
#include <utility>

#include "isa/group_scan.h"
#include "tuning/rank_tuning.h"
#include "vcode/op_semantics.h"

namespace cvl::cpu::CVL_ISA {
namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Maps x to an unsigned number in the order of its type. -0.0 equals 0.0; NaN of any sign is greater than all numbers.
template <class T>
inline Bits<T> order_of(T x) {
  constexpr Bits<T> kSign = Bits<T>(1) << (8 * sizeof(T) - 1);
  if constexpr (std::is_unsigned_v<T>) {
    return x;
  } else if constexpr (std::is_integral_v<T>) {
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

/// Whether the keys of n elements ascend, equal ones among them. Ends where they do not.
template <class T>
bool ascends(const T* a, int64_t n, Bits<T> flip) {
  for (int64_t tile = 1; tile < n; tile += kRankOrderTile) {
    const int64_t end = n - tile < kRankOrderTile ? n : tile + kRankOrderTile;
    Bits<T> wrong = 0;
    for (int64_t e = tile; e < end; ++e) wrong |= (order_of(a[e - 1]) ^ flip) > (order_of(a[e]) ^ flip);
    if (wrong != 0) return false;
  }
  return true;
}

/// Appends keys to the lists of their digits. The ends of the lists are buffered in the second-level cache and streamed
/// to memory by cache lines, so that memory is not read before it is overwritten (Satish et al., "Fast sort on CPUs and
/// GPUs", SIGMOD 2010).
template <class W>
class Lists {
 public:
  Lists(W* out, W* positions, int digits) : out_(out), positions_(positions), digits_(digits) {
    std::memcpy(first_, positions, static_cast<std::size_t>(digits) * sizeof(W));
  }

  void append(W digit, W key) {
    const W position = positions_[digit]++;
    buffer_[digit][position % kDepth] = key;
    if (position % kDepth == kDepth - 1) write_full(digit, position + 1 - kDepth);
  }

  /// Writes the rest of the buffers to memory; must be called at the end.
  void finish() {
    for (int d = 0; d < digits_; ++d) {
      const W end = positions_[d];
      const W line = end - end % kDepth;
      for (W p = line > first_[d] ? line : first_[d]; p < end; ++p) out_[p] = buffer_[d][p % kDepth];
    }
    stream_fence();
  }

  /// Whether there are enough elements for buffers to be faster.
  static bool pays(int64_t elements, RankDigit digit) { return elements >= kRankElementsPerList << digit.bits; }

 private:
  static constexpr W kDepth = kRankListBytes / sizeof(W);

  void write_full(W digit, W from) {
    if (from < first_[digit]) {  // the list begins within these lines
      for (W p = first_[digit]; p < positions_[digit]; ++p) out_[p] = buffer_[digit][p % kDepth];
      return;
    }
    for (int line = 0; line < 2; ++line)
      stream_line(out_ + from + line * (64 / sizeof(W)), buffer_[digit] + line * (64 / sizeof(W)));
  }

  W* out_;
  W* positions_;
  int digits_;
  W first_[1 << kRankDigitBits];
  alignas(64) W buffer_[1 << kRankDigitBits][kDepth];
};

/// The keys of the elements of a source, computed on access.
template <class T, class W>
class Keys {
 public:
  explicit Keys(const RankKeys& of)
      : a_(static_cast<const T*>(of.a)), flip_(Bits<T>(of.flip)), least_(Bits<T>(of.least)), drop_(of.drop) {}
  W operator[](int64_t e) const { return W(((order_of(a_[e]) ^ flip_) - least_) >> drop_); }

 private:
  const T* a_;
  Bits<T> flip_, least_;
  int drop_;
};

/// Extracts a digit of a key.
template <class W>
class DigitOf {
 public:
  explicit DigitOf(RankDigit digit) : shift_(digit.shift), mask_((W(1) << digit.bits) - 1) {}
  W operator()(W key) const { return key >> shift_ & mask_; }

 private:
  int shift_;
  W mask_;
};

/// Calls f(e, key) for elements [begin, end); keys are computed kRankTile at a time.
template <class T, class W, class F>
inline void for_keys(const RankKeys& of, int64_t begin, int64_t end, F&& f) {
  const Keys<T, W> keys(of);
  alignas(64) W some[kRankTile];
  for (int64_t tile = begin; tile < end; tile += kRankTile) {
    const int64_t n = end - tile < kRankTile ? end - tile : kRankTile;
    for (int64_t k = 0; k < n; ++k) some[k] = keys[tile + k];
    for (int64_t k = 0; k < n; ++k) f(tile + k, some[k]);
  }
}

template <class T, class W>
void count(const RankKeys& of, int64_t begin, int64_t end, RankDigit digit, void* counts) {
  const DigitOf<W> digit_of(digit);
  W* count = static_cast<W*>(counts);
  for_keys<T, W>(of, begin, end, [&](int64_t, W key) { ++count[digit_of(key)]; });
}

template <class T, class W>
void move(const RankKeys& of, int64_t begin, int64_t end, RankDigit digit, void* positions, void* moved, bool stream) {
  const DigitOf<W> digit_of(digit);
  W* position = static_cast<W*>(positions);
  W* out = static_cast<W*>(moved);
  if (stream && Lists<W>::pays(end - begin, digit)) {
    Lists<W> lists(out, position, 1 << digit.bits);
    for_keys<T, W>(of, begin, end, [&](int64_t, W key) { lists.append(digit_of(key), key); });
    return lists.finish();
  }
  for_keys<T, W>(of, begin, end, [&](int64_t, W key) { out[position[digit_of(key)]++] = key; });
}

template <class T, class W, class R>
void collect(const RankKeys& of, int64_t begin, int64_t end, RankDigit digit, void* positions, const void* moved,
             void* result) {
  constexpr std::ptrdiff_t kLine = 64 / sizeof(W);
  const DigitOf<W> digit_of(digit);
  W* position = static_cast<W*>(positions);
  const W* in = static_cast<const W*>(moved);
  R* rank = static_cast<R*>(result);
  for_keys<T, W>(of, begin, end, [&](int64_t e, W key) {
    const W* at = in + position[digit_of(key)]++;
    __builtin_prefetch(at + kLine);
    rank[e] = R(*at);
  });
}

template <class T, class W, class R>
void rank(const RankKeys& of, int64_t begin, int64_t end, RankDigit digit, void* positions, void* result) {
  const DigitOf<W> digit_of(digit);
  W* position = static_cast<W*>(positions);
  R* rank = static_cast<R*>(result);
  for_keys<T, W>(of, begin, end, [&](int64_t e, W key) { rank[e] = R(position[digit_of(key)]++); });
}

/// ranks[e] = base + the number of keys before keys[e] in the stable order, n <= kRankCompared. Of each pair, exactly
/// one key is before the other: of equal keys the earlier.
template <class K, class R>
inline void rank_by_comparing(const K* keys, int64_t n, R base, R* ranks) {
  VC_CHECK(n <= kRankCompared);
  alignas(64) K counts[kRankCompared] = {};
  for (int64_t j = 1; j < n; ++j) {
    const K key = keys[j];
    K before = 0;
    for (int64_t k = 0; k < j; ++k) {
      const K behind = keys[k] > key;
      counts[k] += behind;
      before += 1 - behind;
    }
    counts[j] = before;
  }
  for (int64_t k = 0; k < n; ++k) ranks[k] = base + R(counts[k]);
}

/// A key and the number of its element.
template <class K>
struct Record {
  K key;
  std::uint32_t element;
};

/// A digit of keys that are sorted in a cache: counts of each of its values; after sum(), the target of the next key
/// with each value.
template <class K>
class CountedDigit {
 public:
  /// Keeps its counts at `positions`, which has room for at least kGroup values.
  CountedDigit(std::int32_t* positions, RankDigit digit)
      : positions_(positions), of_(digit), values_(digit.bits < 6 ? kGroup : int64_t(1) << digit.bits) {
    std::memset(positions, 0, sizeof(std::int32_t) * static_cast<std::size_t>(values_));
  }
  void count(K key) { ++positions_[of_(key)]; }
  void sum() {
    GroupScan<vcode::monoids::Sum, std::int32_t> sums(0);
    for (int64_t v = 0; v < values_; v += kGroup) sums.template scan<false>(positions_ + v, positions_ + v, 0);
  }
  std::int32_t next(K key) { return positions_[of_(key)]++; }
  std::int32_t* positions() const { return positions_; }

 private:
  std::int32_t* positions_;
  DigitOf<K> of_;
  int64_t values_;
};

/// Sorts records that are nearly sorted, by insertion. False, with the records in some order, if that takes more than n
/// moves.
template <class K>
inline bool insert_in_order(Record<K>* records, int64_t n) {
  int64_t left = n;
  for (int64_t e = 1; e < n; ++e) {
    if (records[e - 1].key <= records[e].key) [[likely]]
      continue;
    const Record<K> record = records[e];
    int64_t at = e;
    for (; at > 0 && records[at - 1].key > record.key; --at) records[at] = records[at - 1];
    records[at] = record;
    left -= e - at;
    if (left < 0) return false;
  }
  return true;
}

/// ranks[e] = base + the number of keys before keys[e] in the stable order of their lowest `bits` bits, in which alone
/// they differ; n <= kRankBucket. The ranks may overwrite the keys. This is a stable radix sort whose first pass reads
/// the keys and whose last pass writes the ranks; each pass counts the digit of the next one. Where it would take more
/// than kRankMostPasses, it goes by the two highest digits first, in which most keys differ, and inserts the rest; if
/// they are clustered, it goes by all digits.
template <class K, class W, class R>
inline void rank_by_sorting(const W* keys, int64_t n, int bits, R base, R* ranks) {
  VC_CHECK(n <= kRankBucket);
  alignas(64) Record<K> some[kRankBucket], others[kRankBucket];
  alignas(64) std::int32_t positions[2][1 << kRankDigitBits];
  const int most = n < kRankFewKeys ? kRankFewKeysDigitBits : kRankDigitBits;
  const int passes = bits == 0 ? 1 : (bits + most - 1) / most;
  if (passes > kRankMostPasses) {
    const RankDigit low{bits - 2 * most, most}, high{bits - most, most};
    CountedDigit<K> first(positions[0], low), second(positions[1], high);
    for (int64_t e = 0; e < n; ++e) {
      first.count(K(keys[e]));
      second.count(K(keys[e]));
    }
    first.sum();
    second.sum();
    for (int64_t e = 0; e < n; ++e) some[first.next(K(keys[e]))] = {K(keys[e]), std::uint32_t(e)};
    for (int64_t e = 0; e < n; ++e) others[second.next(some[e].key)] = some[e];
    if (insert_in_order(others, n)) {
      for (int64_t e = 0; e < n; ++e) ranks[others[e].element] = base + R(e);
      return;
    }
  }
  int shift = 0;
  const auto next_digit = [&](int pass) {
    const RankDigit digit{shift, (bits - shift + passes - pass - 1) / (passes - pass)};
    shift += digit.bits;
    return digit;
  };
  CountedDigit<K> digit(positions[0], next_digit(0));
  if (passes == 1) {
    for (int64_t e = 0; e < n; ++e) digit.count(K(keys[e]));
    digit.sum();
    for (int64_t e = 0; e < n; ++e) ranks[e] = base + R(digit.next(K(keys[e])));
    return;
  }
  CountedDigit<K> later(positions[1], next_digit(1));
  for (int64_t e = 0; e < n; ++e) {
    digit.count(K(keys[e]));
    later.count(K(keys[e]));
  }
  digit.sum();
  Record<K>* sorted = some;
  for (int64_t e = 0; e < n; ++e) sorted[digit.next(K(keys[e]))] = {K(keys[e]), std::uint32_t(e)};
  for (int pass = 1; pass + 1 < passes; ++pass) {
    const Record<K>* from = sorted;
    sorted = sorted == some ? others : some;
    later.sum();
    std::swap(digit, later);
    later = CountedDigit<K>(later.positions(), next_digit(pass + 1));
    for (int64_t e = 0; e < n; ++e) {
      sorted[digit.next(from[e].key)] = from[e];
      later.count(from[e].key);
    }
  }
  later.sum();
  for (int64_t e = 0; e < n; ++e) ranks[sorted[e].element] = base + R(later.next(sorted[e].key));
}

/// Ranks keys that fit into a cache in the fastest way. Keys have 32 or 64 bits.
template <class W, class R>
inline void rank_in_cache(const W* keys, int64_t n, int bits, R base, R* ranks) {
  if (n <= kRankCompared) {
    alignas(64) W copies[kRankCompared];
    const W mask = bits < int(8 * sizeof(W)) ? (W(1) << bits) - 1 : ~W(0);
    for (int64_t e = 0; e < n; ++e) copies[e] = keys[e] & mask;
    rank_by_comparing(copies, n, base, ranks);
  } else if (bits <= 32) {
    rank_by_sorting<std::uint32_t>(keys, n, bits, base, ranks);
  } else {
    rank_by_sorting<W>(keys, n, bits, base, ranks);
  }
}

template <class W>
void rank_buckets(void* keys, const void* starts, int64_t first, int64_t last, int bits, int64_t base) {
  W* all = static_cast<W*>(keys);
  const W* start = static_cast<const W*>(starts);
  for (int64_t bucket = first; bucket < last; ++bucket) {
    const W begin = start[bucket];
    const int64_t n = int64_t(start[bucket + 1] - begin);
    if (n <= kRankBucket) rank_in_cache(all + begin, n, bits, W(base) + begin, all + begin);
  }
}

/// Ranks within each of the segments [first, last) that has at most kRankBucket elements.
template <class T, class R>
void segments(const void* all, const SegmentDescriptor& descriptor, int64_t first, int64_t last, std::uint64_t flip,
              void* result) {
  using W = Bits<T>;
  const T* a = static_cast<const T*>(all);
  R* ranks = static_cast<R*>(result);
  alignas(64) W keys[kRankBucket];
  for (int64_t segment = first; segment < last; ++segment) {
    const int64_t begin = descriptor.start(segment), n = descriptor.start(segment + 1) - begin;
    if (n <= kRankCompared) {
      for (int64_t k = 0; k < n; ++k) keys[k] = order_of(a[begin + k]) ^ W(flip);
      rank_by_comparing(keys, n, R(0), ranks + begin);
    } else if (n <= kRankBucket && ascends(a + begin, n, W(flip))) {
      for (int64_t k = 0; k < n; ++k) ranks[begin + k] = R(k);
    } else if (n <= kRankBucket) {
      const RankRange span = range<T>(a + begin, 0, n, flip);
      const int drop = span.varying == 0 ? 0 : __builtin_ctzll(span.varying);
      const Keys<T, W> keys_of({a + begin, flip, span.least, drop, 0});
      for (int64_t k = 0; k < n; ++k) keys[k] = keys_of[k];
      const std::uint64_t greatest = (span.greatest - span.least) >> drop;
      rank_in_cache(keys, n, greatest == 0 ? 0 : 64 - __builtin_clzll(greatest), R(0), ranks + begin);
    }
  }
}

template <class T, class W>
void add_source(RankSort& sort, int source) {
  sort.count[source] = count<T, W>;
  sort.move[source] = move<T, W>;
  sort.collect[source][0] = collect<T, W, std::int32_t>;
  sort.collect[source][1] = collect<T, W, std::int64_t>;
  sort.rank[source][0] = rank<T, W, std::int32_t>;
  sort.rank[source][1] = rank<T, W, std::int64_t>;
}

template <class W>
void add_width(RankSort& sort) {
  add_source<std::int32_t, W>(sort, int(ElemType::kI32));
  add_source<std::int64_t, W>(sort, int(ElemType::kI64));
  add_source<float, W>(sort, int(ElemType::kF32));
  add_source<double, W>(sort, int(ElemType::kF64));
  add_source<std::uint32_t, W>(sort, kRankNumbers32);
  add_source<std::uint64_t, W>(sort, kRankNumbers64);
  sort.rank_buckets = rank_buckets<W>;
}

template <class T>
void add_type(RankKernels& table) {
  constexpr int kType = static_cast<int>(vcode::kElemTypeOf<T>);
  table.range[kType] = range<T>;
  table.segments[kType][0] = segments<T, std::int32_t>;
  table.segments[kType][1] = segments<T, std::int64_t>;
}

}  // namespace

void add_rank(Kernels& kernels) {
  add_type<std::int32_t>(kernels.rank);
  add_type<std::int64_t>(kernels.rank);
  add_type<float>(kernels.rank);
  add_type<double>(kernels.rank);
  kernels.rank.range[kRankNumbers32] = range<std::uint32_t>;
  kernels.rank.range[kRankNumbers64] = range<std::uint64_t>;
  add_width<std::uint32_t>(kernels.rank.sort[0]);
  add_width<std::uint64_t>(kernels.rank.sort[1]);
}

}  // namespace cvl::cpu::CVL_ISA
