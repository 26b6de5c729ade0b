#include "loops/loop_worker.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "operations/operations.h"
#include "tuning/chunk_tuning.h"
#include "tuning/streaming_tuning.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;

/// Memory from small_memory must be allocated here, since other threads share it during the run.
LoopWorker::LoopWorker(LoopRun& run)
    : run_(run), plan_(run.plan), in_parts_(plan_.has_carries() && !run.are_carries_known()) {
  const auto sized = [](auto& vector, auto size) { vector.resize(static_cast<std::size_t>(size)); };
  sized(origins_, plan_.values.size());
  sized(filled_, plan_.values.size());
  sized(chunks_, run.space.segmentations());
  sized(tiles_, run.space.segmentations());
  sized(open_scans_, plan_.scans);
  sized(open_reductions_, plan_.reductions);
  sized(open_counts_, plan_.counts);
  sized(extremes_, plan_.arg_reductions);
  sized(edges_, plan_.reductions);
  sized(count_edges_, plan_.counts);
  sized(kept_, plan_.counts);
  sized(counted_, plan_.counts);
  sized(packed_, plan_.packs);
  sized(positions_, plan_.packs);
  sized(of_tile_, plan_.packs);
  sized(hashes_, plan_.scatters);
  sized(folds_, plan_.reductions + plan_.scans);
  sized(scan_blocks_, plan_.scans * run.tiling.most_tiles);
  sized(carries_, plan_.scans);
  sized(block_carries_, plan_.scans);
  in_slots_.reserve(plan_.values.size());
  for (KernelVar v = 0; v < plan_.values.size(); ++v) {
    const LoopPlan::Value& value = plan_.values[v];
    if (run.call.operands[v].data != nullptr)
      origins_[v] = reinterpret_cast<Origin>(run.call.operands[v].data);
    else if (run.memory[v] != nullptr)
      origins_[v] = reinterpret_cast<Origin>(run.memory[v]);
    else if (value.slot >= 0 && (!value.kept || !in_parts_))
      in_slots_.push_back(v);
  }
  std::size_t tables = 0;
  bool with_heads = false;
  const auto note_starts = [&](const SegmentDescriptor& descriptor) {
    if (!descriptor.is_regular()) return;
    const std::int64_t length = std::max<std::int64_t>(descriptor.regular_length, 1);
    const std::int64_t most = run.once_a_chunk ? run.tiling.chunk_items + kLargestTile : run.tiling.tile;
    most_starts_ = std::max(most_starts_, std::min(descriptor.segments, most / length + 3) + 1);
  };
  if (run.by_block) most_starts_ = most_blocks() + 1;
  for (const Part part : {Part::kAll, Part::kBefore, Part::kAfter}) {
    const bool runs = in_parts_ ? part == Part::kBefore || (part == Part::kAfter && plan_.after) : part == Part::kAll;
    const Loop* loop = runs ? &plan_.stage(part).loop : nullptr;
    arguments_.emplace_back(loop == nullptr ? kernels::ArgumentStruct() : loop->arguments, run.small_memory);
    if (loop == nullptr) continue;
    tables = std::max(tables, loop->tables.size());
    if (const int nest = run.calls(part).nest; nest != LoopRun::kNoSegmentation) {
      note_starts(run.segmentation(nest));
      for (const Loop::Table& table : loop->tables) note_starts(run.descriptor_of(table));
    }
    with_heads |= run.calls(part).form == Loop::Form::kFlat;
    set_constants(part);
  }
  sized(starts_, static_cast<std::int64_t>(1 + tables) * most_starts_);
  if (run.by_block) sized(block_folds_, plan_.reductions * most_blocks());
  if (with_heads) sized(heads_, plan_.scans * (run.tiling.tile + 2 * kernels::kHeadMargin));
}

