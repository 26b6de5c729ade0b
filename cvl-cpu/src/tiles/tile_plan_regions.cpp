/// Part of a plan: regions, which are compiled.

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "tiles/tile_plan.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;

/// Whether a step is a PERMUTE. The sum of the hashes of its targets tells whether one is written twice.
bool TilePlan::is_permutation(const PlannedStep& step) {
  return step.producer == Producer::kScatter &&
         vcode::info(step.step->op).signature.operands[2].type != vcode::RoleType::kBool;
}

/// Whether a step of a list belongs to a region, with gathers and permutations or without. Before the carries are
/// known, scans are only folded; scans by blocks cannot use head flags. Compiled code writes beyond the elements that
/// it keeps, so it packs into memory of the chunk, or chunks are computed in turn. Scans and PACKs of several segments
/// rule out a loop nest over segments, so regions that gain from one do not include them.
bool TilePlan::is_in_region(const std::vector<PlannedStep>& list, std::size_t k, bool gathers) const {
  switch (list[k].producer) {
    case Producer::kMap:
      return true;
    case Producer::kGather:
      return gathers;
    case Producer::kScatter:
      return gathers && is_permutation(list[k]);
    case Producer::kScan:
      return !reads_segments_ && &list != &before && (one_segment_ || !is_by_blocks(list[k]));
    case Producer::kPack:
      return !reads_segments_ && (&list == &steps || (&list == &before && !list[k].after_scan));
    default:
      return false;
  }
}

/// End of the consecutive steps from k on that belong to regions.
std::size_t TilePlan::end_of_run(const std::vector<PlannedStep>& list, std::size_t k, bool gathers) const {
  while (k < list.size() && is_in_region(list, k, gathers)) ++k;
  return k;
}

/// Moves steps of regions next to each other, in alternating runs: first the steps of regions that need inputs only,
/// then other steps that read these, then the steps of regions that need the latter, and so on. Within a run of steps
/// of regions, those that do not depend on scans come first. Among the rest, steps other than gathers and permutations
/// are next to each other, too: first those that need inputs only, then the gathers and permutations that read these,
/// and so on.
void TilePlan::order_for_regions() {
  // Sort key of a step: the number of its run, even for steps of regions and odd for others; whether it depends on
  // scans; and within a run of steps of regions, the number of switches between gathers and other steps before it.
  using Position = std::tuple<int, bool, int>;
  std::vector<Position> position_of_value(values.size(), Position(-1, false, -1));
  std::vector<Position> position_of_count(static_cast<std::size_t>(counts), Position(-1, false, -1));
  std::vector<std::pair<Position, PlannedStep>> placed;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const PlannedStep& step = steps[k];
    Position position(-1, false, -1);
    for (const KernelVar v : step.step->operands) position = std::max(position, position_of_value[v]);
    // A PACK needs the count that the first PACK with its flags makes.
    const bool is_pack = step.producer == Producer::kPack;
    if (is_pack) position = std::max(position, position_of_count[static_cast<std::size_t>(step.number)]);
    auto& [run, after_scan, depth] = position;
    if (is_in_region(steps, k, true)) {
      if (run % 2 != 0) position = {run + 1, false, -1};
      after_scan |= step.after_scan;
      depth += step.producer == Producer::kMap || step.producer == Producer::kScan || is_pack ? depth % 2 != 0
                                                                                              : depth % 2 == 0;
    } else {
      position = {run + (run % 2 == 0), false, 0};
    }
    // A reduction of an input may be a fold of the first region.
    if (step.producer == Producer::kReduce) run = std::max(run, 1);
    if (is_pack) position_of_count[static_cast<std::size_t>(step.number)] = position;
    for (const KernelVar v : step.step->results) position_of_value[v] = position;
    placed.emplace_back(position, step);
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(placed.begin(), placed.end(), steps.begin(), [](const auto& step) { return step.second; });
  int scatter = 0;
  for (PlannedStep& step : steps)
    if (step.producer == Producer::kScatter) step.number = scatter++;  // a run begins them in this order
}

