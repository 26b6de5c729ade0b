#include "loops/arguments.h"

#include <limits>

namespace cvl::cpu {

using kernels::Loop;
using vcode::KernelVar;

void set_operands(Arguments& arguments, const kernels::LoopPlan& plan, const Loop& loop, const KernelCall& call) {
  static constexpr std::int64_t kWhole[] = {0, std::numeric_limits<std::int64_t>::max()};
  static constexpr std::uint64_t kNoElement = 0;
  const auto distance = [](const SegmentDescriptor& descriptor) -> std::int64_t {
    return descriptor.is_single() ? 0 : 1;
  };
  for (const Loop::Input& input : loop.inputs) {
    if (!input.is_made()) continue;
    arguments.set(input.per_segment, call.operands[input.segments].data);
    arguments.set(input.step,
                  distance(call.descriptors[plan.segmentations[static_cast<std::size_t>(input.segmentation)]]));
    if (input.access == Loop::Access::kProgression) arguments.set(input.strides, call.operands[input.stride].data);
    if (input.access != Loop::Access::kSlice) continue;
    arguments.set(input.source, call.operands[input.table].data);
    arguments.set(input.length, call.operands[input.table].length);
  }
  for (const Loop::Table& table : loop.tables) {
    const Operand& from = call.operands[table.value];
    arguments.set(table.elements, from.length > 0 ? from.data : &kNoElement);
    arguments.set(table.length, from.length);
    arguments.set(table.starts, kWhole);
    arguments.set(table.step, distance(call.descriptors[table.descriptor]));
  }
}

}  // namespace cvl::cpu