bool LoopWorker::allocate() {
  const std::int64_t of_chunk = run_.tiling.most_tiles * run_.tiling.slot_bytes();
  std::int64_t bytes = plan_.slots * run_.tiling.slot_bytes();
  const std::int64_t before_chunk = bytes;
  if (in_parts_) {
    for (const LoopPlan::Value& value : plan_.values) bytes += value.kept ? of_chunk : 0;
    bytes += plan_.packs * of_chunk;
  }
  const std::int64_t before_epilogues = bytes;
  bytes += std::ssize(plan_.epilogues) * kEpilogueTile * 8;
  memory_ = run_.context.arena.scratch<char>(std::max<std::int64_t>(bytes, 1));
  if (!memory_) run_.context.out_of_memory(static_cast<std::size_t>(bytes));
  chunk_memory_ = memory_.get() + before_chunk;
  epilogue_tiles_ = memory_.get() + before_epilogues;
  return memory_ != nullptr;
}

void LoopWorker::enter_chunk() {
  for (std::size_t c = 0; c < chunks_.size(); ++c) chunks_[c] = run_.space.chunk(static_cast<int>(c), p_);
  std::ranges::fill(open_counts_, Open{});
  for (const Step& step : plan_.whole.steps)
    if (step.producer == Producer::kReduce) {
      const Chunk& chunk = chunks_[static_cast<std::size_t>(step.segmentation)];
      open_reductions_[static_cast<std::size_t>(step.number)] = {
          kernels().scan.identity.at(monoid(step), type_of_operand(step)), !continues(descriptor_of(step), chunk)};
      edges_[static_cast<std::size_t>(step.number)] = {chunk, run_.blocks(p_, step.number), 0, 0};
    }
  enter_arg_reductions();
  std::ranges::fill(count_edges_, CountEdge{});
  if (!in_parts_) return;
  // Set the origins of the values of this chunk that are kept until its carries are known.
  const std::int64_t of_chunk = run_.tiling.most_tiles * run_.tiling.slot_bytes();
  const std::int64_t aligned = chunks_[0].element_begin / run_.tiling.tile * run_.tiling.tile;
  char* next = chunk_memory_;
  for (KernelVar v = 0; v < plan_.values.size(); ++v) {
    if (!plan_.values[v].kept || run_.memory[v] != nullptr) continue;
    origins_[v] = reinterpret_cast<Origin>(origin_of(next, aligned, run_.size_of(v)));
    next += of_chunk;
  }
  for (char*& packed : packed_) {
    packed = next;
    next += of_chunk;
  }
}

void LoopWorker::enter_part(Part part) {
  const std::int64_t begin = chunks_[0].element_begin;
  const std::int64_t from = part == Part::kBefore && plan_.only_scans_before ? begin_of_open() : begin;
  for (std::size_t c = 0; c < tiles_.size(); ++c) {
    const Chunk& chunk = chunks_[c];
    const std::int64_t ended = from == begin ? chunk.segment_begin
                                             : ended_before(run_.segmentation(static_cast<int>(c)), from,
                                                            chunk.segment_begin, chunk.segment_end);
    tiles_[c] = {from, from, ended, ended};
  }
  const Slot* carry = part == Part::kBefore ? nullptr : run_.carry(p_);
  for (const Step& step : plan_.whole.steps) {
    if (step.producer == Producer::kScan) {
      const auto k = static_cast<std::size_t>(step.number);
      carries_[k] = block_carries_[k] = carry == nullptr ? 0 : carry[step.number];
      open_scans_[k] = {kernels().scan.identity.at(monoid(step), type_of_operand(step)),
                        tile_of(step).segment_end > chunks_[static_cast<std::size_t>(step.segmentation)].segment_begin,
                        0};
    }
    if (step.producer == Producer::kPack)
      positions_[static_cast<std::size_t>(step.packed)] =
          in_parts_ ? 0 : static_cast<std::int64_t>(carry[plan_.scans + step.number]);
  }
  if (part != Part::kAfter) std::ranges::fill(kept_, 0);
  for (const Loop::Pack& pack : plan_.stage(part).loop.packs) {
    // The loop writes more elements than it keeps, over those of a later chunk unless chunks are computed in turn.
    arguments(part).set(pack.result, in_parts_ ? packed_[static_cast<std::size_t>(pack.number)]
                                               : run_.call.results[pack.step->results[0]].data);
    arguments(part).set(pack.room, in_parts_ ? run_.tiling.most_tiles * run_.tiling.tile : run_.call.elements);
  }
  tile_ = -1;
}

