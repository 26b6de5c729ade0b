#pragma once

#include <cstdint>

#include "kernels/loop_plan.h"

namespace cvl::cpu {

/// How the index space of a kernel is divided: into chunks, which threads take, and chunks into tiles, which one call
/// of a loop computes.
struct LoopTiles {
  /// `threads` take the chunks. `with_products`: loops are compiled as products where they may be.
  explicit LoopTiles(const kernels::LoopPlan& plan, int threads = 1, bool with_products = false);

  std::int64_t tile = 0;         ///< elements of a tile: a power of two
  std::int64_t chunk_items = 0;  ///< elements plus segments of a chunk, which may have kLargestTile elements more
  std::int64_t most_tiles = 0;   ///< most tiles of a chunk
  /// Average length of segments from which on the nest is called.
  std::int64_t long_segment = 0;
  bool products = false;  ///< segments that are a product are computed as one

  std::int64_t slot_bytes() const { return tile * 8; }
};

}  // namespace cvl::cpu
