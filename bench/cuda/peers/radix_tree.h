#pragma once

#include <cstdint>

#include "device_array.h"

namespace bench::cuda {

/// A body, or all bodies below a node: the centre of mass, and the mass.
struct Body {
  float x, y, mass;
};

/// A binary tree over n > 1 bodies sorted by Morton codes, built as in Karras, "Maximizing parallelism in the
/// construction of BVHs, octrees, and k-d trees" (High-Performance Graphics 2012). It has n - 1 inner nodes, number 0
/// the root, each found independently of the others. Body k is node n - 1 + k. All pointers are to memory of the
/// device.
struct RadixTree {
  std::int32_t n;
  const std::uint64_t* codes;  ///< bits of x and y interleaved, the most significant first
  std::int32_t* left;          ///< children of inner nodes
  std::int32_t* right;
  std::int32_t* parent;       ///< of all nodes except the root
  std::uint8_t* prefix;       ///< number of leading code bits that all bodies below an inner node share, at most 64
  std::int32_t* children_in;  ///< of inner nodes: the number of children that are summed, initially 0
  Body* bodies;               ///< of all nodes

  /// Number of leading bits that the codes of bodies i and j share, continued with their numbers; -1 if there is no
  /// body j.
  __host__ __device__ int common(std::int32_t i, std::int32_t j) const {
    if (j < 0 || j >= n) return -1;
    const std::uint64_t differ = codes[i] ^ codes[j];
    return differ != 0 ? leading_zeros(differ) : 64 + leading_zeros(std::uint64_t(std::uint32_t(i ^ j)));
  }

  /// Finds the bodies below inner node i, and splits them between its children.
  __host__ __device__ void build(std::int32_t i) const {
    const int direction = common(i, i + 1) > common(i, i - 1) ? 1 : -1;
    const int least = common(i, i - direction);
    std::int32_t most = 2;
    while (common(i, i + most * direction) > least) most *= 2;
    std::int32_t length = 0;
    for (std::int32_t step = most / 2; step > 0; step /= 2)
      if (common(i, i + (length + step) * direction) > least) length += step;
    const std::int32_t end = i + length * direction;
    const int shared = common(i, end);
    std::int32_t split = 0;
    for (std::int32_t step = length; step > 1;) {
      step = (step + 1) / 2;
      if (common(i, i + (split + step) * direction) > shared) split += step;
    }
    const std::int32_t at = i + split * direction + (direction < 0 ? -1 : 0);
    const std::int32_t first = direction > 0 ? i : end, last = direction > 0 ? end : i;
    left[i] = at == first ? n - 1 + at : at;
    right[i] = at + 1 == last ? n - 1 + at + 1 : at + 1;
    parent[left[i]] = parent[right[i]] = i;
    prefix[i] = std::uint8_t(shared < 64 ? shared : 64);
  }

  __host__ __device__ static int leading_zeros(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
    return __clzll(static_cast<long long>(bits));
#else
    return bits == 0 ? 64 : __builtin_clzll(bits);
#endif
  }
};

}  // namespace bench::cuda
