/// Scatters: the targets of a strip (see places.h) are computed and checked, then its elements are moved one by one.
///
/// Bytes moved per element: source and index once, and a cache line of the result read and written if targets are
/// random. Stores are relaxed atomics, which cost nothing, because two threads may write to one target before it is
/// known that the indices are not a permutation.

#include "base/position_hash.h"
#include "isa/positions.h"

namespace cvl::cpu::CVL_ISA {
namespace {

/// The number whose square is the hash: see position_hash.h.
template <class V>
inline V mixed(V position) {
  const V x = (position + kPositionStep) * kPositionFactor;
  return x ^ x >> kPositionShift;
}
/// The hash of a target.
inline std::uint64_t position_hash(std::uint32_t position) {
  const std::uint64_t x = mixed(position);
  return x * x;
}
/// The hash of a target of 64 bits. The increment (2^64 divided by the golden ratio) and the multipliers are those of
/// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
inline std::uint64_t position_hash(std::uint64_t position) {
  std::uint64_t x = (position + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
  x ^= x >> 31;
  return x * 0x94D049BB133111EBu ^ x >> 29;
}

using Sums = Register<std::uint64_t>;

/// The squares of the 32-bit numbers in v, added in pairs. Only a multiplication of the lower halves of 64-bit lanes is
/// needed, an instruction that compilers do not find.
inline Sums squares(Register<std::uint32_t> v) {
  const auto square = [](Sums x) {
#if defined(__AVX512F__)
    return (Sums)_mm512_maskz_mul_epu32(0xFF, (__m512i)x, (__m512i)x);
#elif defined(__AVX2__)
    return (Sums)_mm256_mul_epu32((__m256i)x, (__m256i)x);
#elif defined(__x86_64__)
    return (Sums)_mm_mul_epu32((__m128i)x, (__m128i)x);
#else
    return (x & 0xFFFFFFFFu) * (x & 0xFFFFFFFFu);
#endif
  };
  const Sums low = (Sums)v, high = low >> 32;
  return square(low) + square(high);
}

/// Accumulates the sum of the hashes of targets.
template <class P>
class PositionSum {
 public:
  /// Adds n targets, as offsets from `base`.
  void add(P base, const P* offsets, int64_t n) {
    int64_t k = 0;
    if constexpr (sizeof(P) == 4)
      for (; k + kRegisterLanes<P> <= n; k += kRegisterLanes<P>) add(load<Register<P>>(offsets + k) + base);
    for (; k < n; ++k) rest_ += position_hash(static_cast<P>(offsets[k] + base));
  }
  void add(Register<P> positions) { add(positions, ~Register<P>{}); }
  /// Adds the targets in the lanes where `wanted` is all ones; it is zero in the others.
  void add(Register<P> positions, Register<P> wanted) {
    if constexpr (sizeof(P) == 4)
      sums_ += squares(mixed(positions) & wanted);
    else
      for (int lane = 0; lane < kRegisterLanes<P>; ++lane) rest_ += position_hash(positions[lane]) & wanted[lane];
  }
  std::uint64_t total() const {
    std::uint64_t sum = rest_;
    for (int lane = 0; lane < kRegisterLanes<std::uint64_t>; ++lane) sum += sums_[lane];
    return sum;
  }

 private:
  Sums sums_ = {};
  std::uint64_t rest_ = 0;
};

template <class P>
std::uint64_t sum_positions(int64_t begin, int64_t end) {
  std::uint64_t sum = 0;
  for (int64_t position = begin; position < end; ++position) sum += position_hash(P(position));
  return sum;
}

/// Whether the targets in a register are consecutive, as those of the elements of a row are.
template <class P>
inline bool is_run(const P* offsets) {
  const Register<P> targets = load<Register<P>>(offsets);
  Register<P> differences = {};
  for (int lane = 0; lane < kRegisterLanes<P>; ++lane) differences[lane] = targets[0] + P(lane);
  differences ^= targets;
  P any = 0;
  for (int lane = 0; lane < kRegisterLanes<P>; ++lane) any |= differences[lane];
  return any == 0;
}

template <class T>
inline void put(T* to, T value) {
  __atomic_store_n(to, value, __ATOMIC_RELAXED);
}

/// Records that element e - 1 writes to a target, unless a later element does.
template <class P>
inline void note_writer(P* writer, P e) {
  P last = __atomic_load_n(writer, __ATOMIC_RELAXED);
  while (last < e && !__atomic_compare_exchange_n(writer, &last, e, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

template <ScatterMode mode, bool kFlags, class T, class I, class P>
ScatterOutcome run_chunk(const ScatterJob& job, const Chunk& chunk) {
  constexpr P kAbsent = P(-1);
  const Indexing<I, P> of{job.from, job.to, static_cast<const I*>(job.indices),
                          reinterpret_cast<const std::uint8_t*>(job.flags), kAbsent};
  const T* source = static_cast<const T*>(job.source);
  std::conditional_t<mode == ScatterMode::kPermutation, PositionSum<P>, NoPositionSum> sum;
  T nowhere;  // the target of elements that other callers write, in place of a branch
  ScatterOutcome outcome;
  outcome.fault = for_positions<kFlags>(of, chunk, sum, [&](int64_t e, int64_t n, const Positions<P>& positions) {
    const P* offsets = positions.offsets;
    T* result = static_cast<T*>(job.result) + positions.base;
    if constexpr (mode == ScatterMode::kPermutation) {
      CVL_UNROLL
      for (int64_t k = 0; k < n; ++k) put(result + offsets[k], source[e + k]);
    } else if constexpr (mode == ScatterMode::kMarked) {
      std::uint8_t* marks = job.marks + positions.base;
      for (int64_t k = 0; k < n; ++k) {
        if (kFlags && offsets[k] == kAbsent) continue;
        put(result + offsets[k], source[e + k]);
        put(marks + offsets[k], std::uint8_t(1));
        ++outcome.written;
      }
    } else if constexpr (mode == ScatterMode::kOwned) {
      const P own_begin = P(job.own_begin - positions.base), own = P(job.own_end - job.own_begin);
      const auto is_own = [&](int64_t k) { return P(offsets[k] - own_begin) < own; };
      constexpr int64_t kRun = kRegisterLanes<P>;
      for (int64_t k = 0; k < n;) {
        const int64_t end = k + kRun < n ? k + kRun : n;
        if (end == k + kRun && is_run(offsets + k) && is_own(k) && is_own(end - 1)) {
          std::memcpy(result + offsets[k], source + e + k, kRun * sizeof(T));
          k = end;
        }
        for (; k < end; ++k) {
          T* to = is_own(k) ? result + offsets[k] : &nowhere;
          *to = source[e + k];
        }
      }
    } else {
      // Iterates backwards, so that of many elements with one target only the first one visited has to write.
      P* writers = static_cast<P*>(job.writers) + positions.base;
      for (int64_t k = n - 1; k >= 0; --k)
        if (!kFlags || offsets[k] != kAbsent) note_writer(writers + offsets[k], P(e + k + 1));
    }
  });
  if constexpr (mode == ScatterMode::kPermutation) outcome.fingerprint = sum.total();
  return outcome;
}

template <ScatterMode mode, class T, class I, class P>
ScatterOutcome run(const ScatterJob& job, const Chunk& chunk) {
  // Permutations have no flags.
  if constexpr (mode != ScatterMode::kPermutation)
    if (job.flags != nullptr) return run_chunk<mode, true, T, I, P>(job, chunk);
  return run_chunk<mode, false, T, I, P>(job, chunk);
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
  table.sum_positions[wide] = sum_positions<P>;
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
