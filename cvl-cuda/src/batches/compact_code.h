#pragma once

// How the code of a batch is laid out on a device. The kernel's one block waits for its instructions to be fetched, so
// that its code is short: every kind of step is compiled once, for elements of any type.

#if defined(__CUDACC__)
#define CVL_CALLED __device__ __noinline__
#define CVL_INLINE __device__ __forceinline__
#define CVL_ROLLED _Pragma("unroll 1")
#else
#define CVL_CALLED
#define CVL_INLINE inline
#define CVL_ROLLED
#endif
