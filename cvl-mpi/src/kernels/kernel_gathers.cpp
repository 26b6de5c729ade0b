#include "kernels/kernel_gathers.h"

#include <algorithm>
#include <deque>
#include <memory>

#include "exchange/element_gather.h"
#include "operations/index_places.h"
#include "vcode/kernel_rules.h"

namespace cvl::mpi {

using vcode::Kernel;
using vcode::KernelVar;

namespace {

bool is_gather(const Kernel::Step& step) {
  return !step.is_constant() && vcode::producer_of(step.op) == vcode::Producer::kGather;
}

/// The values that tell a gather what to read, without its table and descriptors.
std::vector<KernelVar> read_per_element(const Kernel::Step& step) {
  std::vector<KernelVar> values;
  for (std::size_t k = 0; k < step.operands.size(); ++k)
    if (vcode::reader_of(step.op, static_cast<int>(k)) == vcode::Reader::kIndices) values.push_back(step.operands[k]);
  return values;
}

KernelVar segments_like(const Kernel::Step& step, int like) {
  return step.operands[static_cast<std::size_t>(vcode::descriptor_like(step, like))];
}

}  // namespace

KernelGathers::KernelGathers(const Kernel& kernel) : is_computed_(kernel.values.size()) {
  /// The number of levels whose gathers a value depends on.
  std::vector<std::size_t> depth(kernel.values.size());
  for (const Kernel::Step& step : kernel.steps) {
    std::size_t levels = 0;
    for (const KernelVar v : step.operands) levels = std::max(levels, depth[v]);
    if (is_gather(step)) {
      if (levels == levels_.size()) levels_.emplace_back();
      levels_[levels++].push_back(step);
    }
    for (const KernelVar v : step.results) {
      depth[v] = levels;
      is_computed_[v] = !is_gather(step);
    }
  }
}

std::vector<KernelVar> KernelGathers::results_of(std::size_t levels) const {
  std::vector<KernelVar> results;
  for (std::size_t level = 0; level < levels; ++level)
    for (const Kernel::Step& step : levels_[level]) results.push_back(step.results[0]);
  return results;
}

std::vector<KernelVar> KernelGathers::computed_for(std::size_t level) const {
  std::vector<KernelVar> computed;
  for (const Kernel::Step& step : levels_[level])
    for (const KernelVar v : read_per_element(step))
      if (is_computed_[v] && std::ranges::count(computed, v) == 0) computed.push_back(v);
  return computed;
}

bool KernelGathers::fit(const RankGroup& group, const KernelCall& call, std::int64_t most) const {
  return std::ranges::all_of(levels_, [&](const std::vector<Kernel::Step>& level) {
    std::vector<ElementGather> gathers;
    for (const Kernel::Step& step : level)
      if (const Operand& table = call.operands[step.operands[0]]; !group.has_all(table))
        gathers.push_back({table, {}, most, {}, nullptr});
    return gathers_fit(group, gathers);
  });
}

KernelGathers::Gathered KernelGathers::gather(OperationContext& context, const KernelCall& call, std::size_t level,
                                              const Ranges& elements, const std::function<Operand(std::size_t)>& vector,
                                              bool is_good) const {
  Gathered gathered;
  const Range mine = elements[static_cast<std::size_t>(context.rank())];
  std::vector<std::shared_ptr<SegmentCut>> cuts;
  std::deque<Operand> flags;
  std::deque<IndexPlaces> places;
  std::vector<ElementGather> gathers;
  for (const Kernel::Step& step : levels_[level]) {
    const Operand& table = call.operands[step.operands[0]];
    const int flags_number = vcode::flags_of(step.op);
    if (flags_number >= 0) flags.push_back(vector(step.operands[static_cast<std::size_t>(flags_number)]));
    context.group.before_reading(elements_of(vector(step.operands[1]), mine));
    if (flags_number >= 0) context.group.before_reading(elements_of(flags.back(), mine));
    cuts.push_back(context.cuts.of(call.descriptors[segments_like(step, -1)]));
    const IndexPlaces& of_step =
        places.emplace_back(context, *cuts.back(), call.descriptors[segments_like(step, 0)], vector(step.operands[1]),
                            flags_number >= 0 ? &flags.back() : nullptr);
    const Scratch& memory = gathered.memory.emplace_back(scratch_for(context.group, table.type, mine.size()));
    const auto write = [&of_step, is_good](Range range, std::int64_t* positions) {
      if (is_good)
        of_step.write(range, positions);
      else
        std::fill_n(positions, range.size(), IndexPlaces::kNone);
    };
    gathers.push_back({table, mine, longest(elements), write, memory.data()});
  }
  gathered.all_good = gather_elements(context.group, gathers, [&] { return is_good && !context.faults.has_own(); });
  return gathered;
}

}  // namespace cvl::mpi
