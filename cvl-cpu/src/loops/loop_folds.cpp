/// Steps of a worker around the compiled loop: carries of scans, reductions, counts and scatters, tile by tile.

#include <cstring>

#include "base/check.h"
#include "loops/loop_worker.h"
#include "operations/operations.h"
#include "tuning/streaming_tuning.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;

bool LoopWorker::run_tile(Part part) {
  const Called called = call_loop(part);
  return called != Called::kNothing && run_around(part, called);
}

bool LoopWorker::run_around(Part part, Called called) {
  for (const Step& step : plan_.stage(part).steps) {
    switch (step.producer) {
      case Producer::kScan:
        if (part == Part::kBefore)
          add_to_carry(step, called);
        else if (called == Called::kNest && plan_.is_by_blocks(step))
          go_on_by_blocks(step);
        break;
      case Producer::kReduce:
        if (run_.by_block)
          take_blocks(step);
        else if (called == Called::kNest)
          take_fold(step);
        else if (called == Called::kFlat)
          reduce(step);
        break;
      case Producer::kArgReduce:
        if (called != Called::kLanes) arg_reduce(step);
        break;
      case Producer::kPack:
        if (step.counts && part != Part::kAfter) count(step, part, called);
        break;
      case Producer::kScatter:
        if (!LoopPlan::is_in_loop(step, part) && !scatter(step)) return false;
        break;
      default:
        break;
    }
  }
  return true;
}

/// Folds the tile's elements of the segment that is open at the end of the tile.
Slot LoopWorker::fold_open(const Step& step) const {
  const Chunk& tile = tile_of(step);
  const bool ends = tile.segment_end > tile.segment_begin;
  return kernels().scan.fold.at(monoid(step), type_of_operand(step))(
      base(step.step->operands[0]), ends ? descriptor_of(step).start(tile.segment_end) : begin_, end_);
}

/// Adds the tile to the accumulation that a scan passes to the next chunk.
void LoopWorker::add_to_carry(const Step& step, Called called) {
  const Slot mine = called == Called::kNest ? folds_[fold_number(step)] : fold_open(step);
  const Chunk& tile = tile_of(step);
  const bool ends = tile.segment_end > tile.segment_begin;
  Open& open = open_scans_[static_cast<std::size_t>(step.number)];
  if (ends)
    open.value = mine;
  else if (open.inside)
    open.value = kernels().scan.combine.at(monoid(step), type_of_operand(step))(mine, open.value);
  else
    blocks_of_scan(step.number)[open.blocks++] = mine;
  open.inside |= ends;
}

/// Sets the accumulation with which a scan by blocks begins the next tile.
void LoopWorker::go_on_by_blocks(const Step& step) {
  const Slot mine = folds_[fold_number(step)];
  const Chunk& tile = tile_of(step);
  Slot& blocks = block_carries_[static_cast<std::size_t>(step.number)];
  // Compiled code has put the accumulation of its scan there, which has another grouping.
  carries_[static_cast<std::size_t>(step.number)] = blocks =
      tile.segment_end > tile.segment_begin
          ? mine
          : kernels().scan.combine.at(monoid(step), type_of_operand(step))(mine, blocks);
}

void LoopWorker::reduce(const Step& step) {
  Slot block = 0;
  ReduceKernels::Edges shares;
  shares.blocks = &block;
  const bool reads_operand = run_.call.operands[step.step->operands[0]].data != nullptr;
  kernels().reduce.chunks.at(monoid(step), type_of_operand(step))(
      base(step.step->operands[0]), descriptor_of(step), tile_of(step), run_.call.results[step.step->results[0]].data,
      shares, false, reads_operand ? kAheadBytes : 0);
  VC_CHECK(shares.count <= 1);
  take_tile(step, shares.count > 0 ? &block : nullptr, shares.tail);
}

/// Combines the fold of the tile's elements that the nest has computed with those of earlier tiles.
void LoopWorker::take_fold(const Step& step) {
  const SegmentDescriptor& descriptor = descriptor_of(step);
  const Chunk& tile = tile_of(step);
  const Slot& open = folds_[fold_number(step)];
  const std::size_t size = elem_size(type_of_operand(step));
  Slot block = open;
  bool has_block = begin_ < end_;
  if (tile.segment_begin < tile.segment_end) {
    std::memcpy(&block,
                static_cast<const char*>(run_.call.results[step.step->results[0]].data) +
                    tile.segment_begin * static_cast<std::int64_t>(size),
                size);
    has_block = descriptor.start(tile.segment_begin + 1) > begin_;
  }
  take_tile(step, has_block ? &block : nullptr, open);
}

