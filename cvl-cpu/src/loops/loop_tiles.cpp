#include "loops/loop_tiles.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "cvl/fold_order.h"
#include "tuning/chunk_tuning.h"
#include "tuning/kernel_tuning.h"

namespace cvl::cpu {

LoopTiles::LoopTiles(const kernels::LoopPlan& plan, bool with_products) : products(with_products) {
  const auto used = static_cast<std::uint64_t>(std::max(1, plan.slots));
  const std::int64_t fitting = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::bit_floor(kTileBytes / 8 / used)), kSmallestTile, kLargestTile);
  tile = plan.by_blocks() ? std::max(fitting, kFoldBlock) : fitting;
  if (plan.slots == 0 && !plan.by_blocks() && !plan.has_carries()) tile = kChunkItems;  // one call a chunk
  VC_CHECK(std::has_single_bit(static_cast<std::uint64_t>(tile)));
  chunk_items = kChunkItems;
  if (plan.has_carries())
    chunk_items = std::clamp(kKeptBytes / std::max<std::int64_t>(plan.kept_bytes, 1) / tile * tile, kFewestChunkItems,
                             kChunkItems);
  // With folds by blocks, two neighbouring tiles have more elements than a block.
  most_tiles = plan.by_blocks() ? 2 * (chunk_items / kFoldBlock) + 4 : chunk_items / tile + 2;
  const kernels::Loop& loop = plan.whole.loop;
  const bool slices = std::ranges::any_of(
      loop.inputs, [](const kernels::Loop::Input& input) { return input.access == kernels::Loop::Access::kSlice; });
  long_segment = slices && !loop.tables.empty() ? kLongSlicedSegment : kLongSegment;
}

}  // namespace cvl::cpu
