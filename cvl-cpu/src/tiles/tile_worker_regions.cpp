/// Compiled code of a worker's regions.

#include <algorithm>
#include <cstring>

#include "operations/operations.h"
#include "tiles/region_words.h"
#include "tiles/tile_worker.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;
using PlannedStep = TilePlan::PlannedStep;

/// Runs a region, which consists of `steps`.
bool TileWorker::run_region(int number, std::span<const PlannedStep> steps, Part part) {
  const Region& region = plan_.regions[static_cast<std::size_t>(number)];
  const int segmentation = job_.region_segmentations[static_cast<std::size_t>(number)];
  const bool by_segments = goes_by_segments(segmentation);
  const auto check = [&](bool is_at_fault) {
    if (is_at_fault) job_.context.faults.report(FaultKind::kDivideByZero, begin_, 0);
    return !is_at_fault;
  };
  const auto add_up = [&] {
    for (const PlannedStep& step : steps) {
      if (step.producer == Producer::kScan) {
        add_to_carry(step, part);
        if (plan_.is_by_blocks(step)) go_on_by_blocks(step, part, carries_[static_cast<std::size_t>(step.number)]);
      }
      if (step.producer == Producer::kPack && step.counts)
        note_count(step, by_segments ? count_of_one(step, part) : count(step));
    }
    return true;
  };
  if (job_.across[static_cast<std::size_t>(number)]) return check(run_across(number));
  for (const Region::Scan& scan : region.scans) {
    const auto k = static_cast<std::size_t>(scan.number);
    carries_[k] = open_scans_[k].before;
  }
  if (begin_ == end_) return add_up();
  vectors_.clear();
  for (const Region::Input& input : region.inputs) vectors_.push_back(base(input.value));
  std::uint64_t streams = 0;
  const std::size_t inputs = vectors_.size();
  const auto for_each_output = [&](auto&& see) {
    std::size_t output = 0;
    for (const PlannedStep& step : steps) {
      if (output == region.outputs.size()) return;
      const KernelVar v = step.step->results[0];
      if (region.outputs[output].value == v) see(output++, v, is_lasting(step, part, v));
    }
  };
  for_each_output([&](std::size_t output, KernelVar v, bool lasting) {
    const bool stream = region.streams(output, plan_.values[v].type) && lasting &&
                        !(by_segments && !job_.is_single(segmentation)) &&
                        reinterpret_cast<std::uintptr_t>(in_memory(v)) % 64 == 0;
    if (stream) streams |= std::uint64_t{1} << output;
    vectors_.push_back(stream ? job_.memory[v] : base(v));
  });
  VC_CHECK(vectors_.size() == inputs + region.outputs.size());
  vectors_.push_back(reinterpret_cast<const void*>(streams));
  for (std::size_t t = 0; t < region.tables.size(); ++t) {
    const Region::Table& table = region.tables[t];
    const SegmentDescriptor& descriptor = job_.map_of(table);
    const std::int64_t* starts = nullptr;
    if (!descriptor.is_single()) {
      const Chunk& tile = tiles_[static_cast<std::size_t>(segmentation)];
      starts = starts_of(descriptor, tile.segment_begin, std::min(tile.segment_end, descriptor.segments - 1), 1 + t);
    }
    for (const void* word : table_words(job_.call.operands[table.value], starts)) vectors_.push_back(word);
  }
  for (const Region::Scan& scan : region.scans) {
    const Slot& before = open_scans_[static_cast<std::size_t>(scan.number)].before;
    const void* const heads = by_segments ? nullptr : mark_heads(scan);
    for (const void* word : scan_words(plan_, scan, kernels().scan, before, heads)) vectors_.push_back(word);
  }
  for (const PlannedStep& step : steps) {
    if (step.producer != Producer::kPack) continue;
    std::int64_t& position = positions_[static_cast<std::size_t>(step.packed)];
    position = position_of_next(step, part);
    for (const void* word : pack_words(packed_to(step, part), position)) vectors_.push_back(word);
  }
  for (const Region::Scatter& scatter : region.scatters) {
    const auto k = static_cast<std::size_t>(scatter.number);
    hashes_[k] = 0;
    for (const void* word : scatter_words(job_.scatters[k].result(), job_.call.elements, hashes_[k]))
      vectors_.push_back(word);
  }
  VC_CHECK(vectors_.size() == region.first_fold_word());
  const CompiledRegion& code = job_.compiled[static_cast<std::size_t>(number)];
  if (!check(by_segments ? run_segments(number) : code.elements(vectors_.data(), begin_, end_))) return false;
  for (const Region::Scatter& scatter : region.scatters) {
    const auto k = static_cast<std::size_t>(scatter.number);
    job_.scatters[k].add_written(hashes_[k]);
  }
  for_each_output([&](std::size_t output, KernelVar v, bool lasting) {
    const bool streamed = output < Region::kMostStreamed && (streams >> output & 1) != 0;
    if (!streamed && lasting) store(v);
  });
  return add_up();
}

