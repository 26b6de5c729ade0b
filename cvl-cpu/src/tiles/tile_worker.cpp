#include "tiles/tile_worker.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/check.h"
#include "base/streaming.h"
#include "operations/operations.h"
#include "tuning/chunk_tuning.h"
#include "tuning/streaming_tuning.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;
using PlannedStep = TilePlan::PlannedStep;

TileWorker::TileWorker(TileJob& job) : job_(job), plan_(job.plan), in_parts_(plan_.has_carries() && !job.in_turn) {
  origins_.resize(plan_.values.size());
  chunks_.resize(job.segmentations.size());
  tiles_.resize(job.segmentations.size());
  open_scans_.resize(static_cast<std::size_t>(plan_.scans));
  open_reductions_.resize(static_cast<std::size_t>(plan_.reductions));
  extremes_.resize(static_cast<std::size_t>(plan_.arg_reductions));
  open_counts_.resize(static_cast<std::size_t>(plan_.counts));
  kept_so_far_.resize(static_cast<std::size_t>(plan_.counts));
  kept_in_tile_.resize(static_cast<std::size_t>(plan_.counts));
  edges_.resize(static_cast<std::size_t>(plan_.reductions + plan_.counts));
  packed_.resize(static_cast<std::size_t>(plan_.packs));
  positions_.resize(static_cast<std::size_t>(plan_.packs));
  hashes_.resize(static_cast<std::size_t>(plan_.scatters));
  most_tiles_ = plan_.most_tiles();
  carries_.resize(static_cast<std::size_t>(plan_.scans));
  scan_blocks_.resize(static_cast<std::size_t>(plan_.scans * most_tiles_));
  if (in_parts_) kept_tiles_.resize(static_cast<std::size_t>(plan_.counts * most_tiles_));
  // Memory from small_memory must be allocated here, since other threads share it during the run.
  in_slots_.reserve(plan_.values.size());
  vectors_.reserve(plan_.most_vectors);
  std::size_t most_starts = 0;  // of vectors
  for (const Region& region : plan_.regions) most_starts = std::max(most_starts, 1 + region.tables.size());
  starts_.resize(most_starts * segments_of_tile());
  folds_.resize(static_cast<std::size_t>(plan_.reductions + plan_.scans));
  if (!job.flat && !job.compiled.empty())
    heads_.resize(static_cast<std::size_t>(plan_.scans * (plan_.tile + 2 * kHeadMargin)));
  for (KernelVar v = 0; v < plan_.values.size(); ++v) {
    const TilePlan::PlannedValue& value = plan_.values[v];
    if (job.call.operands[v].data != nullptr)
      origins_[v] = reinterpret_cast<Origin>(job.call.operands[v].data);
    else if (job.memory[v] != nullptr && !job.streamed[v])
      origins_[v] = reinterpret_cast<Origin>(job.memory[v]);
    else if (value.slot >= 0 && (!value.kept || !in_parts_))
      in_slots_.push_back(v);
  }
}

bool TileWorker::allocate() {
  std::int64_t bytes = plan_.slots * plan_.slot_bytes();
  if (in_parts_) {
    for (const TilePlan::PlannedValue& value : plan_.values) bytes += value.kept ? most_tiles_ * plan_.slot_bytes() : 0;
    bytes += plan_.packs * most_tiles_ * plan_.slot_bytes();
  }
  const std::int64_t before_epilogues = bytes;
  bytes += plan_.epilogue_bytes();
  memory_ = job_.context.arena.scratch<char>(std::max<std::int64_t>(bytes, 1));
  if (!memory_) job_.context.out_of_memory(static_cast<std::size_t>(bytes));
  kept_ = memory_.get() + plan_.slots * plan_.slot_bytes();
  epilogue_tiles_ = memory_.get() + before_epilogues;
  return memory_ != nullptr;
}

/// Fills the tiles of DISTs over a single segment, once.
void TileWorker::fill_uniform() {
  if (filled_) return;
  filled_ = true;
  for (const PlannedStep& step : plan_.steps) {
    const KernelVar v = step.step->results[0];
    if (!job_.uniform[v]) continue;
    const std::int64_t length = plan_.values[v].wide ? std::min(plan_.tile, job_.call.elements) : 1;
    kernels().dist.dist[static_cast<int>(plan_.values[v].type)](job_.call.operands[step.step->operands[0]].data,
                                                                SegmentDescriptor::single(length), {0, length, 0, 1},
                                                                slot(v), false);
  }
}