/// First element of the first tile that is needed for the accumulations that scans pass on.
std::int64_t LoopWorker::begin_of_open() const {
  std::int64_t first = chunks_[0].element_end;
  for (const Step& step : plan_.whole.steps) {
    if (step.producer != Producer::kScan) continue;
    const Chunk& chunk = chunks_[static_cast<std::size_t>(step.segmentation)];
    const bool inside = chunk.segment_end > chunk.segment_begin;
    first = std::min(first, inside ? descriptor_of(step).start(chunk.segment_end) : chunk.element_begin);
  }
  return std::max(chunks_[0].element_begin, plan_.by_blocks() ? first : first / run_.tiling.tile * run_.tiling.tile);
}

/// Moves to the next tile, which ends at a multiple of the tile's size; the last tile includes all segments that end in
/// the chunk. With folds by blocks, a tile has one block of a segment, or the rest of a block and whole segments after
/// it.
void LoopWorker::enter_tile() {
  ++tile_;
  VC_CHECK(tile_ < run_.tiling.most_tiles);
  begin_ = tiles_[0].element_end;
  const std::int64_t tile = run_.tiling.tile;
  const std::int64_t aligned = plan_.by_blocks() ? begin_ : begin_ / tile * tile;
  end_ = run_.once_a_chunk ? chunks_[0].element_end : std::min(aligned + tile, chunks_[0].element_end);
  if (plan_.by_blocks() && !run_.once_a_chunk) end_tile_at_block();
  for (std::size_t c = 0; c < tiles_.size(); ++c) {
    const std::int64_t from = tiles_[c].segment_end, last = chunks_[c].segment_end;
    const std::int64_t expected = from + (from - tiles_[c].segment_begin);  // as many as in the preceding tile
    tiles_[c] = {begin_, end_, from,
                 end_ == chunks_[c].element_end
                     ? last
                     : ended_near(run_.segmentation(static_cast<int>(c)), end_, from, last, expected)};
  }
  for (const KernelVar v : in_slots_)
    origins_[v] = reinterpret_cast<Origin>(origin_of(slot(v), aligned, run_.size_of(v)));
}

/// Moves the end of the tile down to the end of a block or the start of a segment, such that the tile has no parts of
/// two blocks of a segment. A segment that is longer than a block may contain the element kFoldBlock after the tile's
/// begin; the tile then ends there or before.
void LoopWorker::end_tile_at_block() {
  static_assert(kLargestTile <= 2 * kFoldBlock);
  const auto c = static_cast<std::size_t>(run_.space.main());
  const SegmentDescriptor& descriptor = run_.segmentation(run_.space.main());
  const std::int64_t begun = tiles_[c].segment_end, last = chunks_[c].segment_end,
                     end_of_chunk = chunks_[c].element_end;
  const std::int64_t middle = begin_ + kFoldBlock;
  if (middle >= end_of_chunk) return;
  const std::int64_t in_last_tile = begun - tiles_[c].segment_begin;
  std::int64_t open = ended_near(descriptor, middle, begun, last, begun + in_last_tile / 2);
  if (descriptor.start(open + 1) - descriptor.start(open) > kFoldBlock)
    end_ = middle;
  else if (middle < end_ && end_ < end_of_chunk)
    open = ended_near(descriptor, end_, begun, last, begun + in_last_tile);
  if (end_ == end_of_chunk) return;
  const std::int64_t start = descriptor.start(open);
  end_ = start + (end_ - start) / kFoldBlock * kFoldBlock;
}

