#pragma once

#include <cstring>

#include "executor/blocks.h"
#include "vcode/arith.h"

namespace cvl::cuda {

/// A sum of elements of one segment.
template <class T>
struct Part {
  T value;

  VC_HD Payload payload() const {
    Payload p;
    memcpy(&p.low, &value, sizeof value);
    return p;
  }
  VC_HD static Part from(const Payload& p) {
    Part part;
    memcpy(&part.value, &p.low, sizeof part.value);
    return part;
  }
};

template <class Combine>
struct CombineParts {
  Combine combine;
  template <class T>
  VC_HD Part<T> operator()(const Part<T>& a, const Part<T>& b) const {
    return {combine(a.value, b.value)};
  }
};

/// A sum of elements, and whether a segment begins among them; if so, the sum of the elements since the last head. The
/// operand of a segmented scan (Blelloch, "Vector models for data-parallel computing", MIT Press 1990, section 4.3).
template <class T>
struct Run {
  T value;
  bool has_head;

  VC_HD Payload payload() const {
    Payload p = Part<T>{value}.payload();
    p.high = has_head ? 1 : 0;
    return p;
  }
  VC_HD static Run from(const Payload& p) { return {Part<T>::from(p).value, p.high != 0}; }
};

template <class Combine>
struct CombineRuns {
  Combine combine;
  template <class T>
  VC_HD Run<T> operator()(const Run<T>& a, const Run<T>& b) const {
    if (b.has_head) return b;
    return {combine(a.value, b.value), a.has_head};
  }
};

/// The sums of tiles, of groups of kGroup tiles, and of all elements up to the end of each group of groups. From these
/// sums a tile computes the sum of all elements before it, with an association that does not depend on time. The sums
/// of tiles and of groups are published as soon as their elements are read; only the sums up to the end of a group of
/// groups form a chain. The single-pass scan is due to Merrill and Garland, "Single-pass parallel prefix scan with
/// decoupled look-back" (NVIDIA 2016), whose look-back combines whichever sums are published when it reads them.
///
/// A tile puts its own sum on the board before it waits, and waits only for tiles that began before it. Hence some tile
/// never waits, and no tile waits for ever.
template <class R, class Combine>
struct LookBack {
  static constexpr int kGroup = 32;

  Board board;  ///< sums of the tiles, then of the groups, then up to the end of each group of groups
  std::int64_t tiles;
  R identity;
  Combine combine;

  static constexpr std::int64_t groups(std::int64_t tiles) { return tiles / kGroup; }
  /// Number of words of the board.
  static constexpr std::int64_t words(std::int64_t tiles) {
    return tiles == 1 ? 0 : tiles + groups(tiles) + groups(groups(tiles));
  }

  /// The sum of all elements before a tile whose own sum is `total`. Called within the `before` argument of
  /// Block::scan.
  CVL_DEVICE R before(const Block& block, const R& total) const {
    if (tiles == 1) return identity;
    const std::int64_t tile = block.index(), group = tile / kGroup, outer = group / kGroup;
    const std::int64_t first_group = tiles, first_outer = tiles + tiles / kGroup;
    const int in_group = int(tile % kGroup), in_outer = int(group % kGroup);
    if (block.leads()) board.put(tile, total.payload());
    BoardRead<R> at_tiles(block, board, group * kGroup, in_group);
    BoardRead<R> at_groups(block, board, first_group + outer * kGroup, in_outer);
    const R of_tiles = at_tiles.fold(identity, combine);
    const bool ends_group = in_group == kGroup - 1;
    if (ends_group && block.leads()) board.put(first_group + group, combine(of_tiles, total).payload());
    // For most tiles this word was put long ago. Issuing this load together with the other two would exceed the
    // registers.
    BoardRead<R> at_outer(block, board, first_outer + outer - 1, outer > 0 ? 1 : 0);
    const R of_groups = at_groups.fold(identity, combine);
    const R sum = combine(combine(at_outer.fold(identity, combine), of_groups), of_tiles);
    if (ends_group && in_outer == kGroup - 1 && block.leads())
      board.put(first_outer + outer, combine(sum, total).payload());
    return sum;
  }
};

}  // namespace cvl::cuda