void TileWorker::enter_chunk() {
  for (std::size_t c = 0; c < chunks_.size(); ++c) chunks_[c] = job_.chunk_of(static_cast<int>(c), p_);
  for (auto* opens : {&open_reductions_, &open_counts_}) std::fill(opens->begin(), opens->end(), Open{});
  for (const PlannedStep& step : plan_.steps)
    if (step.producer == Producer::kReduce)
      open_reductions_[static_cast<std::size_t>(step.number)] = {
          kernels().scan.identity.at(monoid(step), plan_.values[step.step->operands[0]].type),
          !continues(map_of(step), chunks_[static_cast<std::size_t>(step.segmentation)])};
  enter_arg_reductions();
  std::fill(edges_.begin(), edges_.end(), Edge{});
  // Set the origins of the values of this chunk that are kept until its carries are known.
  const std::int64_t aligned = chunks_[0].element_begin / plan_.tile * plan_.tile;
  char* next = kept_;
  for (KernelVar v = 0; v < plan_.values.size() && in_parts_; ++v) {
    if (!plan_.values[v].kept || job_.memory[v] != nullptr) continue;
    origins_[v] = reinterpret_cast<Origin>(next) - static_cast<Origin>(aligned * job_.size_of(v));
    next += most_tiles_ * plan_.slot_bytes();
  }
  for (char*& packed : packed_) {
    packed = next;
    next += most_tiles_ * plan_.slot_bytes();
  }
}

void TileWorker::enter_part(Part part) {
  const std::int64_t begin = chunks_[0].element_begin;
  const std::int64_t from = part == Part::kBefore && plan_.only_scans_before ? begin_of_open() : begin;
  for (std::size_t c = 0; c < tiles_.size(); ++c) {
    const Chunk& chunk = chunks_[c];
    const std::int64_t ended = from == begin
                                   ? chunk.segment_begin
                                   : ended_before(job_.segmentations[c], from, chunk.segment_begin, chunk.segment_end);
    tiles_[c] = {from, from, ended, ended};
  }
  for (const PlannedStep& step : plan_.steps)
    if (step.producer == Producer::kScan)
      open_scans_[static_cast<std::size_t>(step.number)] = {
          kernels().scan.identity.at(monoid(step), plan_.values[step.step->operands[0]].type),
          tile_of(step).segment_end > chunks_[static_cast<std::size_t>(step.segmentation)].segment_begin,
          part == Part::kBefore ? 0 : job_.carry(p_)[step.number], 0};
  std::fill(kept_so_far_.begin(), kept_so_far_.end(), 0);
  tile_ = -1;
}

/// First element of the first tile that is needed for the accumulations that scans pass on.
std::int64_t TileWorker::begin_of_open() const {
  std::int64_t first = chunks_[0].element_end;
  for (const PlannedStep& step : plan_.steps) {
    if (step.producer != Producer::kScan) continue;
    const Chunk& chunk = chunks_[static_cast<std::size_t>(step.segmentation)];
    const bool inside = chunk.segment_end > chunk.segment_begin;
    first = std::min(first, inside ? map_of(step).start(chunk.segment_end) : chunk.element_begin);
  }
  return std::max(chunks_[0].element_begin, plan_.by_blocks() ? first : first / plan_.tile * plan_.tile);
}

/// Moves to the next tile, which ends at a multiple of plan_.tile; the last tile includes all segments that end in the
/// chunk. With folds by blocks, a tile has one block of a segment, or the rest of a block and whole segments after it.
void TileWorker::enter_tile() {
  ++tile_;
  VC_CHECK(tile_ < most_tiles_);
  begin_ = tiles_[0].element_end;
  const std::int64_t aligned = plan_.by_blocks() ? begin_ : begin_ / plan_.tile * plan_.tile;
  end_ = std::min(aligned + plan_.tile, chunks_[0].element_end);
  if (plan_.by_blocks()) segmentation_at_blocks();
  for (std::size_t c = 0; c < tiles_.size(); ++c) {
    const std::int64_t from = tiles_[c].segment_end, last = chunks_[c].segment_end;
    const std::int64_t expected = from + (from - tiles_[c].segment_begin);  // as many as in the preceding tile
    tiles_[c] = {begin_, end_, from,
                 end_ == chunks_[c].element_end ? last : ended_near(job_.segmentations[c], end_, from, last, expected)};
  }
  for (const KernelVar v : in_slots_)
    origins_[v] = reinterpret_cast<Origin>(slot(v)) - static_cast<Origin>(aligned * job_.size_of(v));
}