bool LoopWorker::run_part(Part part) {
  enter_part(part);
  do {
    enter_tile();
    if (!run_tile(part)) return false;
  } while (end_ < chunks_[0].element_end && !run_.failed.load(std::memory_order_relaxed));
  return !run_.failed.load(std::memory_order_relaxed);
}

/// Writes the carries of the chunk: for each scan the accumulation of the open segment, for each count the number of
/// elements kept so far.
void LoopWorker::hand_on() {
  const Slot* in = run_.carry(p_);
  Slot* out = run_.carry(p_ + 1);
  for (const Step& step : plan_.whole.steps) {
    if (step.producer != Producer::kScan) continue;
    const Open& open = open_scans_[static_cast<std::size_t>(step.number)];
    Slot& after = out[step.number];
    if (!in_parts_) {
      after = carries_[static_cast<std::size_t>(step.number)];
      continue;
    }
    ScanKernels::Combine* combine = kernels().scan.combine.at(monoid(step), type_of_operand(step));
    after = open.inside ? open.value : in[step.number];
    if (open.inside) continue;
    for (std::int64_t k = 0; k < open.blocks; ++k) after = combine(blocks_of_scan(step.number)[k], after);
  }
  for (int c = 0; c < plan_.counts; ++c)
    out[plan_.scans + c] = in[plan_.scans + c] + static_cast<Slot>(kept_[static_cast<std::size_t>(c)]);
}

void LoopWorker::note_edges() {
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    edges_[k].tail = open_reductions_[k].value;
    run_.edges(static_cast<int>(k))[p_] = edges_[k];
  }
  for (std::size_t k = 0; k < count_edges_.size(); ++k) {
    count_edges_[k].tail = static_cast<std::int64_t>(open_counts_[k].value);
    run_.count_edge(p_, static_cast<int>(k)) = count_edges_[k];
  }
  note_extremes();
}

/// Copies the elements that PACKs of a part have kept from memory of the chunk to their results.
void LoopWorker::copy_packed(Part part) {
  for (const Loop::Pack& pack : plan_.stage(part).loop.packs) {
    const auto size = static_cast<std::size_t>(run_.size_of(pack.step->operands[0]));
    const Slot at = run_.carry(p_)[plan_.scans + pack.count];
    const Slot kept = run_.carry(p_ + 1)[plan_.scans + pack.count] - at;
    std::memcpy(static_cast<char*>(run_.call.results[pack.step->results[0]].data) + at * size,
                packed_[static_cast<std::size_t>(pack.number)], kept * size);
  }
}

/// Waits for the carries of chunk p. Chunks are taken in order, so another thread has taken it, and that thread does
/// not wait for later chunks.
void LoopWorker::wait_for(std::int64_t p) const {
  for (int spins = 0; !run_.ready[p].load(std::memory_order_acquire); ++spins)
    if (spins >= kPatience) std::this_thread::yield();
}

void LoopWorker::run_chunk(std::int64_t p) {
  p_ = p;
  enter_chunk();
  bool good;
  if (!in_parts_) {
    good = run_part(Part::kAll);
    if (good && run_.in_turn) hand_on();
  } else {
    good = run_part(Part::kBefore);
    if (!good) run_.failed.store(true, std::memory_order_relaxed);
    if (p > 0) wait_for(p - 1);
    hand_on();
    if (!plan_.in_order) run_.ready[p].store(true, std::memory_order_release);
    good = good && !run_.failed.load(std::memory_order_relaxed);
    if (good) {
      copy_packed(Part::kBefore);
      good = !plan_.after || run_part(Part::kAfter);
      if (good && plan_.after) copy_packed(Part::kAfter);
    }
    if (!good) run_.failed.store(true, std::memory_order_relaxed);
    if (plan_.in_order) run_.ready[p].store(true, std::memory_order_release);
  }
  if (!good || !run_.run_epilogues(chunks_, epilogue_tiles_)) return run_.failed.store(true, std::memory_order_relaxed);
  note_edges();
  kernels().tile.fence();
}

}  // namespace cvl::cpu