/// Finds the readers of each value. A value is "inside" if all its readers are in its region. It is "folded" if the
/// other readers are reductions, scans whose carries the region can compute, or PACKs of the region that count it. Kept
/// values are read again.
std::vector<TilePlan::Reach> TilePlan::find_reach(const std::vector<PlannedStep>& list, bool gathers) const {
  std::vector<Reach> reach(values.size());
  std::vector<int> run_of_step(list.size(), -1), run_of_value(values.size(), -1);
  int run = -1;
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (!is_in_region(list, k, gathers)) continue;
    run += k == 0 || !is_in_region(list, k - 1, gathers);
    const KernelVar v = list[k].step->results[0];
    run_of_step[k] = run_of_value[v] = run;
    const bool kept = &list == &before && values[v].kept;
    reach[v] = {.inside = !kept, .folded = !kept && !values[v].materialised};
  }
  for (std::size_t k = 0; k < list.size(); ++k) {
    const PlannedStep& s = list[k];
    for (const KernelVar v : s.step->operands) {
      const bool same_run = run_of_step[k] >= 0 && run_of_value[v] == run_of_step[k];
      const bool counts_on = same_run && s.producer == Producer::kPack && v == s.step->operands[1];
      const bool carries_on =
          s.producer == Producer::kScan && (&list == &before || (same_run && (&list == &steps || is_by_blocks(s))));
      const bool inside = same_run && !counts_on && !carries_on;
      reach[v].inside &= inside;
      reach[v].folded &= inside || counts_on || carries_on || s.producer == Producer::kReduce;
    }
  }
  return reach;
}

/// Where chunks wait for carries, a value that is read after a scan but computed before it is written to memory, even
/// if one region computes both; so are packed values.
void TilePlan::find_values_in_registers() {
  const std::vector<Reach> reach = find_reach(steps, false);
  std::vector<bool> after_scan(values.size());
  for (const PlannedStep& s : steps) {
    const KernelVar v = s.step->results[0];
    values[v].in_registers = reach[v].inside && !values[v].materialised;
    after_scan[v] = s.after_scan;
  }
  for (const PlannedStep& s : steps)
    for (const KernelVar v : s.step->operands)
      values[v].in_registers &= after_scan[v] == s.after_scan && !(s.producer == Producer::kPack && s.after_scan);
}

/// Assigns tiles to the results of a run of steps of regions.
///
/// Compiled code reads the elements that it computes together before it writes any of them, and does not write values
/// that stay in registers. So a value in memory may overwrite an input of the region that has its size and no further
/// readers; carries of scans and counts of flags are such readers. Tiles of values in registers can be reused at once,
/// all others after the run: an element of another size would overwrite elements that compiled code has not read yet.
void TilePlan::assign_region_slots(std::span<const PlannedStep> run,
                                   const std::vector<const vcode::Kernel::Step*>& last, std::vector<int>& free) {
  std::vector<int> free_behind;
  std::vector<KernelVar> wanted;  // results so far, and operands of scans and counts
  for (const PlannedStep& s : run) {
    if (s.producer == Producer::kScan) wanted.push_back(s.step->operands[0]);
    if (s.producer == Producer::kPack) wanted.push_back(s.step->operands[1]);
  }
  for (const PlannedStep& s : run) {
    const KernelVar result = s.step->results[0];
    const bool in_registers = values[result].in_registers;
    std::vector<KernelVar> dying = s.step->operands;
    std::sort(dying.begin(), dying.end());
    dying.erase(std::unique(dying.begin(), dying.end()), dying.end());
    std::erase_if(dying, [&](KernelVar v) { return last[v] != s.step || values[v].slot < 0 || values[v].spread; });
    std::vector<int> free_at_once;
    for (const KernelVar v : dying) {
      const bool is_wanted = std::find(wanted.begin(), wanted.end(), v) != wanted.end();
      const bool fits = s.producer == Producer::kMap && elem_size(values[v].type) == elem_size(values[result].type);
      if (values[result].slot < 0 && fits && (in_registers ? values[v].in_registers : !is_wanted))
        values[result].slot = values[v].slot;
      else
        (values[v].in_registers ? free_at_once : free_behind).push_back(values[v].slot);
    }
    const bool has_tile = s.producer != Producer::kPack && s.producer != Producer::kScatter;
    if (has_tile && values[result].slot < 0) values[result].slot = take_slot(free);
    free.insert(free.end(), free_at_once.begin(), free_at_once.end());
    if (!has_tile) continue;
    if (!in_registers) wanted.push_back(result);
    if (last[result] == nullptr) free_behind.push_back(values[result].slot);
  }
  free.insert(free.end(), free_behind.begin(), free_behind.end());
}

