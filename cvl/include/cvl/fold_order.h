#pragma once

/// The grouping of sums and products of floats within a segment (docs/vcode.md), in its plain form. The result of a
/// segment depends only on its elements and their number, not on neighbouring segments or on the division of work.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "vcode/grouping.h"
#include "vcode/op_semantics.h"
#include "vcode/types.h"

namespace cvl {

/// Elements of a block, which is folded by itself. Blocks begin at multiples of this from the start of the segment, and
/// are combined from left to right.
inline constexpr std::int64_t kFoldBlock = 1024;
/// Lanes of a block: element e goes to lane e mod kFoldLanes of accumulator (e / kFoldLanes) mod kFoldAccumulators.
template <class T>
inline constexpr std::int64_t kFoldLanes = 64 / static_cast<std::int64_t>(sizeof(T));
inline constexpr int kFoldAccumulators = 4;

using vcode::rounds;
template <class M, class T>
inline constexpr bool kRounds = std::is_floating_point_v<T>&& rounds(M::kMonoid, vcode::kElemTypeOf<T>);

/// The fold of up to kFoldBlock elements: accumulators are combined in pairs, then the halves of the lanes.
template <class M, class T>
T fold_block(const T* a, std::int64_t n) {
  constexpr std::int64_t kLanes = kFoldLanes<T>;
  T lanes[kFoldAccumulators][kLanes];
  const std::int64_t used = std::min(n, kLanes);
  const int rows = n > kLanes ? kFoldAccumulators : 1;
  for (int row = 0; row < rows; ++row) std::fill_n(lanes[row], used, M::template identity<T>());
  for (std::int64_t e = 0; e < n; ++e) {
    T& lane = lanes[e / kLanes % kFoldAccumulators][e % kLanes];
    lane = M::template combine<T>(a[e], lane);
  }
  if (rows > 1)
    for (std::int64_t j = 0; j < kLanes; ++j)
      lanes[0][j] = M::template combine<T>(M::template combine<T>(lanes[0][j], lanes[1][j]),
                                           M::template combine<T>(lanes[2][j], lanes[3][j]));
  // Lanes without elements would hold the identity element, so they are skipped.
  if (n == 0) return M::template identity<T>();
  for (auto half = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(used))) / 2; half > 0; half /= 2)
    for (std::int64_t j = 0; j < half && j + half < used; ++j)
      lanes[0][j] = M::template combine<T>(lanes[0][j], lanes[0][j + half]);
  return lanes[0][0];
}

/// The fold of a segment.
template <class M, class T>
T fold_in_order(const T* a, std::int64_t n) {
  T sum = M::template identity<T>();
  for (std::int64_t e = 0; e < n; e += kFoldBlock)
    sum = M::template combine<T>(fold_block<M>(a + e, std::min(kFoldBlock, n - e)), sum);
  return sum;
}

/// The exclusive scan of a segment; the result may be the operand. Each block starts with the fold of the blocks before
/// it. Within a block, groups of kFoldLanes elements follow one another: each element of a group is combined with those
/// 1, 2, 4, … before it in turn, then with everything before the group.
template <class M, class T>
void scan_in_order(const T* a, std::int64_t n, T* result) {
  constexpr std::int64_t kLanes = kFoldLanes<T>;
  T blocks = M::template identity<T>();
  for (std::int64_t begin = 0; begin < n; begin += kFoldBlock) {
    const std::int64_t end = std::min(begin + kFoldBlock, n);
    T before = blocks;
    blocks = M::template combine<T>(fold_block<M>(a + begin, end - begin), blocks);
    for (std::int64_t g = begin; g < end; g += kLanes) {
      T group[kLanes];
      const std::int64_t m = std::min(kLanes, end - g);
      std::copy_n(a + g, m, group);
      for (std::int64_t distance = 1; distance < m; distance *= 2)
        for (std::int64_t j = m - 1; j >= distance; --j)
          group[j] = M::template combine<T>(group[j], group[j - distance]);
      result[g] = before;
      for (std::int64_t j = 1; j < m; ++j) result[g + j] = M::template combine<T>(group[j - 1], before);
      before = M::template combine<T>(group[m - 1], before);
    }
  }
}

}  // namespace cvl