/// Combines the folds of the blocks of the tile, a chunk of a single segment, with each other or passes them on.
void LoopWorker::take_blocks(const Step& step) {
  const ElemType type = type_of_operand(step);
  const std::size_t size = elem_size(type);
  Open& open = open_reductions_[static_cast<std::size_t>(step.number)];
  ReduceKernels::Edges& edge = edges_[static_cast<std::size_t>(step.number)];
  for (std::int64_t k = 0, e = begin_; e < end_; ++k, e += kFoldBlock) {
    Slot block = 0;
    std::memcpy(&block, static_cast<const char*>(block_folds(step.number)) + static_cast<std::size_t>(k) * size, size);
    if (e == 0)
      open = {.value = block, .inside = true};
    else if (open.inside)
      open.value = kernels().scan.combine.at(monoid(step), type)(block, open.value);
    else
      edge.blocks[edge.count++] = block;
  }
  const Chunk& tile = tile_of(step);
  if (tile.segment_begin == tile.segment_end) return;
  if (open.inside) std::memcpy(run_.call.results[step.step->results[0]].data, &open.value, size);
  open = {.value = kernels().scan.identity.at(monoid(step), type), .inside = true};
}

/// Combines the results of a reduction in a tile with those of earlier tiles. `block` is the fold of the segment that
/// began before the tile, null if it has no elements there; `tail` that of the segment that begins in the tile and does
/// not end there.
void LoopWorker::take_tile(const Step& step, const Slot* block, Slot tail) {
  const ElemType type = type_of_operand(step);
  const Chunk& tile = tile_of(step);
  Open& open = open_reductions_[static_cast<std::size_t>(step.number)];
  ReduceKernels::Edges& edge = edges_[static_cast<std::size_t>(step.number)];
  if (continues(descriptor_of(step), tile)) {
    if (block != nullptr && open.inside)
      open.value = kernels().scan.combine.at(monoid(step), type)(*block, open.value);
    else if (block != nullptr)
      edge.blocks[edge.count++] = *block;
    if (tile.segment_begin == tile.segment_end) return;
    const auto size = static_cast<std::int64_t>(elem_size(type));
    if (open.inside)
      std::memcpy(static_cast<char*>(run_.call.results[step.step->results[0]].data) + tile.segment_begin * size,
                  &open.value, elem_size(type));
  }
  open = {.value = tail, .inside = true};
}

/// Counts the true flags of the tile; adds those of each segment to the lengths in memory.
void LoopWorker::count(const Step& step, Part part, Called called) {
  const auto number = static_cast<std::size_t>(step.number);
  const Result& lengths = run_.call.results[step.step->results[1]];
  const bool is_wide = elem_size(lengths.type) == 8;
  PackCount found;
  if (called == Called::kNest && LoopPlan::is_in_loop(step, part)) {
    const auto k = static_cast<std::size_t>(step.packed);
    found.kept = positions_[k] - of_tile_[k];
    std::int32_t narrow;
    std::memcpy(&narrow, &counted_[number], sizeof(narrow));
    found.tail = is_wide ? static_cast<std::int64_t>(counted_[number]) : narrow;
    if (run_.is_single(step.segmentation)) {
      const bool ends = tile_of(step).segment_begin < tile_of(step).segment_end;
      found.tail = ends ? 0 : found.kept;
      if (ends) set_length(lengths, 0, found.kept);
    }
  } else {
    found = kernels().pack.count[is_wide](static_cast<const bool*>(base(step.step->operands[1])), descriptor_of(step),
                                          tile_of(step), lengths.data);
  }
  const Chunk& tile = tile_of(step);
  Open& open = open_counts_[number];
  if (tile.segment_begin == tile.segment_end) {
    open.value += static_cast<Slot>(found.tail);
  } else {
    add_to(lengths, tile.segment_begin, static_cast<std::int64_t>(open.value));
    CountEdge& edge = count_edges_[number];
    if (edge.first < 0) edge.first = tile.segment_begin;
    open.value = static_cast<Slot>(found.tail);
  }
  kept_[number] += found.kept;
}

bool LoopWorker::scatter(const Step& step) {
  const auto& operands = step.step->operands;
  const bool flagged = vcode::has_flags(step.step->op);
  return run_.scatters[static_cast<std::size_t>(step.number)].distinct->write(
      base(operands[0]), base(operands[1]), flagged ? static_cast<const bool*>(base(operands[2])) : nullptr,
      tile_of(step));
}

}  // namespace cvl::cpu
