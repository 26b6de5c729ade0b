#pragma once

/// Truth values as bits of words.

#include "isa/isa.h"

namespace cvl::cpu::CVL_ISA {

/// Gathers the lowest bits of eight bytes: each bit lands in the highest byte of the product.
inline std::uint64_t lowest_bits(std::uint64_t bytes) { return bytes * 0x0102040810204080u >> 56; }

/// 64 flags as bits of a word.
inline std::uint64_t flag_bits(const std::uint8_t* flags) {
#if defined(__AVX512BW__)
  const __m512i v = _mm512_loadu_si512(flags);
  return _mm512_test_epi8_mask(v, v);
#elif defined(__AVX2__)
  std::uint64_t bits = 0;
  for (int half = 0; half < 2; ++half) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(flags + 32 * half));
    bits |= std::uint64_t(std::uint32_t(_mm256_movemask_epi8(_mm256_slli_epi16(v, 7)))) << 32 * half;
  }
  return bits;
#else
  std::uint64_t bits = 0;
  for (int byte = 0; byte < 8; ++byte) {
    std::uint64_t eight;
    std::memcpy(&eight, flags + 8 * byte, 8);
    bits |= lowest_bits(eight) << 8 * byte;
  }
  return bits;
#endif
}

/// The first n flags, at most 64, as bits of a word.
inline std::uint64_t flag_bits(const std::uint8_t* flags, int64_t n) {
  if (n >= 64) return flag_bits(flags);
#if defined(__AVX512BW__)
  const __m512i v = _mm512_maskz_loadu_epi8((std::uint64_t(1) << n) - 1, flags);
  return _mm512_test_epi8_mask(v, v);
#else
  std::uint64_t bits = 0;
  int64_t k = 0;
  for (; k + 8 <= n; k += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, flags + k, 8);
    bits |= lowest_bits(eight) << k;
  }
  for (; k < n; ++k) bits |= std::uint64_t(flags[k] & 1) << k;
  return bits;
#endif
}

}  // namespace cvl::cpu::CVL_ISA
