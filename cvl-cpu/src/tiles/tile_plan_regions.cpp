/// What of a plan runs as native code.

#include <algorithm>

#include "tiles/tile_plan.h"
#include "vcode/check.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;

namespace {

/// Whether a step is computed by regions: of elementwise steps, or with `gathers`, of these and gathers.
bool is_in_region(const TilePlan::PlannedStep& step, bool gathers) {
  return step.producer == Producer::kMap || (gathers && step.producer == Producer::kGather);
}

}  // namespace

/// The end of the steps from k on that regions compute.
std::size_t TilePlan::end_of_run(const std::vector<PlannedStep>& list, std::size_t k, bool gathers) {
  while (k < list.size() && is_in_region(list[k], gathers)) ++k;
  return k;
}

/// Moves elementwise steps and gathers side by side: first those that need inputs only, then what reads them and is
/// something else, then the elementwise steps and gathers that need these, and so on. Among them elementwise steps are
/// side by side, too: first gathers that need inputs only, then elementwise steps, then the gathers that read these,
/// and so on.
void TilePlan::order_for_regions() {
  // Twice the number of changes between steps of regions and others up to a step, odd for the others; then the same for
  // the changes between elementwise steps and gathers within a run of them.
  using Place = std::pair<int, int>;
  std::vector<Place> place_of_value(values.size(), Place(-1, -1));
  std::vector<int> place_of_count(static_cast<std::size_t>(counts), -1);
  std::vector<std::pair<Place, PlannedStep>> placed;
  for (const PlannedStep& step : steps) {
    Place place(-1, -1);
    for (const KernelVar v : step.step->operands) place = std::max(place, place_of_value[v]);
    auto& [run, depth] = place;
    if (is_in_region(step, true)) {
      if (run % 2 != 0) place = {run + 1, -1};
      depth += step.producer == Producer::kMap ? depth % 2 != 0 : depth % 2 == 0;
    } else {
      place = {run + (run % 2 == 0), 0};
    }
    // A reduction of an input may be a fold of the first region.
    if (step.producer == Producer::kReduce) run = std::max(run, 1);
    // A PACK needs the count of the first one with its flags.
    if (step.producer == Producer::kPack) {
      int& counted = place_of_count[static_cast<std::size_t>(step.number)];
      run = counted = std::max(run, counted);
    }
    for (const KernelVar v : step.step->results) place_of_value[v] = place;
    placed.emplace_back(place, step);
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(placed.begin(), placed.end(), steps.begin(), [](const auto& step) { return step.second; });
  int scatter = 0;
  for (PlannedStep& step : steps)
    if (step.producer == Producer::kScatter) step.number = scatter++;  // a run begins them in this order
}

/// A value is read inside if all its readers are in its region, and on the same side of a scan. It is folded if the
/// other readers are reductions on that side, which then can be computed with the region.
void TilePlan::find_reach(bool gathers) {
  const auto reach = [&](KernelVar v) -> Reach& { return gathers ? values[v].gathering_reach : values[v].reach; };
  std::vector<int> run_of_step(steps.size(), -1), run_of_value(values.size(), -1);
  std::vector<bool> after_scan(values.size());
  int run = -1;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (!is_in_region(steps[k], gathers)) continue;
    run += k == 0 || !is_in_region(steps[k - 1], gathers);
    const KernelVar v = steps[k].step->results[0];
    run_of_step[k] = run_of_value[v] = run;
    after_scan[v] = steps[k].after_scan;
    reach(v) = {.inside = true, .folded = !values[v].materialised};
  }
  for (std::size_t k = 0; k < steps.size(); ++k)
    for (const KernelVar v : steps[k].step->operands) {
      const bool same_side = after_scan[v] == steps[k].after_scan;
      const bool inside = run_of_step[k] >= 0 && run_of_value[v] == run_of_step[k] && same_side;
      if (!inside) reach(v).inside = false;
      if (!inside && (steps[k].producer != Producer::kReduce || !same_side)) reach(v).folded = false;
    }
}

/// Assigns tiles to the results of a run of elementwise steps and gathers.
///
/// Native code reads the elements that it computes together before it writes any of them, and writes no values that
/// stay in registers. So what is wanted in memory may overwrite a value from outside the region, if that has its size
/// and no further readers. Tiles of values in registers are used again at once, all others behind the run: an element
/// of another size would overwrite elements that native code has not read yet.
void TilePlan::assign_region_slots(std::span<const PlannedStep> run,
                                   const std::vector<const vcode::Kernel::Step*>& last, std::vector<int>& free) {
  std::vector<int> free_behind;
  std::vector<KernelVar> wanted;  // of the results so far
  for (const PlannedStep& s : run) {
    const KernelVar result = s.step->results[0];
    const bool in_registers = values[result].in_registers();
    std::vector<KernelVar> dying = s.step->operands;
    std::sort(dying.begin(), dying.end());
    dying.erase(std::unique(dying.begin(), dying.end()), dying.end());
    std::erase_if(dying, [&](KernelVar v) { return last[v] != s.step || values[v].slot < 0 || values[v].spread; });
    std::vector<int> free_at_once;
    for (const KernelVar v : dying) {
      const bool is_wanted = std::find(wanted.begin(), wanted.end(), v) != wanted.end();
      const bool fits = s.producer == Producer::kMap && elem_size(values[v].type) == elem_size(values[result].type);
      if (values[result].slot < 0 && fits && (in_registers ? values[v].in_registers() : !is_wanted))
        values[result].slot = values[v].slot;
      else
        (values[v].in_registers() ? free_at_once : free_behind).push_back(values[v].slot);
    }
    if (values[result].slot < 0) values[result].slot = take_slot(free);
    free.insert(free.end(), free_at_once.begin(), free_at_once.end());
    if (!in_registers) wanted.push_back(result);
    if (last[result] == nullptr) free_behind.push_back(values[result].slot);
  }
  free.insert(free.end(), free_behind.begin(), free_behind.end());
}