/// Moves the end of the tile down to the end of a block or the start of a segment, such that the tile has no parts of
/// two blocks of a segment. A segment that is longer than a block may contain the element kFoldBlock after the tile's
/// begin; the tile then ends there or before.
void TileWorker::segmentation_at_blocks() {
  static_assert(kLargestTile <= 2 * kFoldBlock);
  const auto c = static_cast<std::size_t>(job_.main_segmentation);
  const SegmentDescriptor& descriptor = job_.segmentations[c];
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

bool TileWorker::run_part(Part part) {
  const std::vector<PlannedStep>& steps = part == Part::kAll      ? plan_.steps
                                          : part == Part::kBefore ? plan_.before
                                                                  : plan_.after;
  enter_part(part);
  do {
    enter_tile();
    for (std::size_t k = 0; k < steps.size();) {
      const PlannedStep& step = steps[k];
      if (const int region = native_region(step); region >= 0) {
        const std::size_t size = plan_.regions[static_cast<std::size_t>(region)].steps.size();
        if (!run_region(region, std::span(steps).subspan(k, size), part)) return false;
        k += size;
      } else if (step.producer == Producer::kReduce && is_folded(step, part)) {
        ++k;  // the region has computed it
      } else if (!run_step(steps[k++], part)) {
        return false;
      }
    }
    for (std::size_t c = 0; c < kept_in_tile_.size(); ++c) kept_so_far_[c] += kept_in_tile_[c];
  } while (end_ < chunks_[0].element_end && !job_.failed.load(std::memory_order_relaxed));
  return !job_.failed.load(std::memory_order_relaxed);
}

bool TileWorker::run_step(const PlannedStep& step, Part part) {
  const KernelVar result = step.step->results[0];
  switch (step.producer) {
    case Producer::kMap:
      if (!map(*step.step)) return false;
      break;
    case Producer::kSpread:
      if (job_.uniform[result] || goes_by_segments(job_.made_for[result])) return true;
      if (!spread(step)) return false;
      break;
    case Producer::kGather:
      if (!gather(step)) return false;
      break;
    case Producer::kScan:
      scan(step, part);
      return true;
    case Producer::kReduce:
      reduce(step);
      return true;
    case Producer::kArgReduce:
      arg_reduce(step);
      return true;
    case Producer::kScatter:
      return scatter(step);
    default:
      VC_CHECK(step.producer == Producer::kPack);
      if (step.counts && part != Part::kAfter) note_count(step, count(step));
      pack(step, part);
      return true;
  }
  if (is_lasting(step, part, result)) store(result);
  return true;
}

/// Whether this part streams a value that a step computes to memory. A value that is computed in both parts is streamed
/// in the first one only.
bool TileWorker::is_lasting(const PlannedStep& step, Part part, KernelVar v) const {
  const bool again = !step.after_scan || (step.producer == Producer::kScan && v != step.step->results[0]);
  return job_.streamed[v] && (part != Part::kAfter || !again);
}

bool TileWorker::map(const vcode::Kernel::Step& step) {
  const void* operands[3] = {};
  int form = 0;
  for (std::size_t k = 0; k < step.operands.size(); ++k) {
    operands[k] = elements(step.operands[k]);
    form |= job_.uniform[step.operands[k]] << k;
  }
  // No form has single elements only, so a uniform value is then read as a vector.
  if (form == (1 << step.operands.size()) - 1) form &= ~1;
  const KernelVar last = step.operands.back(), result = step.results[0];
  TileKernels::Run* run = kernels().tile.at(form, step.op, plan_.values[last].type, plan_.values[result].type);
  VC_CHECK(run != nullptr);
  if (!run(operands, at(result, begin_), end_ - begin_)) return true;
  job_.context.faults.report(FaultKind::kDivideByZero, begin_, 0);
  return false;
}

bool TileWorker::spread(const PlannedStep& step) {
  const KernelVar result = step.step->results[0];
  const auto operand = [&](std::size_t k) -> const Operand& { return job_.call.operands[step.step->operands[k]]; };
  const auto type = static_cast<int>(plan_.values[result].type);
  if (step.step->op == vcode::Op::kSlice)
    return job_.context.faults.check(kernels().range.slice_like(operand(0).type, operand(1).type)(
        operand(0).data, operand(0).length, operand(1).data, map_of(step), tile_of(step), base(result)));
  if (plan_.values[result].spread)
    kernels().dist.dist[type](operand(0).data, map_of(step), tile_of(step), base(result), false);
  else
    kernels().dist.index[type](operand(0).data, operand(1).data, map_of(step), tile_of(step), base(result), false);
  return true;
}

bool TileWorker::gather(const PlannedStep& step) {
  const auto& operands = step.step->operands;
  const KernelVar table = operands[0], indices = operands[1], result = step.step->results[0];
  const vcode::Signature& signature = vcode::info(step.step->op).signature;
  const bool flagged = signature.operands[2].type == vcode::RoleType::kBool;
  const SegmentDescriptor& from =
      job_.call.descriptors[operands[static_cast<std::size_t>(descriptor_like(*step.step, 0))]];
  GatherKernels::Gather* run =
      kernels()
          .gather.gather[static_cast<int>(plan_.values[result].type)][static_cast<int>(plan_.values[indices].type)];
  return job_.context.faults.check(run(job_.call.operands[table].data, base(indices),
                                       flagged ? static_cast<const bool*>(base(operands[2])) : nullptr, from,
                                       map_of(step), tile_of(step), base(result)));
}

/// Prefetch distance in bytes for a step's first operand: to a later element of the operand; if a region computes the
/// operand, to the next tile of an input of that region; 0 if there is nothing to prefetch.
std::ptrdiff_t TileWorker::ahead(const PlannedStep& step) const {
  const KernelVar a = step.step->operands[0];
  if (job_.call.operands[a].data != nullptr) return kAheadBytes;
  if (step.folded_in < 0) return 0;
  for (const Region::Input& input : plan_.regions[static_cast<std::size_t>(step.folded_in)].inputs)
    if (job_.call.operands[input.value].data != nullptr && job_.size_of(input.value) == job_.size_of(a))
      return static_cast<std::ptrdiff_t>(origin(input.value) - origin(a)) + (end_ - begin_) * job_.size_of(a);
  return 0;
}

bool TileWorker::scatter(const PlannedStep& step) {
  const auto& operands = step.step->operands;
  const bool flagged = vcode::info(step.step->op).signature.operands[2].type == vcode::RoleType::kBool;
  return job_.scatters[static_cast<std::size_t>(step.number)].write(
      base(operands[0]), base(operands[1]), flagged ? static_cast<const bool*>(base(operands[2])) : nullptr,
      tile_of(step));
}

/// Counts the true flags of the tile; adds those of each segment to the lengths in memory.
PackCount TileWorker::count(const PlannedStep& step) {
  const Result& lengths = job_.call.results[step.step->results[1]];
  return kernels().pack.count[elem_size(lengths.type) == 8](static_cast<const bool*>(base(step.step->operands[1])),
                                                            map_of(step), tile_of(step), lengths.data);
}

void TileWorker::note_count(const PlannedStep& step, const PackCount& found) {
  const Chunk& tile = tile_of(step);
  const auto number = static_cast<std::size_t>(step.number);
  Open& open = open_counts_[number];
  if (tile.segment_begin == tile.segment_end) {
    open.value += static_cast<Slot>(found.tail);
  } else {
    add_to(job_.call.results[step.step->results[1]], tile.segment_begin, static_cast<std::int64_t>(open.value));
    Edge& edge = edges_[static_cast<std::size_t>(plan_.reductions) + number];
    if (edge.first < 0) edge.first = tile.segment_begin;
    open.value = static_cast<Slot>(found.tail);
  }
  kept_in_tile_[number] = found.kept;
  if (in_parts_) kept_of_tile(step.number) = found.kept;
}

/// Destination of a PACK in this part: the result, or memory of the chunk.
void* TileWorker::packed_to(const PlannedStep& step, Part part) const {
  return part == Part::kBefore ? packed_[static_cast<std::size_t>(step.packed)]
                               : job_.call.results[step.step->results[0]].data;
}

/// Index of the tile's first kept element in the destination of a PACK.
std::int64_t TileWorker::position_of_next(const PlannedStep& step, Part part) const {
  const std::int64_t in_chunk = kept_so_far_[static_cast<std::size_t>(step.number)];
  if (part == Part::kBefore) return in_chunk;
  return in_chunk + static_cast<std::int64_t>(job_.carry(p_)[plan_.scans + step.number]);
}

void TileWorker::pack(const PlannedStep& step, Part part) {
  if (step.after_scan && part == Part::kBefore) return;
  const auto number = static_cast<std::size_t>(step.number);
  if (part == Part::kAfter) kept_in_tile_[number] = kept_of_tile(step.number);
  const KernelVar a = step.step->operands[0];
  const int size = job_.size_of(a);
  kernels().pack.pack[size == 1   ? 0
                      : size == 4 ? 1
                                  : 2](base(a), static_cast<const bool*>(base(step.step->operands[1])), begin_, end_,
                                       packed_to(step, part), position_of_next(step, part), kept_in_tile_[number]);
}

void TileWorker::store(KernelVar v) {
  kernels().tile.stream(in_memory(v), at(v, begin_), static_cast<std::size_t>((end_ - begin_) * job_.size_of(v)));
}

/// Writes the carries of the chunk: for each scan the accumulation of the open segment, for each count the number of
/// elements kept so far.
void TileWorker::hand_on() {
  const Slot* in = job_.carry(p_);
  Slot* out = job_.carry(p_ + 1);
  for (const PlannedStep& step : plan_.steps)
    if (step.producer == Producer::kScan) {
      const Open& open = open_scans_[static_cast<std::size_t>(step.number)];
      ScanKernels::Combine* combine =
          kernels().scan.combine.at(monoid(step), plan_.values[step.step->operands[0]].type);
      Slot& after = out[step.number] = open.inside ? open.value : in[step.number];
      if (open.inside) continue;
      for (std::int64_t k = 0; k < open.blocks; ++k) after = combine(blocks_of_scan(step.number)[k], after);
    }
  for (int c = 0; c < plan_.counts; ++c)
    out[plan_.scans + c] = in[plan_.scans + c] + static_cast<Slot>(kept_so_far_[static_cast<std::size_t>(c)]);
}

void TileWorker::note_edges() {
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    const auto reductions = static_cast<std::size_t>(plan_.reductions);
    const Open& open = k < reductions ? open_reductions_[k] : open_counts_[k - reductions];
    edges_[k].tail = open.value;
    edges_[k].begins = open.inside;
    job_.edge(p_, static_cast<int>(k)) = edges_[k];
  }
  note_extremes();
}

