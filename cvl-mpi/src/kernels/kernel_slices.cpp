#include "kernels/kernel_slices.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include "cvl/integer_at.h"
#include "exchange/range_exchange.h"
#include "vcode/kernel_rules.h"
#include "vcode/op.h"

namespace cvl::mpi {

using vcode::Kernel;
using vcode::KernelVar;

namespace {

bool is_slice(const Kernel::Step& step) { return !step.is_constant() && step.op == Op::kSlice; }

}  // namespace

KernelSlices::KernelSlices(const Kernel& kernel) {
  std::ranges::copy_if(kernel.steps, std::back_inserter(slices_), is_slice);
}

std::vector<KernelVar> KernelSlices::results() const {
  std::vector<KernelVar> results;
  for (const Kernel::Step& step : slices_) results.push_back(step.results[0]);
  return results;
}

bool KernelSlices::are_known(const RankGroup& group, const KernelCall& call) const {
  return std::ranges::all_of(slices_, [&](const Kernel::Step& step) {
    if (group.has_all(call.operands[step.operands[0]])) return true;
    const SegmentDescriptor& descriptor = call.descriptors[step.operands[2]];
    return descriptor.segments <= kMostSegments && !group.is_divided(entries_of(descriptor)) &&
           !group.is_divided(call.operands[step.operands[1]].length);
  });
}

namespace {

/// A segment of a SLICE, whose elements are consecutive in the source.
struct SliceSegment {
  Range elements;      ///< of the result
  std::int64_t start;  ///< in the source

  bool is_in(std::int64_t length) const { return 0 <= start && start <= length - elements.size(); }
  Range in_source(Range of_result) const {
    const Range common = intersection(of_result, elements);
    return {common.begin - elements.begin + start, common.end - elements.begin + start};
  }
};

}  // namespace

KernelSlices::Fetched KernelSlices::fetch_for(const RankGroup& group, SegmentCuts& cuts, const KernelCall& call,
                                              const Ranges& of_ranks) const {
  Fetched fetched;
  const Range mine = of_ranks[static_cast<std::size_t>(group.rank())];
  // The starts of segments that this rank touches.
  std::vector<std::shared_ptr<SegmentCut>> cut_of;
  std::vector<Scratch> starts;
  std::vector<Wanted> wanted;
  for (const Kernel::Step& step : slices_) {
    const Operand& of_segments = call.operands[step.operands[1]];
    const auto& cut = cut_of.emplace_back(cuts.of(call.descriptors[step.operands[2]]));
    starts.push_back(scratch_for(group, of_segments.type, cut->touched().size()));
    wanted.push_back({of_segments, cut->all_touched(), starts.back().data()});
  }
  fetch(group, wanted);
  wanted.clear();
  for (std::size_t k = 0; k < slices_.size(); ++k) {
    const Operand& source = call.operands[slices_[k].operands[0]];
    const Operand& of_segments = call.operands[slices_[k].operands[1]];
    const Scratch& memory = fetched.memory.emplace_back(scratch_for(group, source.type, mine.size()));
    const auto place_of = [&](std::int64_t element) {
      return memory.as<std::byte>() + size_of(source.type, element - mine.begin);
    };
    const SegmentCut& cut = *cut_of[k];
    if (!group.has_all(source)) {
      group.before_reading(of_segments);
      if (!cut.descriptor().is_regular()) group.before_reading(offsets_of(cut.descriptor()));
      for (std::int64_t j = 0; j < cut.descriptor().segments; ++j) {
        const Range elements{cut.descriptor().start(j), cut.descriptor().start(j + 1)};
        const SliceSegment segment{elements, integer_at(of_segments, j)};
        if (elements.empty()) continue;
        fetched.is_good = fetched.is_good && segment.is_in(source.length);
        if (!segment.is_in(source.length)) continue;
        Wanted one{source, {}, place_of(std::max(elements.begin, mine.begin))};
        for (const Range& of_rank : of_ranks) one.wants.push_back(segment.in_source(of_rank));
        wanted.push_back(std::move(one));
      }
      continue;
    }
    const Operand own_starts{of_segments.type, cut.touched().size(), starts[k].data()};
    for (std::int64_t j = cut.touched().begin; j < cut.touched().end; ++j) {
      const SliceSegment segment{{cut.start(j), cut.start(j + 1)}, integer_at(own_starts, j - cut.touched().begin)};
      const Range elements = intersection(segment.elements, mine);
      if (elements.empty()) continue;
      fetched.is_good = fetched.is_good && segment.is_in(source.length);
      if (!segment.is_in(source.length)) continue;
      group.before_reading(elements_of(source, segment.in_source(elements)));
      std::memcpy(place_of(elements.begin), elements_of(source, segment.in_source(elements)).data,
                  size_of(source.type, elements.size()));
    }
  }
  fetch(group, wanted);
  return fetched;
}

}  // namespace cvl::mpi
