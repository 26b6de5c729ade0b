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
  for (PlannedStep& step : steps) {
    int place = -1;
    for (const KernelVar v : step.step->operands) place = std::max(place, place_of_value[v]);
    if (step.producer == Producer::kMap) {
      place += place % 2 != 0;
    } else {
      place += place % 2 == 0;
    }
    // A PACK needs the count of the first one with its flags.
    if (step.producer == Producer::kPack) {
      int& counted = place_of_count[static_cast<std::size_t>(step.number)];
      place = counted = std::max(place, counted);
    }
    for (const KernelVar v : step.step->results) place_of_value[v] = place;
    placed.emplace_back(place, std::move(step));
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(placed.begin(), placed.end(), steps.begin(), [](auto& step) { return std::move(step.second); });
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

/// A value stays in registers if all its readers are in its region, and on the same side of a scan.
void TilePlan::find_values_in_registers() {
  std::vector<int> computed_in(values.size(), -1);
  std::vector<bool> after_scan(values.size());
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (steps[k].region < 0) continue;
    for (const PlannedStep& step : region_at(steps, k)) {
      const KernelVar v = step.step->results[0];
      computed_in[v] = steps[k].region;
      after_scan[v] = step.after_scan;
      values[v].in_registers = !values[v].materialised;
    }
  }
  int region = -1;
  for (const PlannedStep& step : steps) {
    if (step.region >= 0) region = step.region;
    for (const KernelVar v : step.step->operands)
      if (step.producer != Producer::kMap || computed_in[v] != region || after_scan[v] != step.after_scan)
        values[v].in_registers = false;
  }
}

/// A result may overwrite a value of its size that nobody reads behind the region, as a region reads the elements that
/// it computes together before it writes any of them.
void TilePlan::assign_region_slots(std::span<const PlannedStep> region,
                                   const std::vector<const vcode::Kernel::Step*>& last, std::vector<int>& free) {
  std::vector<KernelVar> dying;
  for (const PlannedStep& s : region)
    for (const KernelVar v : s.step->operands)
      if (last[v] == s.step && values[v].slot >= 0 && !values[v].spread) dying.push_back(v);
  std::sort(dying.begin(), dying.end());
  dying.erase(std::unique(dying.begin(), dying.end()), dying.end());
  std::vector<int> freed;
  for (const PlannedStep& s : region) {
    const KernelVar result = s.step->results[0];
    if (values[result].in_registers) continue;
    const auto found = std::find_if(dying.begin(), dying.end(), [&](KernelVar v) {
      return elem_size(values[v].type) == elem_size(values[result].type);
    });
    if (found != dying.end()) {
      values[result].slot = values[*found].slot;
      dying.erase(found);
    } else {
      values[result].slot = take_slot(free);
    }
    const bool is_read_behind =
        last[result] != nullptr &&
        std::none_of(region.begin(), region.end(), [&](const PlannedStep& r) { return r.step == last[result]; });
    if (!is_read_behind) freed.push_back(values[result].slot);
  }
  for (const KernelVar v : dying) freed.push_back(values[v].slot);
  free.insert(free.end(), freed.begin(), freed.end());
}

/// The operand of the DIST that makes a value.
KernelVar TilePlan::spread_from(KernelVar v) const {
  const auto dist =
      std::find_if(steps.begin(), steps.end(), [&](const PlannedStep& s) { return s.step->results[0] == v; });
  VC_CHECK(dist != steps.end() && dist->step->op == Op::kDist);
  return dist->step->operands[0];
}

const TilePlan::PlannedRegion* TilePlan::only_region() const {
  if (regions.size() != 1 || has_carries() || reductions > 0 || scatters > 0 || !epilogues.empty() ||
      !ordered_scatters.empty())
    return nullptr;
  for (const PlannedStep& s : steps) {
    const PlannedValue& result = values[s.step->results[0]];
    if (s.producer != Producer::kMap && (!result.spread || result.materialised)) return nullptr;
  }
  return &regions[0];
}

/// Makes the regions of a list whose steps are in their order.
void TilePlan::form_regions(std::vector<PlannedStep>& list) {
  for (std::size_t k = 0; k < list.size(); ++k) {
    const bool begins = k == 0 || list[k - 1].producer != Producer::kMap;
    list[k].region = list[k].producer == Producer::kMap && begins ? static_cast<int>(regions.size()) : -1;
    if (list[k].region < 0) continue;
    Region& region = regions.emplace_back().region;
    std::vector<bool> known(values.size());
    for (std::size_t s = k; s < list.size() && list[s].producer == Producer::kMap; ++s) {
      const vcode::Kernel::Step* step = list[s].step;
      for (const KernelVar v : step->operands) {
        if (!known[v]) region.inputs.push_back({v, values[v].spread, values[v].spread ? spread_from(v) : 0});
        known[v] = true;
      }
      known[step->results[0]] = true;
      region.steps.push_back(step);
      if (!values[step->results[0]].in_registers) region.outputs.push_back(step->results[0]);
    }
    most_vectors = std::max(most_vectors, region.inputs.size() + region.outputs.size());
  }
}

}  // namespace cvl::cpu
