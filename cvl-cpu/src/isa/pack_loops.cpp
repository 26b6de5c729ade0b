/// Packing: counts true flags, in all and per segment, and moves the elements whose flags are true, without branches on
/// flags.
///
/// Bytes moved per element: the flag twice (once to count), the element once, a kept element once more.

#include "isa/flag_bits.h"
#include "isa/isa.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu::CVL_ISA {
namespace {

template <class L>
PackCount count(const bool* all_flags, const SegmentDescriptor& descriptor, const Chunk& chunk, void* all_lengths) {
  const auto* flags = reinterpret_cast<const std::uint8_t*>(all_flags) + chunk.element_begin;
  const int64_t n = chunk.element_end - chunk.element_begin;
  VC_CHECK(n <= kPackChunkItems);
  L* lengths = static_cast<L*>(all_lengths);
  const int64_t segments = chunk.segment_end - chunk.segment_begin;
  if (segments * 64 < n) {
    // Long segments are counted one by one.
    PackCount total;
    int64_t e = 0;
    const auto count_to = [&](int64_t stop) {
      int64_t kept = 0;
      for (; e + 64 <= stop; e += 64) kept += __builtin_popcountll(flag_bits(flags + e));
      kept += __builtin_popcountll(flag_bits(flags + e, stop - e));
      e = stop;
      total.kept += kept;
      return kept;
    };
    for (int64_t k = chunk.segment_begin; k < chunk.segment_end; ++k)
      lengths[k] = L(count_to(descriptor.start(k + 1) - chunk.element_begin));
    total.tail = count_to(n);
    return total;
  }
  // Short segments: the number of true flags before an element is the count before its word of bits plus the set bits
  // below it in the word, so that no branch depends on the lengths.
  std::uint64_t bits[kPackChunkItems / 64 + 1];
  std::uint32_t before[kPackChunkItems / 64 + 1];
  std::uint32_t kept = 0;
  int64_t word = 0;
  for (int64_t e = 0; e <= n; e += 64, ++word) {
    bits[word] = flag_bits(flags + e, n - e);
    before[word] = kept;
    kept += std::uint32_t(__builtin_popcountll(bits[word]));
  }
  std::uint32_t last = 0;
  for (int64_t k = chunk.segment_begin; k < chunk.segment_end; ++k) {
    const int64_t at = descriptor.start(k + 1) - chunk.element_begin;
    const std::uint64_t below = bits[at / 64] & ((std::uint64_t(1) << at % 64) - 1);
    const std::uint32_t here = before[at / 64] + std::uint32_t(__builtin_popcountll(below));
    lengths[k] = L(here - last);
    last = here;
  }
  return {int64_t(kept), int64_t(kept - last)};
}

#if defined(__AVX2__) && !defined(__AVX512F__)
/// Byte k of entry m is the position of the k-th set bit of m.
struct CompressTable {
  std::uint64_t bytes[256];
  constexpr CompressTable() : bytes() {
    for (int mask = 0; mask < 256; ++mask) {
      int at = 0;
      for (int bit = 0; bit < 8; ++bit)
        if (mask >> bit & 1) bytes[mask] |= std::uint64_t(bit) << 8 * at++;
    }
  }
};
constexpr CompressTable kCompress;
/// Bytes 2k and 2k + 1 of entry m are the positions, in lanes of 32 bits, of the halves of the element of 64 bits with
/// the k-th set bit of m.
struct WideCompressTable {
  std::uint64_t bytes[16];
  constexpr WideCompressTable() : bytes() {
    for (int mask = 0; mask < 16; ++mask) {
      int at = 0;
      for (int bit = 0; bit < 4; ++bit)
        if (mask >> bit & 1) {
          bytes[mask] |= std::uint64_t(2 * bit) << 8 * at++;
          bytes[mask] |= std::uint64_t(2 * bit + 1) << 8 * at++;
        }
    }
  }
};
constexpr WideCompressTable kWideCompress;
#endif

/// Packs elements from e on, as long as whole registers can be read before `end` and stored before `last`. Returns the
/// first element that is not packed yet.
template <class T>
inline int64_t pack_registers([[maybe_unused]] const T* a, [[maybe_unused]] const std::uint8_t* flags, int64_t e,
                              [[maybe_unused]] int64_t end, [[maybe_unused]] T*& to, [[maybe_unused]] T* last) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  if constexpr (sizeof(T) == 4) {
    for (; e + 64 <= end && to + 64 <= last; e += 64) {
      std::uint64_t keep = flag_bits(flags + e);
      for (int k = 0; k < 4; ++k, keep >>= 16) {
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(__mmask16(keep), _mm512_loadu_si512(a + e + 16 * k)));
        to += _mm_popcnt_u32(std::uint32_t(keep & 0xFFFF));
      }
    }
  } else if constexpr (sizeof(T) == 8) {
    for (; e + 64 <= end && to + 64 <= last; e += 64) {
      std::uint64_t keep = flag_bits(flags + e);
      for (int k = 0; k < 8; ++k, keep >>= 8) {
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(__mmask8(keep), _mm512_loadu_si512(a + e + 8 * k)));
        to += _mm_popcnt_u32(std::uint32_t(keep & 0xFF));
      }
    }
  }
