#include "loops/loop_tiles.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "cvl/fold_order.h"
#include "tuning/chunk_tuning.h"
#include "tuning/kernel_tuning.h"

namespace cvl::cpu {

namespace {

/// Most items of a chunk: fewer if several threads compute an element that takes long, so that they also divide what a
/// single chunk of cheap elements would be.
std::int64_t most_chunk_items(const kernels::LoopPlan& plan, int threads) {
  if (threads == 1) return kChunkItems;
  const int rounds = plan.kernel.repeated > 0 ? kExpectedRounds : 1;
  const std::int64_t flops = std::int64_t{rounds} * plan.work().in_flops();
  const auto items = static_cast<std::uint64_t>(kFlopsOfChunk / std::max<std::int64_t>(flops, 1));
  const std::int64_t fewest = plan.by_blocks() ? 2 * kFoldBlock : kFewestCostlyItems;
  return std::clamp(static_cast<std::int64_t>(std::bit_floor(items)), fewest, kChunkItems);
}

}  // namespace

LoopTiles::LoopTiles(const kernels::LoopPlan& plan, int threads, bool with_products) : products(with_products) {
  const auto used = static_cast<std::uint64_t>(std::max(1, plan.slots));
  const std::int64_t fitting = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::bit_floor(kTileBytes / 8 / used)), kSmallestTile, kLargestTile);
  tile = plan.by_blocks() ? std::max(fitting, kFoldBlock) : fitting;
  if (plan.has_carries()) {
    chunk_items = std::clamp(kKeptBytes / std::max<std::int64_t>(plan.kept_bytes, 1) / tile * tile, kFewestChunkItems,
                             kChunkItems);
  } else {
    chunk_items = most_chunk_items(plan, threads);
    const bool is_one_call = plan.slots == 0 && !plan.by_blocks();
    tile = is_one_call ? chunk_items : std::min(tile, chunk_items);
  }
  VC_CHECK(std::has_single_bit(static_cast<std::uint64_t>(tile)));
  const std::int64_t most_items = chunk_items + kLargestTile;
  // With folds by blocks, two neighbouring tiles have more elements than a block.
  most_tiles = plan.by_blocks() ? 2 * (most_items / kFoldBlock) + 4 : most_items / tile + 2;
  const kernels::Loop& loop = plan.whole.loop;
  const bool slices = std::ranges::any_of(
      loop.inputs, [](const kernels::Loop::Input& input) { return input.access == kernels::Loop::Access::kSlice; });
  long_segment = slices && !loop.tables.empty() ? kLongSlicedSegment : kLongSegment;
}

}  // namespace cvl::cpu
