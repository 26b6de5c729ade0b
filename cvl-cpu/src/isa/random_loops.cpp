/// Random numbers of many counters at a time: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as
/// easy as 1, 2, 3", SC 2011), with the multipliers and key increments of the paper. vcode/philox.h is the definition.
///
/// Bytes moved: bounds and result once. The arithmetic, ten rounds of two multiplications for each 16 bytes, takes
/// longer than memory.

#include "isa/isa.h"
#include "tuning/loop_tuning.h"
#include "vcode/philox.h"

namespace cvl::cpu::CVL_ISA {
namespace {

using std::uint32_t;
using std::uint64_t;

/// words[4 * c + w] = word w of counter first + c.
void philox_block(vcode::RandomKey key, uint64_t first, uint32_t* words) {
  uint32_t c0[kRandomCounters], c1[kRandomCounters], c2[kRandomCounters], c3[kRandomCounters];
  for (int c = 0; c < kRandomCounters; ++c) {
    const uint64_t counter = first + static_cast<uint64_t>(c);
    c0[c] = static_cast<uint32_t>(counter);
    c1[c] = static_cast<uint32_t>(counter >> 32);
    c2[c] = static_cast<uint32_t>(key.call);
    c3[c] = static_cast<uint32_t>(key.call >> 32);
  }
  uint32_t k0 = static_cast<uint32_t>(key.seed), k1 = static_cast<uint32_t>(key.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int c = 0; c < kRandomCounters; ++c) {
      const uint64_t p0 = uint64_t{0xD2511F53u} * c0[c], p1 = uint64_t{0xCD9E8D57u} * c2[c];
      c0[c] = static_cast<uint32_t>(p1 >> 32) ^ c1[c] ^ k0;
      c2[c] = static_cast<uint32_t>(p0 >> 32) ^ c3[c] ^ k1;
      c1[c] = static_cast<uint32_t>(p1);
      c3[c] = static_cast<uint32_t>(p0);
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  for (int c = 0; c < kRandomCounters; ++c) {
    words[4 * c] = c0[c];
    words[4 * c + 1] = c1[c];
    words[4 * c + 2] = c2[c];
    words[4 * c + 3] = c3[c];
  }
}

/// I is int32_t with Word uint32_t, or int64_t with uint64_t.
template <class I, class Word>
int64_t draw(const void* bounds, RandomKey key, int64_t begin, int64_t end, void* results) {
  constexpr int64_t kPerCounter = 16 / sizeof(I);
  constexpr int64_t kStep = kRandomCounters * kPerCounter;
  VC_CHECK(begin % 64 == 0);
  const I* bound = static_cast<const I*>(bounds);
  I* result = static_cast<I*>(results);
  alignas(64) Word words[kStep];
  for (int64_t e = begin; e < end; e += kStep) {
    const int64_t n = end - e < kStep ? end - e : kStep;
    uint32_t halves[4 * kRandomCounters];
    philox_block(key, static_cast<uint64_t>(e / kPerCounter), halves);
    std::memcpy(words, halves, sizeof words);
    unsigned zeros = 0;
    for (int64_t k = 0; k < n; ++k) zeros |= bound[e + k] == 0;
    if (zeros != 0)
      for (int64_t k = 0; k < n; ++k)
        if (bound[e + k] == 0) return e + k;
    CVL_INDEPENDENT
    for (int64_t k = 0; k < n; ++k) result[e + k] = vcode::bounded_random(bound[e + k], words[k]);
  }
  return -1;
}

}  // namespace

void add_random(Kernels& kernels) {
  kernels.random.i32 = draw<std::int32_t, uint32_t>;
  kernels.random.i64 = draw<int64_t, uint64_t>;
}

}  // namespace cvl::cpu::CVL_ISA