/// The DIST, INDEX or SLICE that computes a value; null if it is none of these.
const TilePlan::PlannedStep* TilePlan::spread_by(KernelVar v) const {
  const auto made =
      std::find_if(steps.begin(), steps.end(), [&](const PlannedStep& s) { return s.step->results[0] == v; });
  return made == steps.end() || made->producer != Producer::kSpread ? nullptr : &*made;
}

/// How a loop nest over segments obtains a value that a region reads.
Region::Input TilePlan::region_input(KernelVar v) const {
  Region::Input input{.value = v};
  const PlannedStep* const made = spread_by(v);
  if (made == nullptr || (values[v].materialised && !values[v].spread)) return input;
  const std::vector<KernelVar>& operands = made->step->operands;
  input.segmentation = made->segmentation;
  switch (made->step->op) {
    case Op::kDist:
      input.made = Region::Generated::kSpread;
      input.segments = operands[0];
      break;
    case Op::kIndex:
      input.made = Region::Generated::kProgression;
      input.segments = operands[0];
      input.stride = operands[1];
      break;
    default:
      VC_CHECK(made->step->op == Op::kSlice);
      input.made = Region::Generated::kSlice;
      input.table = operands[0];
      input.segments = operands[1];
  }
  return input;
}

int TilePlan::only_region() const {
  if (scatters > 0 || !ordered_scatters.empty()) return -1;
  int only = -1;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const PlannedStep& s = steps[k];
    if (s.producer == Producer::kReduce) {
      if (only < 0 || s.folded_in != only) return -1;
    } else if (is_in_region(steps, k, true)) {
      const int begun = s.gathering >= 0 ? s.gathering : s.region;
      if (only < 0) only = begun;
    } else if (spread_by(s.step->results[0]) == nullptr || values[s.step->results[0]].materialised) {
      return -1;
    }
  }
  return only;
}

/// Makes the regions of a list whose steps are ordered.
void TilePlan::form_regions(std::vector<PlannedStep>& list) {
  std::vector<int> known_in(values.size(), -1);
  std::size_t end_of_gathering = 0;
  for (std::size_t k = 0; k < list.size(); ++k) {
    PlannedStep& step = list[k];
    for (const bool gathers : {true, false}) {
      if (!is_in_region(list, k, gathers) || (k > 0 && is_in_region(list, k - 1, gathers))) continue;
      const std::size_t end = end_of_run(list, k, gathers);
      if (gathers && end == end_of_run(list, k, false)) continue;
      if (gathers) end_of_gathering = end;
      const int number = form_region(std::span(list).subspan(k, end - k), find_reach(list, gathers));
      (gathers ? step.gathering : step.region) = number;
      Region& region = regions.back();
      region.is_part = !gathers && k < end_of_gathering;
      if (region.is_part) {
        for (Region::Output& output : region.outputs) output.folded = false;  // folds belong to the whole region
        continue;
      }
      for (const Region::Input& input : region.inputs)
        if (input.made != Region::Generated::kSpread) known_in[input.value] = number;
      for (const vcode::Kernel::Step* s : region.steps) known_in[s->results[0]] = number;
    }
    if (step.producer != Producer::kReduce && step.producer != Producer::kScan) continue;
    step.folded_in = known_in[step.step->operands[0]];
    // The carries of scans are known before `after`; within the chunk, those by blocks are passed from tile to tile.
    const bool is_known = step.producer == Producer::kScan && &list == &after && !is_by_blocks(step);
    if (step.folded_in >= 0 && !is_known)
      regions[static_cast<std::size_t>(step.folded_in)].folds.push_back(
          {step.step, fold_number(step), step.segmentation});
  }
}