#elif defined(__AVX2__)
  if constexpr (sizeof(T) >= 4) {
    constexpr int kWidth = 32 / sizeof(T);
    for (; e + 64 <= end && to + 64 <= last; e += 64) {
      std::uint64_t keep = flag_bits(flags + e);
      for (int k = 0; k < 64; k += kWidth, keep >>= kWidth) {
        const std::uint32_t mask = std::uint32_t(keep & ((1u << kWidth) - 1));
        const std::uint64_t order = sizeof(T) == 4 ? kCompress.bytes[mask] : kWideCompress.bytes[mask];
        const __m256i positions = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(order)));
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + e + k));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(v, positions));
        to += _mm_popcnt_u32(mask);
      }
    }
  }
#endif
#if defined(__BMI2__)
  if constexpr (sizeof(T) == 1) {
    for (; e + 8 <= end && to + 8 <= last; e += 8) {
      std::uint64_t eight, keep;
      std::memcpy(&eight, a + e, 8);
      std::memcpy(&keep, flags + e, 8);
      const std::uint64_t kept = _pext_u64(eight, keep * 0xFF);
      std::memcpy(to, &kept, 8);
      to += __builtin_popcountll(keep);
    }
  }
#endif
  return e;
}

template <class T>
void pack(const void* all, const bool* all_flags, int64_t begin, int64_t end, void* result, int64_t at, int64_t kept) {
  const T* a = static_cast<const T*>(all);
  const auto* flags = reinterpret_cast<const std::uint8_t*>(all_flags);
  T* to = static_cast<T*>(result) + at;
  T* last = to + kept;
  int64_t e = pack_registers(a, flags, begin, end, to, last);
  // Pack element by element: each is stored, and overwritten by the next one unless its flag is true.
  for (; e + 64 <= end && to + 64 <= last; e += 64)
    for (int64_t k = e; k < e + 64; ++k) {
      *to = a[k];
      to += flags[k];
    }
  // Pack the last kept elements without writing beyond them: memory after `last` belongs to another chunk.
  for (; to < last; e += 64)
    for (std::uint64_t bits = flag_bits(flags + e, end - e); bits != 0; bits &= bits - 1)
      *to++ = a[e + __builtin_ctzll(bits)];
}

}  // namespace

void add_pack(Kernels& kernels) {
  kernels.pack.count[0] = count<std::int32_t>;
  kernels.pack.count[1] = count<std::int64_t>;
  kernels.pack.pack[0] = pack<std::uint8_t>;
  kernels.pack.pack[1] = pack<std::uint32_t>;
  kernels.pack.pack[2] = pack<std::uint64_t>;
}

}  // namespace cvl::cpu::CVL_ISA