void TileWorker::copy_packed() {
  for (const PlannedStep& step : plan_.steps) {
    if (step.producer != Producer::kPack || step.after_scan) continue;
    const auto size = static_cast<std::size_t>(job_.size_of(step.step->operands[0]));
    const Slot at = job_.carry(p_)[plan_.scans + step.number];
    const Slot kept = job_.carry(p_ + 1)[plan_.scans + step.number] - at;
    std::memcpy(static_cast<char*>(job_.call.results[step.step->results[0]].data) + at * size,
                packed_[static_cast<std::size_t>(step.packed)], kept * size);
  }
}

/// Waits for the carries of chunk p. Chunks are taken in order, so another thread has taken it, and that thread does
/// not wait for later chunks.
void TileWorker::wait_for(std::int64_t p) const {
  for (int spins = 0; !job_.ready[p].load(std::memory_order_acquire); ++spins)
    if (spins >= kPatience) std::this_thread::yield();
}

void TileWorker::run_chunk(std::int64_t p) {
  p_ = p;
  fill_uniform();
  enter_chunk();
  bool good;
  if (!in_parts_) {
    good = run_part(Part::kAll);
    if (good && plan_.has_carries()) hand_on();
  } else {
    good = run_part(Part::kBefore);
    if (!good) job_.failed.store(true, std::memory_order_relaxed);
    if (p > 0) wait_for(p - 1);
    hand_on();
    job_.ready[p].store(true, std::memory_order_release);
    good = good && !job_.failed.load(std::memory_order_relaxed);
    if (good) {
      copy_packed();
      good = plan_.after.empty() || run_part(Part::kAfter);
      for (const PlannedStep& step : plan_.scans_at_end) scan_chunk(step);
    }
  }
  if (!good || !job_.run_epilogues(chunks_, epilogue_tiles_)) return job_.failed.store(true, std::memory_order_relaxed);
  note_edges();
  kernels().tile.fence();
}

}  // namespace cvl::cpu
