/// Scans and reductions of a worker, tile by tile.

#include <cstring>

#include "base/check.h"
#include "tiles/tile_worker.h"

namespace cvl::cpu {

using vcode::KernelVar;
using PlannedStep = TilePlan::PlannedStep;

/// Folds the tile's elements of the segment that is open at the end of the tile.
Slot TileWorker::fold_open(const PlannedStep& step) {
  const KernelVar a = step.step->operands[0];
  const Chunk& tile = tile_of(step);
  const bool ends = tile.segment_end > tile.segment_begin;
  return kernels().scan.fold.at(monoid(step), plan_.values[a].type)(
      base(a), ends ? map_of(step).start(tile.segment_end) : begin_, end_);
}

/// Adds the tile to the accumulation that a scan passes to the next chunk.
void TileWorker::add_to_carry(const PlannedStep& step, Part part) {
  if (part == Part::kAfter) return;
  const Slot mine = is_folded(step, part) ? folds_[static_cast<std::size_t>(plan_.fold_number(step))] : fold_open(step);
  const Chunk& tile = tile_of(step);
  const bool ends = tile.segment_end > tile.segment_begin;
  Open& open = open_scans_[static_cast<std::size_t>(step.number)];
  const ElemType type = plan_.values[step.step->operands[0]].type;
  if (ends)
    open.value = mine;
  else if (open.inside)
    open.value = kernels().scan.combine.at(monoid(step), type)(mine, open.value);
  else
    blocks_of_scan(step.number)[open.blocks++] = mine;
  open.inside |= ends;
}

/// Sets the accumulation with which a scan by blocks begins the next tile, after compiled code has scanned this tile
/// beginning with `before`.
void TileWorker::go_on_by_blocks(const PlannedStep& step, Part part, Slot before) {
  const ElemType type = plan_.values[step.step->operands[0]].type;
  const Slot mine = is_folded(step, part) ? folds_[static_cast<std::size_t>(plan_.fold_number(step))] : fold_open(step);
  const Chunk& tile = tile_of(step);
  open_scans_[static_cast<std::size_t>(step.number)].before =
      tile.segment_end > tile.segment_begin ? mine : kernels().scan.combine.at(monoid(step), type)(mine, before);
}

void TileWorker::scan(const PlannedStep& step, Part part) {
  add_to_carry(step, part);
  if (part == Part::kBefore) return;
  const ScanKernels& scans = kernels().scan;
  const KernelVar a = step.step->operands[0], result = step.step->results[0];
  const ElemType type = plan_.values[a].type;
  const Chunk& tile = tile_of(step);
  Open& open = open_scans_[static_cast<std::size_t>(step.number)];
  const bool past_cache = job_.streamed[result] && !plan_.is_read_in_tiles(result);
  open.before =
      scans.chunks.at(monoid(step), type)(base(a), map_of(step), tile, open.before,
                                          past_cache ? job_.memory[result] : base(result), past_cache, ahead(step));
  if (job_.streamed[result] && !past_cache) store(result);
}

void TileWorker::scan_chunk(const PlannedStep& step) {
  const KernelVar a = step.step->operands[0], result = step.step->results[0];
  if (job_.memory[result] == nullptr) return;  // dead
  kernels().scan.chunks.at(monoid(step), plan_.values[a].type)(
      base(a), map_of(step), chunks_[static_cast<std::size_t>(step.segmentation)], job_.carry(p_)[step.number],
      job_.memory[result], job_.streamed[result], 0);
}

void TileWorker::reduce(const PlannedStep& step) {
  const KernelVar a = step.step->operands[0];
  const ElemType type = plan_.values[a].type;
  const SegmentDescriptor& descriptor = map_of(step);
  const Chunk& tile = tile_of(step);
  Slot block = 0;
  ReduceKernels::Edges shares;
  shares.blocks = &block;
  kernels().reduce.chunks.at(monoid(step), type)(
      base(a), descriptor, tile, job_.call.results[step.step->results[0]].data, shares, false, ahead(step));
  VC_CHECK(shares.count <= 1);
  take_tile(*step.step, step.number, descriptor, tile, shares.count > 0 ? &block : nullptr, shares.tail);
}

/// Combines the results of a reduction in a tile with those of earlier tiles. `block` is the fold of the segment that
/// began before the tile, null if it has no elements there; `tail` that of the segment that begins in the tile and does
/// not end there.
void TileWorker::take_tile(const vcode::Kernel::Step& step, int number, const SegmentDescriptor& descriptor,
                           const Chunk& tile, const Slot* block, Slot tail) {
  const ElemType type = plan_.values[step.operands[0]].type;
  Open& open = open_reductions_[static_cast<std::size_t>(number)];
  Edge& edge = edges_[static_cast<std::size_t>(number)];
  if (continues(descriptor, tile)) {
    if (block != nullptr && open.inside)
      open.value = kernels().scan.combine.at(vcode::info(step.op).monoid, type)(*block, open.value);
    else if (block != nullptr)
      job_.blocks(p_, number)[edge.blocks++] = *block;
    if (tile.segment_begin == tile.segment_end) return;
    const auto size = static_cast<std::int64_t>(elem_size(type));
    if (open.inside)
      std::memcpy(static_cast<char*>(job_.call.results[step.results[0]].data) + tile.segment_begin * size, &open.value,
                  elem_size(type));
    else
      edge.first = tile.segment_begin;
  }
  open = {.value = tail, .inside = true};
}

}  // namespace cvl::cpu