/// Count of a PACK whose only segment a region has packed.
PackCount TileWorker::count_of_one(const PlannedStep& step, Part part) {
  const std::int64_t kept = positions_[static_cast<std::size_t>(step.packed)] - position_of_next(step, part);
  const Chunk& tile = tile_of(step);
  if (tile.segment_begin == tile.segment_end) return {kept, kept};
  set_length(job_.call.results[step.step->results[1]], tile.segment_begin, kept);
  return {kept, 0};
}

/// Marks the elements of the tile that are the first ones of segments, a byte each, with zeros around them. Returns the
/// address at which the mark of element 0 would be.
const void* TileWorker::mark_heads(const Region::Scan& scan) {
  const auto segmentation = static_cast<std::size_t>(scan.segmentation);
  const SegmentDescriptor& descriptor = job_.segmentations[segmentation];
  const std::int64_t bytes = plan_.tile + 2 * kHeadMargin,
                     last = std::min(tiles_[segmentation].segment_end, descriptor.segments - 1);
  std::uint8_t* const marks = &heads_[static_cast<std::size_t>(scan.number * bytes)];
  std::memset(marks, 0, static_cast<std::size_t>(bytes));
  for (std::int64_t k = tiles_[segmentation].segment_begin; k <= last; ++k)
    if (const std::int64_t e = descriptor.start(k); begin_ <= e && e < end_) marks[kHeadMargin + e - begin_] = 1;
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(marks) + kHeadMargin -
                                       static_cast<std::uintptr_t>(begin_));
}

/// The region that begins with a step and is run as compiled code in this tile; -1 if there is none. A region that
/// gathers from tables of several segments is run by a loop nest over segments; otherwise its gathers are steps by
/// themselves, between smaller regions.
int TileWorker::native_region(const PlannedStep& step) const {
  const auto by_segments = [&] {
    return goes_by_segments(job_.region_segmentations[static_cast<std::size_t>(step.gathering)]);
  };
  if (job_.is_compiled(step.gathering) && (job_.single_tables || by_segments())) return step.gathering;
  return job_.is_compiled(step.region) ? step.region : -1;
}

/// Whether the compiled loop nests over a descriptor's segments (see TileJob::region_segmentations) are used in this
/// tile, with their folds: whether the segments are long enough.
bool TileWorker::goes_by_segments(int segmentation) const {
  if (segmentation == TileJob::kNoSegmentation || begin_ == end_) return false;
  const Chunk& tile = tiles_[static_cast<std::size_t>(segmentation)];
  const std::int64_t longer = job_.long_segments[static_cast<std::size_t>(segmentation)];
  return job_.is_single(segmentation) || end_ - begin_ >= longer * (tile.segment_end - tile.segment_begin + 1);
}

/// Starts of segments `first` to `last`, and the end of `last`, such that the start of segment k is element k. `number`
/// distinguishes the arrays of starts that a region needs at the same time.
const std::int64_t* TileWorker::starts_of(const SegmentDescriptor& descriptor, std::int64_t first, std::int64_t last,
                                          std::size_t number) {
  if (!descriptor.is_regular()) return descriptor.offsets;
  VC_CHECK(last + 1 - first < static_cast<std::int64_t>(segments_of_tile()));
  std::int64_t* const starts = &starts_[number * segments_of_tile()];
  for (std::int64_t k = first; k <= last + 1; ++k) starts[k - first] = descriptor.start(k);
  return reinterpret_cast<const std::int64_t*>(reinterpret_cast<std::uintptr_t>(starts) -
                                               static_cast<std::uintptr_t>(first) * sizeof(std::int64_t));
}

