#include "tiles/tile_plan.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "tuning/chunk_tuning.h"
#include "tuning/kernel_tuning.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::Kernel;
using vcode::KernelVar;
using vcode::Producer;

namespace {

bool is_tile(Producer producer) {
  return producer == Producer::kMap || producer == Producer::kSpread || producer == Producer::kGather ||
         producer == Producer::kScan;
}

}  // namespace

TilePlan::TilePlan(const Kernel& k, const vcode::KernelFacts& facts, vcode::Widths widths, bool one_segment)
    : kernel(k), values(k.values.size()), one_segment_(one_segment) {
  for (KernelVar v = 0; v < values.size(); ++v)
    if (kernel.values[v].kind != vcode::Kind::kSegdes) values[v].type = widths.of(kernel.values[v].kind);
  for (const Kernel::Step& step : kernel.steps)
    if (!step.is_constant()) add_step(step, facts);
  for (const PlannedStep& s : steps) {
    if (!is_by_blocks(s)) continue;
    scans_by_blocks_ |= s.producer == Producer::kScan;
    if (std::find(block_segmentations.begin(), block_segmentations.end(), s.segmentation) == block_segmentations.end())
      block_segmentations.push_back(s.segmentation);
  }
  const auto is_from_segments = [&](const PlannedStep& s) {
    return s.producer == Producer::kSpread &&
           std::any_of(s.step->operands.begin(), s.step->operands.end(), [&](auto v) {
             return kernel.values[v].kind != vcode::Kind::kSegdes && facts.producers[v] != Producer::kConstant;
           });
  };
  reads_segments_ = !one_segment && std::any_of(steps.begin(), steps.end(), is_from_segments);
  order_for_regions();
  readers_.assign(values.size(), 0);
  for (const PlannedStep& s : steps) {
    std::vector<KernelVar> read = s.step->operands;
    std::sort(read.begin(), read.end());
    read.erase(std::unique(read.begin(), read.end()), read.end());
    for (const KernelVar v : read) ++readers_[v];
    if (s.producer != Producer::kMap && s.producer != Producer::kGather && !is_permutation(s))
      for (const KernelVar v : read) values[v].read_elsewhere = true;
    // Loops of elementwise operations need a vector among their operands.
    const bool single = s.producer == Producer::kMap &&
                        !std::all_of(read.begin(), read.end(), [&](KernelVar v) { return values[v].spread; });
    for (const KernelVar v : read) values[v].wide |= !single;
  }
  for (const KernelVar v : kernel.outputs) values[v].materialised = true;
  for (const Kernel::Step* step : ordered_scatters)
    for (const KernelVar v : step->operands) values[v].materialised = true;
  find_values_in_registers();
  const auto used = static_cast<std::uint64_t>(std::max(1, assign_slots()));
  const std::int64_t fitting = tile = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::bit_floor(kTileBytes / 8 / used)), kSmallestTile, kLargestTile);
  // A single step that computes no tile processes a whole chunk at once.
  if (steps.size() == 1 && slots == 0 && !has_carries()) tile = kChunkItems;
  if (by_blocks()) tile = std::max(fitting, kFoldBlock);
  VC_CHECK(std::has_single_bit(static_cast<std::uint64_t>(tile)));
  split(facts);
  for (auto* list : {&steps, &before, &after}) form_regions(*list);
  find_extremes();
  for (const Region& region : regions) {
    most_vectors = std::max(most_vectors, region.most_words());
    const bool slices = std::any_of(region.inputs.begin(), region.inputs.end(),
                                    [](const Region::Input& input) { return input.made == Region::Generated::kSlice; });
    if (slices && !region.tables.empty()) long_segment = kLongSlicedSegment;
  }
}

void TilePlan::add_step(const Kernel::Step& step, const vcode::KernelFacts& facts) {
  const Producer producer = facts.producers[step.results[0]];
  if (vcode::has_defaults(step.op)) return ordered_scatters.push_back(&step);
  if (producer == Producer::kEpilogue) return add_epilogue(step, facts);
  PlannedStep added{&step, producer};
  added.segmentation = segmentation_of(step, producer);
  added.after_scan = producer == Producer::kScan || std::any_of(step.operands.begin(), step.operands.end(),
                                                                [&](KernelVar v) { return facts.after_scan[v]; });
  values[step.results[0]].spread = producer == Producer::kSpread && step.op == Op::kDist;
  if (producer == Producer::kScan) added.number = scans++;
  if (vcode::is_reduction(producer)) {
    added.number = producer == Producer::kReduce ? reductions++ : arg_reductions++;
    values[step.results[0]].segments_of = added.segmentation;
  }
  if (producer == Producer::kScatter) added.number = scatters++;
  if (producer == Producer::kPack) {
    added.packed = packs++;
    const auto first = first_pack_like(kernel, static_cast<std::uint32_t>(&step - kernel.steps.data()));
    added.counts = &kernel.steps[first] == &step;
    if (added.counts)
      added.number = counts++;
    else
      added.number = std::find_if(steps.begin(), steps.end(), [&](const PlannedStep& s) {
                       return s.step == &kernel.steps[first];
                     })->number;
  }
  steps.push_back(added);
}