/// The step that makes a value from an element for each segment; null if there is none.
const TilePlan::PlannedStep* TilePlan::spread_by(KernelVar v) const {
  const auto made =
      std::find_if(steps.begin(), steps.end(), [&](const PlannedStep& s) { return s.step->results[0] == v; });
  return made == steps.end() || made->producer != Producer::kSpread ? nullptr : &*made;
}

/// How code for one segment has the value that a region reads.
Region::Input TilePlan::region_input(KernelVar v) const {
  Region::Input input{.value = v};
  const PlannedStep* const made = spread_by(v);
  if (made == nullptr || (values[v].materialised && !values[v].spread)) return input;
  const std::vector<KernelVar>& operands = made->step->operands;
  input.cut = made->cut;
  switch (made->step->op) {
    case Op::kDist:
      input.made = Region::Made::kSpread;
      input.segments = operands[0];
      break;
    case Op::kIndex:
      input.made = Region::Made::kProgression;
      input.segments = operands[0];
      input.stride = operands[1];
      break;
    default:
      VC_CHECK(made->step->op == Op::kSlice);
      input.made = Region::Made::kSlice;
      input.table = operands[0];
      input.segments = operands[1];
  }
  return input;
}

int TilePlan::only_region() const {
  if (has_carries() || scatters > 0 || !ordered_scatters.empty()) return -1;
  const auto is_inexact = [](const Epilogue& epilogue) { return vcode::info(epilogue.step->op).is_inexact(); };
  if (std::any_of(epilogues.begin(), epilogues.end(), is_inexact)) return -1;
  int only = -1;
  for (const PlannedStep& s : steps) {
    if (s.producer == Producer::kReduce) {
      if (only < 0 || s.region != only) return -1;
    } else if (is_in_region(s, true)) {
      const int begun = s.gathering >= 0 ? s.gathering : s.region;
      if (only < 0) only = begun;
    } else if (spread_by(s.step->results[0]) == nullptr || values[s.step->results[0]].materialised) {
      return -1;
    }
  }
  return only;
}

/// Makes the regions of a list whose steps are in their order.
void TilePlan::form_regions(std::vector<PlannedStep>& list) {
  std::vector<int> known_in(values.size(), -1);
  std::size_t end_of_gathering = 0;
  for (std::size_t k = 0; k < list.size(); ++k) {
    PlannedStep& step = list[k];
    if (step.producer == Producer::kReduce || step.producer == Producer::kScan) {
      step.region = known_in[step.step->operands[0]];
      // The carries of scans have been passed on before `after`.
      const bool is_known = step.producer == Producer::kScan && &list == &after;
      if (step.region >= 0 && !is_known)
        regions[static_cast<std::size_t>(step.region)].folds.push_back({step.step, fold_number(step), step.cut});
      continue;
    }
    for (const bool gathers : {true, false}) {
      if (!is_in_region(step, gathers) || (k > 0 && is_in_region(list[k - 1], gathers))) continue;
      const std::size_t end = end_of_run(list, k, gathers);
      if (gathers && end == end_of_run(list, k, false)) continue;
      if (gathers) end_of_gathering = end;
      const int number = form_region(std::span(list).subspan(k, end - k), gathers);
      (gathers ? step.gathering : step.region) = number;
      Region& region = regions.back();
      region.is_part = !gathers && k < end_of_gathering;
      if (region.is_part) {
        for (Region::Output& output : region.outputs) output.folded = false;  // folds are the whole region's
        continue;
      }
      for (const Region::Input& input : region.inputs)
        if (input.made != Region::Made::kSpread) known_in[input.value] = number;
      for (const vcode::Kernel::Step* s : region.steps) known_in[s->results[0]] = number;
    }
  }
  for (const Region& region : regions) most_vectors = std::max(most_vectors, region.most_words());
}

/// Adds a region to `regions`. Returns its number.
int TilePlan::form_region(std::span<const PlannedStep> run, bool gathers) {
  Region& region = regions.emplace_back();
  std::vector<bool> known(values.size());
  for (const PlannedStep& s : run) {
    const vcode::Kernel::Step* step = s.step;
    const vcode::Signature& signature = vcode::info(step->op).signature;
    for (std::size_t k = 0; k < step->operands.size(); ++k) {
      const KernelVar v = step->operands[k];
      if (s.producer == Producer::kGather && k == 0)
        region.tables.push_back({v, step->operands[static_cast<std::size_t>(descriptor_like(*step, 0))]});
      if (known[v] || !vcode::goes_over(step->op, static_cast<int>(k)) ||
          signature.operands[k].type == vcode::RoleType::kSegdes)
        continue;
      known[v] = true;
      region.inputs.push_back(region_input(v));
    }
    const KernelVar result = step->results[0];
    known[result] = true;
    region.steps.push_back(step);
    const Reach& reach = gathers ? values[result].gathering_reach : values[result].reach;
    if (!reach.inside || values[result].materialised) region.outputs.push_back({result, reach.folded, reach.inside});
  }
  return static_cast<int>(regions.size()) - 1;
}

}  // namespace cvl::cpu