/// Computes the tile's elements of a region and its folds by a SegmentsFunction; on entry vectors_ has the words of its
/// RegionFunction. True if an element is at fault.
bool TileWorker::run_segments(int number) {
  const Region& region = plan_.regions[static_cast<std::size_t>(number)];
  SegmentsFunction* const run = job_.compiled[static_cast<std::size_t>(number)].segments;
  const auto segmentation = static_cast<std::size_t>(job_.region_segmentations[static_cast<std::size_t>(number)]);
  const SegmentDescriptor& descriptor = job_.segmentations[segmentation];
  const std::int64_t first = tiles_[segmentation].segment_begin, open = tiles_[segmentation].segment_end;
  const std::int64_t last = std::min(open, descriptor.segments - 1);
  VC_CHECK(region.most_words() <= plan_.most_vectors);  // resizing further would allocate from memory that other
                                                        // threads use
  vectors_.resize(region.most_words());
  set_segment_words(plan_, region, job_.call, starts_of(descriptor, first, last, 0), begin_, end_, vectors_);
  // Segments that end in the tile are folded to their results, the remaining one to folds_.
  const auto run_from = [&](std::int64_t from, std::int64_t to, bool ends) {
    for (std::size_t f = 0; f < region.folds.size(); ++f) {
      const Region::Fold& fold = region.folds[f];
      const KernelVar a = fold.step->operands[0];
      void* slot = &folds_[static_cast<std::size_t>(fold.number)];
      if (!fold.is_carry())
        slot = ends ? job_.call.results[fold.step->results[0]].data
                    : reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(slot) -
                                              static_cast<std::uintptr_t>(from * job_.size_of(a)));
      vectors_[region.first_fold_word() + f] = slot;
    }
    return run(vectors_.data(), from, to);
  };
  if (first < open && run_from(first, open - 1, true)) return true;
  if (open <= last && run_from(open, open, false)) return true;
  for (const Region::Fold& fold : region.folds) {
    const Monoid monoid = vcode::info(fold.step->op).monoid;
    if (open > last)
      folds_[static_cast<std::size_t>(fold.number)] =
          kernels().scan.identity.at(monoid, plan_.values[fold.step->operands[0]].type);
    if (!fold.is_carry()) take_fold(fold, descriptor, tiles_[segmentation]);
  }
  return false;
}

/// Computes a region with one segment a lane, for the segments that end in the tile, each as a whole: the values that
/// generate its inputs are in memory. True if an element is at fault.
bool TileWorker::run_across(int number) {
  const Region& region = plan_.regions[static_cast<std::size_t>(number)];
  const auto segmentation = static_cast<std::size_t>(job_.region_segmentations[static_cast<std::size_t>(number)]);
  const SegmentDescriptor& descriptor = job_.segmentations[segmentation];
  const auto most = static_cast<std::int64_t>(segments_of_tile()) - 2;
  vectors_.resize(region.most_words());
  for (std::size_t x = 0; x < region.extremes.size(); ++x)
    vectors_[region.first_extreme_word() + x] = job_.call.results[region.extremes[x].step->results[0]].data;
  for (std::int64_t k = tiles_[segmentation].segment_begin; k < tiles_[segmentation].segment_end; k += most) {
    const std::int64_t last = std::min(k + most, tiles_[segmentation].segment_end) - 1;
    set_segment_words(plan_, region, job_.call, starts_of(descriptor, k, last, 0), begin_, end_, vectors_);
    if (job_.compiled[static_cast<std::size_t>(number)].across(vectors_.data(), k, last)) return true;
  }
  return false;
}

/// Combines the fold of the tile's elements that a region has computed with those of earlier tiles.
void TileWorker::take_fold(const Region::Fold& fold, const SegmentDescriptor& descriptor, const Chunk& tile) {
  const Slot& open = folds_[static_cast<std::size_t>(fold.number)];
  const std::size_t size = elem_size(plan_.values[fold.step->operands[0]].type);
  Slot block = open;
  bool has_block = begin_ < end_;
  if (tile.segment_begin < tile.segment_end) {
    std::memcpy(&block,
                static_cast<const char*>(job_.call.results[fold.step->results[0]].data) +
                    tile.segment_begin * static_cast<std::int64_t>(size),
                size);
    has_block = descriptor.start(tile.segment_begin + 1) > begin_;
  }
  take_tile(*fold.step, fold.number, descriptor, tile, has_block ? &block : nullptr, open);
}

/// Whether the region that precedes a reduction or a scan has folded the tile's elements.
bool TileWorker::is_folded(const PlannedStep& step, Part part) const {
  const bool in_part = step.producer == Producer::kReduce || part != Part::kAfter || plan_.is_by_blocks(step);
  return in_part && step.folded_in >= 0 &&
         goes_by_segments(job_.region_segmentations[static_cast<std::size_t>(step.folded_in)]);
}

}  // namespace cvl::cpu
