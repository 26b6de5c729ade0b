/// What of a plan runs as native code.

#include <algorithm>

#include "tiles/tile_plan.h"
#include "vcode/check.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;

/// Moves elementwise steps side by side: first those that need inputs only, then what reads them and is not
/// elementwise, then the elementwise steps that need these, and so on.
void TilePlan::order_for_regions() {
  // Twice the number of changes between elementwise steps and others up to a step; odd for the others.
  std::vector<int> place_of_value(values.size(), -1);
  std::vector<int> place_of_count(static_cast<std::size_t>(counts), -1);
  std::vector<std::pair<int, PlannedStep>> placed;
  for (const PlannedStep& step : steps) {
    int place = -1;
    for (const KernelVar v : step.step->operands) place = std::max(place, place_of_value[v]);
    if (step.producer == Producer::kMap) {
      place += place % 2 != 0;
    } else {
      place += place % 2 == 0;
    }
    // A reduction of an input may be a fold of the first region.
    if (step.producer == Producer::kReduce) place = std::max(place, 1);
    // A PACK needs the count of the first one with its flags.
    if (step.producer == Producer::kPack) {
      int& counted = place_of_count[static_cast<std::size_t>(step.number)];
      place = counted = std::max(place, counted);
    }
    for (const KernelVar v : step.step->results) place_of_value[v] = place;
    placed.emplace_back(place, step);
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(placed.begin(), placed.end(), steps.begin(), [](const auto& step) { return step.second; });
  int region = 0, scatter = 0;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (steps[k].producer == Producer::kScatter) steps[k].number = scatter++;  // a run begins them in this order
    const bool begins = k == 0 || steps[k - 1].producer != Producer::kMap;
    if (steps[k].producer == Producer::kMap && begins) steps[k].region = region++;
  }
}

/// The steps of the region that begins with step k.
std::span<const TilePlan::PlannedStep> TilePlan::region_at(const std::vector<PlannedStep>& list, std::size_t k) {
  VC_CHECK(list[k].region >= 0);
  std::size_t end = k + 1;
  while (end < list.size() && list[end].producer == Producer::kMap && list[end].region < 0) ++end;
  return std::span(list).subspan(k, end - k);
}

/// A value is read inside if all its readers are in its region, and on the same side of a scan. It is folded if the
/// other readers are reductions on that side, which then can be computed with the region.
void TilePlan::find_values_in_registers() {
  std::vector<int> computed_in(values.size(), -1);
  std::vector<bool> after_scan(values.size());
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (steps[k].producer != Producer::kMap || steps[k].region < 0) continue;
    for (const PlannedStep& step : region_at(steps, k)) {
      const KernelVar v = step.step->results[0];
      computed_in[v] = steps[k].region;
      after_scan[v] = step.after_scan;
      values[v].inside = true;
      values[v].folded = !values[v].materialised;
    }
  }
  int region = -1;
  for (const PlannedStep& step : steps) {
    if (step.producer == Producer::kMap && step.region >= 0) region = step.region;
    for (const KernelVar v : step.step->operands) {
      const bool same_side = after_scan[v] == step.after_scan;
      const bool inside = step.producer == Producer::kMap && computed_in[v] == region && same_side;
      if (!inside) values[v].inside = false;
      if (!inside && (step.producer != Producer::kReduce || !same_side)) values[v].folded = false;
    }
  }
}

/// Native code reads the elements that it computes together before it writes any of them, and writes no values that
/// stay in registers. So what is wanted in memory may overwrite a value from outside the region, if that has its size
/// and no further readers. Tiles of values in registers are used again at once, all others behind the region: an
/// element of another size would overwrite elements that native code has not read yet.
void TilePlan::assign_region_slots(std::span<const PlannedStep> region,
                                   const std::vector<const vcode::Kernel::Step*>& last, std::vector<int>& free) {
  std::vector<int> free_behind;
  std::vector<KernelVar> wanted;  // of the results so far
  for (const PlannedStep& s : region) {
    const KernelVar result = s.step->results[0];
    const bool in_registers = values[result].in_registers();
    std::vector<KernelVar> dying = s.step->operands;
    std::sort(dying.begin(), dying.end());
    dying.erase(std::unique(dying.begin(), dying.end()), dying.end());
    std::erase_if(dying, [&](KernelVar v) { return last[v] != s.step || values[v].slot < 0 || values[v].spread; });
    std::vector<int> free_at_once;
    for (const KernelVar v : dying) {
      const bool is_wanted = std::find(wanted.begin(), wanted.end(), v) != wanted.end();
      const bool fits = elem_size(values[v].type) == elem_size(values[result].type);
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

/// The operand of the DIST that makes a value.
KernelVar TilePlan::spread_from(KernelVar v) const {
  const auto dist =
      std::find_if(steps.begin(), steps.end(), [&](const PlannedStep& s) { return s.step->results[0] == v; });
  VC_CHECK(dist != steps.end() && dist->step->op == Op::kDist);
  return dist->step->operands[0];
}

bool TilePlan::is_one_region() const {
  if (regions.size() != 1 || has_carries() || scatters > 0 || !ordered_scatters.empty()) return false;
  const auto is_inexact = [](const Epilogue& epilogue) { return vcode::info(epilogue.step->op).is_inexact(); };
  if (std::any_of(epilogues.begin(), epilogues.end(), is_inexact)) return false;
  return std::all_of(steps.begin(), steps.end(), [&](const PlannedStep& s) {
    const PlannedValue& result = values[s.step->results[0]];
    if (s.producer == Producer::kReduce) return s.region == 0;
    return s.producer == Producer::kMap || (result.spread && !result.materialised);
  });
}

/// Makes the regions of a list whose steps are in their order.
void TilePlan::form_regions(std::vector<PlannedStep>& list) {
  std::vector<int> known_in(values.size(), -1);
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (list[k].producer == Producer::kReduce || list[k].producer == Producer::kScan) {
      list[k].region = known_in[list[k].step->operands[0]];
      // The carries of scans have been passed on before `after`.
      const bool is_known = list[k].producer == Producer::kScan && &list == &after;
      if (list[k].region >= 0 && !is_known)
        regions[static_cast<std::size_t>(list[k].region)].folds.push_back({list[k].step, fold_number(list[k])});
      continue;
    }
    const bool begins = k == 0 || list[k - 1].producer != Producer::kMap;
    list[k].region = list[k].producer == Producer::kMap && begins ? static_cast<int>(regions.size()) : -1;
    if (list[k].region < 0) continue;
    Region& region = regions.emplace_back();
    std::vector<bool> known(values.size());
    for (std::size_t s = k; s < list.size() && list[s].producer == Producer::kMap; ++s) {
      const vcode::Kernel::Step* step = list[s].step;
      for (const KernelVar v : step->operands) {
        if (!known[v]) region.inputs.push_back({v, values[v].spread, values[v].spread ? spread_from(v) : 0});
        known[v] = true;
        if (!values[v].spread) known_in[v] = list[k].region;
      }
      const KernelVar result = step->results[0];
      known[result] = true;
      known_in[result] = list[k].region;
      region.steps.push_back(step);
      const PlannedValue& value = values[result];
      if (!value.in_registers()) region.outputs.push_back({result, value.folded, value.inside});
    }
  }
  for (const Region& region : regions)
    most_vectors = std::max(most_vectors, region.inputs.size() + region.outputs.size() + 1 + region.folds.size());
}

}  // namespace cvl::cpu
