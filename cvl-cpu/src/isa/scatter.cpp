/// Scatters, in chunks that stay in the first-level cache: the targets of a chunk are computed and checked
/// first (vector code where segments are long), then its elements are moved one by one.
///
/// Bytes moved per element: source and index once, and a line of the result read and written for each
/// element if targets are random. Stores are relaxed atomics, which cost nothing, because two threads may
/// write to one place before it is known that the indices are no permutation.

#include <type_traits>

#include "spread.h"

namespace cvl::cpu::CVL_ISA {
namespace {

constexpr int64_t kChunk = 256;

/// The next loop is bound by its instructions, of which the counting is a third.
#define CVL_UNROLL _Pragma("GCC unroll 8")

/// Walks the segments of the elements of a piece.
class Cursor {
 public:
  Cursor(const ScatterJob& job, int64_t first)
      : segment(first),
        end(job.from.start(segment + 1)),
        base(job.to.start(segment)),
        bound(job.to.start(segment + 1) - base),
        from_ends_(job.from.is_regular() ? nullptr : job.from.offsets + segment + 2),
        to_ends_(job.to.is_regular() ? nullptr : job.to.offsets + segment + 2),
        from_length_(job.from.regular_length) {}

  /// Moves to the segment that holds element e, at or behind the present one.
  void seek(int64_t e) {
    while (end <= e) {
      end = from_ends_ != nullptr ? *from_ends_++ : end + from_length_;
      base += bound;
      if (to_ends_ != nullptr) bound = *to_ends_++ - base;
      ++segment;
    }
  }

  int64_t segment;
  int64_t end;    ///< first element behind the segment
  int64_t base;   ///< its first place
  int64_t bound;  ///< its places