void TilePlan::add_epilogue(const Kernel::Step& step, const vcode::KernelFacts& facts) {
  std::vector<int> behind;
  for (const KernelVar v : step.operands)
    if (facts.producers[v] != Producer::kInput) behind.push_back(values[v].segments_of);
  VC_CHECK(!behind.empty());
  const bool one_segmentation = std::equal(behind.begin() + 1, behind.end(), behind.begin());
  const int segmentation = one_segmentation ? behind[0] : -1;
  values[step.results[0]].segments_of = segmentation;
  values[step.results[0]].epilogue = static_cast<int>(epilogues.size());
  for (const KernelVar v : step.operands)
    if (segmentation < 0) values[v].materialised = true;
  epilogues.push_back({&step, segmentation});
}

/// The descriptor of a step that belongs to the index space: that of the indices for a gather, of the result for DIST,
/// INDEX and SLICE, of the first operand for others.
int TilePlan::segmentation_of(const Kernel::Step& step, Producer producer) {
  if (producer == Producer::kMap) return -1;
  const int like = producer == Producer::kSpread ? -1 : producer == Producer::kGather ? 1 : 0;
  const KernelVar descriptor = step.operands[static_cast<std::size_t>(descriptor_like(step, like))];
  const auto at = std::find(segmentations.begin(), segmentations.end(), descriptor);
  if (at == segmentations.end()) segmentations.push_back(descriptor);
  return static_cast<int>(std::find(segmentations.begin(), segmentations.end(), descriptor) - segmentations.begin());
}

/// Splits the steps into those before and after the carries are known. A value that is needed afterwards is computed
/// twice if DIST or INDEX computes it, or at most kCheapWork operations compute it from inputs; all others are kept.
void TilePlan::split(const vcode::KernelFacts& facts) {
  if (!has_carries()) {
    chunk_items = kChunkItems;
    return;
  }
  std::vector<int> work(values.size(), kCheapWork + 1);
  std::fill_n(work.begin(), kernel.input_count, 0);
  for (const PlannedStep& s : steps) {
    int& made = work[s.step->results[0]];
    if (s.producer == Producer::kSpread) made = 0;
    if (s.producer == Producer::kMap && vcode::info(s.step->op).flops == 1) {
      made = 1;
      for (const KernelVar v : s.step->operands) made = std::min(made + work[v], kCheapWork + 1);
    }
  }
  std::vector<bool> needed(values.size());
  std::int64_t bytes = 0;
  for (std::size_t k = steps.size(); k-- > 0;) {
    const PlannedStep& s = steps[k];
    const KernelVar result = s.step->results[0];
    const bool again = !s.after_scan && needed[result] && work[result] <= kCheapWork;
    if (s.after_scan || again) {
      after.insert(after.begin(), s);
      for (const KernelVar v : s.step->operands) needed[v] = true;
    }
    if (!s.after_scan || s.producer == Producer::kScan || s.counts) before.insert(before.begin(), s);
    values[result].kept = needed[result] && !s.after_scan && is_tile(facts.producers[result]) && !again;
    const bool packed = s.producer == Producer::kPack && !s.after_scan;
    if (values[result].kept || packed) bytes += static_cast<std::int64_t>(elem_size(values[result].type));
    const bool serves_scans = is_tile(s.producer) && !values[result].kept && !values[result].materialised;
    only_scans_before = only_scans_before && (s.after_scan ? !s.counts : serves_scans);
  }
  take_scans_at_end(facts);
  chunk_items = std::clamp(kKeptBytes / std::max<std::int64_t>(bytes, 1) / tile * tile, kFewestChunkItems, kChunkItems);
}

/// Moves to `scans_at_end` the scans whose operand is in memory for the whole chunk and whose result no tile reads.
void TilePlan::take_scans_at_end(const vcode::KernelFacts& facts) {
  const auto at_end = [&](const PlannedStep& s) {
    const KernelVar a = s.step->operands[0];
    return s.producer == Producer::kScan && readers_[s.step->results[0]] == 0 &&
           (facts.producers[a] == Producer::kInput || values[a].kept);
  };
  const auto rest = std::stable_partition(after.begin(), after.end(), [&](const PlannedStep& s) { return !at_end(s); });
  scans_at_end.assign(rest, after.end());
  after.erase(rest, after.end());
}

int TilePlan::take_slot(std::vector<int>& free) {
  if (free.empty()) return slots++;
  const int slot = free.back();
  free.pop_back();
  return slot;
}

/// Assigns a tile to each value. A tile is free again after the last use of its value, except that of a DIST, which may
/// be filled only once. Returns the number of tiles without those of DISTs.
int TilePlan::assign_slots() {
  int spread = 0;
  std::vector<const Kernel::Step*> last(values.size(), nullptr);
  for (const PlannedStep& s : steps)
    for (const KernelVar v : s.step->operands) last[v] = s.step;
  std::vector<int> free;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const PlannedStep& s = steps[k];
    if (const std::size_t end = end_of_run(steps, k, true); end > k) {
      assign_region_slots(std::span(steps).subspan(k, end - k), last, free);
      k = end - 1;
      continue;
    }
    const KernelVar result = s.step->results[0];
    if (values[result].spread) {
      values[result].slot = slots++;
      ++spread;
      continue;
    }
    if (is_tile(s.producer)) values[result].slot = take_slot(free);
    for (const KernelVar v : s.step->operands)
      if (last[v] == s.step && values[v].slot >= 0 && !values[v].spread &&
          std::find(free.begin(), free.end(), values[v].slot) == free.end())
        free.push_back(values[v].slot);
    if (is_tile(s.producer) && last[result] == nullptr) free.push_back(values[result].slot);
  }
  return slots - spread;
}

}  // namespace cvl::cpu
