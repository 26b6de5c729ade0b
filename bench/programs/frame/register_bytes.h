#pragma once

namespace program_peers {

/// Bytes of a vector register of the processor that this is compiled for. GCC 12 keeps longer vectors in memory.
#if defined(__AVX512F__)
inline constexpr int kRegisterBytes = 64;
#elif defined(__AVX__)
inline constexpr int kRegisterBytes = 32;
#else
inline constexpr int kRegisterBytes = 16;
#endif

}  // namespace program_peers