 private:
  const int64_t* from_ends_;  ///< of the segments to come
  const int64_t* to_ends_;
  int64_t from_length_;
};

/// A number for a place such that sums of these numbers tell sets of places apart. The first steps mix the
/// bits of the place one to one; the square then takes away the linearity that sums could fall for. A
/// single place written twice always shows, several do but for a chance of about 2^-60.
template <class V>
inline V mixed(V place) {
  const V x = (place + 0x7F4A7C15u) * 0x9E3779B1u;
  return x ^ x >> 15;
}
inline std::uint64_t place_hash(std::uint32_t place) {
  const std::uint64_t x = mixed(place);
  return x * x;
}
inline std::uint64_t place_hash(std::uint64_t place) {
  std::uint64_t x = (place + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
  x ^= x >> 31;
  return x * 0x94D049BB133111EBu ^ x >> 29;
}

using Places = Vector<std::uint32_t>;
typedef std::uint64_t Sums __attribute__((vector_size(kVectorBytes)));

/// The squares of the 32-bit numbers in v, added up in pairs. Compilers do not see that the multiplication
/// of the lower halves of 64-bit lanes is all it takes.
inline Sums squares(Places v) {
  const Sums low = reinterpret_cast<Sums>(v), high = low >> 32;
#if defined(__AVX512F__)
  const auto square = [](Sums x) {
    return reinterpret_cast<Sums>(
        _mm512_maskz_mul_epu32(0xFF, reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(x)));
  };
#elif defined(__x86_64__)
  const auto square = [](Sums x) {
#if defined(__AVX2__)
    __m256i part[2];
    std::memcpy(part, &x, sizeof x);
    for (__m256i& p : part) p = _mm256_mul_epu32(p, p);
#else
    __m128i part[4];
    std::memcpy(part, &x, sizeof x);
    for (__m128i& p : part) p = _mm_mul_epu32(p, p);
#endif
    std::memcpy(&x, part, sizeof x);
    return x;
  };
#else
  const auto square = [](Sums x) { return (x & 0xFFFFFFFFu) * (x & 0xFFFFFFFFu); };
#endif
  return square(low) + square(high);
}

/// targets[k] = place of element e + k, for n <= kChunk elements; true if all are within their segments.
/// `targets` has room for a register more. Not inlined, and the cursor a copy, so that it stays in registers.
template <class I, class P>
[[gnu::noinline]] bool find_targets(Cursor& place, const I* indices, const bool* flags, int64_t e, int64_t n,
                                    P* targets) {
  using U = std::make_unsigned_t<I>;
  Cursor cursor = place;
  unsigned outside = 0;
  for (int64_t at = e; at < e + n;) {
    cursor.seek(at);
    const int64_t stop = cursor.end < e + n ? cursor.end : e + n;
    const P base = P(cursor.base);
    // Taken as unsigned, negative indices are too large; a bound beyond the type excludes only those.
    constexpr U kNegative = U(1) << (8 * sizeof(U) - 1);
    const U bound = std::uint64_t(cursor.bound) < kNegative ? U(cursor.bound) : kNegative;
    P* out = targets + (at - e);
    const I* in = indices + at;
    for (int64_t k = 0; k < stop - at; ++k) {
      const unsigned keep = flags == nullptr ? 1 : reinterpret_cast<const std::uint8_t*>(flags)[at + k];
      outside |= unsigned(U(in[k]) >= bound) & keep;
      out[k] = keep ? base + P(in[k]) : P(-1);
    }
    at = stop;
  }
  place = cursor;
  return outside == 0;
}

/// The same for 32-bit indices of all elements of tiny segments.
[[gnu::noinline]] bool find_tiny_targets(const ScatterJob& job, Cursor& place, const std::int32_t* indices, int64_t e,
                                         int64_t n, std::uint32_t* targets) {
  alignas(64) std::int32_t bases[kChunk + kSpreadRoom], lengths[kChunk + kSpreadRoom];
  place = Cursor(job, spread_tiny(job.to, job.from, place.segment, e, e + n, bases, lengths));
  unsigned outside = 0;
  for (int64_t k = 0; k < n; ++k) {
    const std::uint32_t index = std::uint32_t(indices[e + k]);
    outside |= unsigned(index >= std::uint32_t(lengths[k]));
    targets[k] = index + std::uint32_t(bases[k]);
  }
  return outside == 0;
}

/// The same for 32-bit indices of all elements, if there are kLanes more of them behind.
[[gnu::noinline]] bool find_targets(Cursor& place, const std::int32_t* indices, int64_t e, int64_t n,
                                    std::uint32_t* targets) {
  constexpr Places kLaneNumbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  constexpr int64_t kWidth = kLanes<std::uint32_t>;
  Cursor cursor = place;
  Places outside = {};
  for (int64_t at = e; at < e + n;) {
    cursor.seek(at);
    const int64_t length = (cursor.end < e + n ? cursor.end : e + n) - at;
    const std::uint32_t base = std::uint32_t(cursor.base), bound = std::uint32_t(cursor.bound);
    std::uint32_t* out = targets + (at - e);
    const std::int32_t* in = indices + at;
    int64_t k = 0;
    for (; k + kWidth <= length; k += kWidth) {
      const Places index = load<Places>(in + k);
      outside |= Places(index >= bound);
      store(out + k, index + base);
    }
    // A register that reaches beyond the segment: a short one takes one step, without a loop.
    if (k < length) {
      const Places index = load<Places>(in + k);
      outside |= Places(index >= bound) & Places(kLaneNumbers < std::uint32_t(length - k));
      store(out + k, index + base);
    }
    at += length;
  }
  place = cursor;
  std::uint32_t any = 0;
  for (int lane = 0; lane < kWidth; ++lane) any |= outside[lane];
  return any == 0;
}

/// The first element of [e, e + n) whose index is outside its segment.
template <class I>
ScatterOutcome find_bad(const ScatterJob& job, int64_t first_segment, int64_t e, int64_t n) {
  const I* indices = static_cast<const I*>(job.indices);
  Cursor cursor(job, first_segment);
  for (int64_t at = e; at < e + n; ++at) {
    cursor.seek(at);
    if (job.flags != nullptr && !job.flags[at]) continue;
    if (indices[at] < 0 || indices[at] >= cursor.bound) return {at, int64_t(indices[at]), cursor.bound, 0, 0};
  }
  return {};
}

template <class T>
inline void put(T* to, T value) {
  __atomic_store_n(to, value, __ATOMIC_RELAXED);
}

/// The sum of the hashes of n places.
template <class P>
inline std::uint64_t fingerprint(const P* places, int64_t n) {
  std::uint64_t sum = 0;
  int64_t k = 0;
  if constexpr (sizeof(P) == 4) {
    Sums sums = {};
    for (; k + kLanes<P> <= n; k += kLanes<P>) sums += squares(mixed(load<Places>(places + k)));
    for (int lane = 0; lane < kLanes<std::uint64_t>; ++lane) sum += sums[lane];
  }
  for (; k < n; ++k) sum += place_hash(places[k]);
  return sum;
}

template <class P>
std::uint64_t sum_places(int64_t begin, int64_t end) {
  std::uint64_t sum = 0;
  for (int64_t place = begin; place < end; ++place) sum += place_hash(P(place));
  return sum;
}

/// Notes that element e - 1 writes to a place, unless a later one does.
template <class P>
inline void note_writer(P* writer, P e) {
  P last = __atomic_load_n(writer, __ATOMIC_RELAXED);
  while (last < e && !__atomic_compare_exchange_n(writer, &last, e, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

template <ScatterMode mode, class T, class I, class P>
ScatterOutcome run(const ScatterJob& job, const Piece& piece) {
  const T* source = static_cast<const T*>(job.source);
  const I* indices = static_cast<const I*>(job.indices);
  T* result = static_cast<T*>(job.result);
  ScatterOutcome outcome;
  if (piece.element_begin == piece.element_end) return outcome;
  Cursor cursor(job, piece.segment_begin);
  alignas(64) P targets[kChunk + kLanes<P>];  // registers may reach beyond the last
  T nowhere;                                  // written by elements that are dropped, so that no branch decides
  // Elements up to here may be loaded in registers that reach beyond their segment.
  const int64_t whole = job.flags == nullptr && job.to.elements >> 31 == 0 ? job.from.elements - kLanes<P> : 0;
  for (int64_t e = piece.element_begin, n; e < piece.element_end; e += n) {
    n = piece.element_end - e < kChunk ? piece.element_end - e : kChunk;
    bool good;
    if constexpr (sizeof(I) == 4 && sizeof(P) == 4) {
      if (e < whole) {
        if (n > whole - e) n = whole - e;
        cursor.seek(e);
        good = are_tiny(job.from, cursor.segment, e, e + n) ? find_tiny_targets(job, cursor, indices, e, n, targets)
                                                            : find_targets(cursor, indices, e, n, targets);
      } else {
        good = find_targets(cursor, indices, job.flags, e, n, targets);
      }
    } else {
      good = find_targets(cursor, indices, job.flags, e, n, targets);
    }
    if (!good) return find_bad<I>(job, piece.segment_begin, e, n);
    if constexpr (mode == ScatterMode::kPermutation) {
      outcome.fingerprint += fingerprint(targets, n);
      CVL_UNROLL
      for (int64_t k = 0; k < n; ++k) put(result + targets[k], source[e + k]);
    } else if constexpr (mode == ScatterMode::kMarked) {
      for (int64_t k = 0; k < n; ++k) {
        if (targets[k] == P(-1)) continue;
        put(result + targets[k], source[e + k]);
        put(job.marks + targets[k], std::uint8_t(1));
        ++outcome.written;
      }
    } else if constexpr (mode == ScatterMode::kOwned) {
      const P own_begin = P(job.own_begin), own = P(job.own_end - job.own_begin);
      for (int64_t k = 0; k < n; ++k) {
        T* to = P(targets[k] - own_begin) < own ? result + targets[k] : &nowhere;
        *to = source[e + k];
      }
    } else {
      // Backwards, so that of many elements with one target only the first tried has to write.
      P* writers = static_cast<P*>(job.writers);
      for (int64_t k = n - 1; k >= 0; --k)
        if (targets[k] != P(-1)) note_writer(writers + targets[k], P(e + k + 1));
    }
  }
  return outcome;
}

template <class T, class P>
void resolve(const ScatterJob& job, int64_t begin, int64_t end) {
  const T* source = static_cast<const T*>(job.source);
  const P* writers = static_cast<const P*>(job.writers);
  T* result = static_cast<T*>(job.result);
  for (int64_t p = begin; p < end; ++p)
    if (writers[p] != 0) result[p] = source[writers[p] - 1];
}

template <class T, class P>
void add_sizes(ScatterKernels& table, int size, int wide) {
  const auto add_mode = [&]<ScatterMode mode>() {
    table.run[static_cast<int>(mode)][size][0][wide] = run<mode, T, std::int32_t, P>;
    table.run[static_cast<int>(mode)][size][1][wide] = run<mode, T, std::int64_t, P>;
  };
  add_mode.template operator()<ScatterMode::kPermutation>();
  add_mode.template operator()<ScatterMode::kMarked>();
  add_mode.template operator()<ScatterMode::kOwned>();
  add_mode.template operator()<ScatterMode::kLastWriter>();
  table.resolve[size][wide] = resolve<T, P>;
  table.sum_places[wide] = sum_places<P>;
}

}  // namespace

void add_scatter(Kernels& kernels) {
  add_sizes<std::uint8_t, std::uint32_t>(kernels.scatter, 0, 0);
  add_sizes<std::uint8_t, std::uint64_t>(kernels.scatter, 0, 1);
  add_sizes<std::uint32_t, std::uint32_t>(kernels.scatter, 1, 0);
  add_sizes<std::uint32_t, std::uint64_t>(kernels.scatter, 1, 1);
  add_sizes<std::uint64_t, std::uint32_t>(kernels.scatter, 2, 0);
  add_sizes<std::uint64_t, std::uint64_t>(kernels.scatter, 2, 1);
}

}  // namespace cvl::cpu::CVL_ISA