/// Adds arg-reductions of their results to the regions that can compute one segment a lane.
void TilePlan::find_extremes() {
  if (has_carries()) return;
  for (int r = 0; r < std::ssize(regions); ++r) {
    Region& region = regions[static_cast<std::size_t>(r)];
    const auto is_reduced_here = [&](const PlannedStep& s) {
      return s.producer == Producer::kArgReduce &&
             std::any_of(region.outputs.begin(), region.outputs.end(),
                         [&](const Region::Output& output) { return output.value == s.step->operands[0]; });
    };
    for (const PlannedStep& s : steps)
      if (is_reduced_here(s)) region.extremes.push_back({s.step, s.segmentation});
    if (!may_go_across(region)) region.extremes.clear();
    for (PlannedStep& s : steps)
      if (region.goes_across() && is_reduced_here(s)) s.folded_in = r;
  }
}

/// Whether a region, whose arg-reductions are known, can compute one segment a lane (see Region::goes_across).
bool TilePlan::may_go_across(const Region& region) const {
  if (region.is_part || !region.tables.empty() || !region.scatters.empty() || !region.folds.empty()) return false;
  const auto is_made = [](const Region::Input& input) { return input.made != Region::Generated::kNot; };
  const auto is_used_up = [&](const Region::Output& output) {
    const auto reads = [&](const vcode::Kernel::Step* step) {
      return std::find(step->operands.begin(), step->operands.end(), output.value) != step->operands.end();
    };
    const auto inside = std::count_if(region.steps.begin(), region.steps.end(), reads);
    const auto outside = std::count_if(region.extremes.begin(), region.extremes.end(),
                                       [&](const Region::Extreme& extreme) { return reads(extreme.step); });
    return !values[output.value].materialised && inside + outside == readers_[output.value];
  };
  return std::all_of(region.inputs.begin(), region.inputs.end(), is_made) &&
         std::all_of(region.outputs.begin(), region.outputs.end(), is_used_up);
}

/// Adds a region to `regions`. Returns its number.
int TilePlan::form_region(std::span<const PlannedStep> run, std::span<const Reach> reach) {
  Region& region = regions.emplace_back();
  std::vector<bool> known(values.size());
  for (const PlannedStep& s : run) {
    const vcode::Kernel::Step* step = s.step;
    const vcode::Signature& signature = vcode::info(step->op).signature;
    for (std::size_t k = 0; k < step->operands.size(); ++k) {
      const KernelVar v = step->operands[k];
      if (s.producer == Producer::kGather && k == 0)
        region.tables.push_back(
            {v, step->operands[static_cast<std::size_t>(descriptor_like(*step, 0))], s.segmentation});
      if (known[v] || !vcode::goes_over(step->op, static_cast<int>(k)) ||
          signature.operands[k].type == vcode::RoleType::kSegdes)
        continue;
      known[v] = true;
      region.inputs.push_back(region_input(v));
    }
    region.steps.push_back(step);
    if (s.producer == Producer::kScan) region.scans.push_back({step, s.number, s.segmentation});
    if (s.producer == Producer::kPack) {
      region.packs.push_back({step, s.packed, s.counts, s.segmentation});
      continue;
    }
    if (s.producer == Producer::kScatter) {
      region.scatters.push_back({step, s.number});
      continue;
    }
    const KernelVar result = step->results[0];
    known[result] = true;
    if (!reach[result].inside || values[result].materialised)
      region.outputs.push_back({result, reach[result].folded, reach[result].inside});
  }
  return static_cast<int>(regions.size()) - 1;
}

}  // namespace cvl::cpu
