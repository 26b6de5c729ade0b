#include "loops/arguments.h"

#include <limits>

namespace cvl::cpu {

using kernels::Loop;
using vcode::KernelVar;

void set_constants(Arguments& arguments, const kernels::LoopPlan& plan, const Loop& loop, const KernelCall& call,
                   const ScanKernels& scans, std::span<Slot> carries, std::span<std::int64_t> positions) {
  static constexpr std::int64_t kWhole[] = {0, std::numeric_limits<std::int64_t>::max()};
  static constexpr std::uint64_t kNoElement = 0;
  const auto distance = [](const SegmentDescriptor& descriptor) -> std::int64_t {
    return descriptor.is_single() ? 0 : 1;
  };
  const auto segments_of = [&](const auto& part) -> const SegmentDescriptor& {
    return call.descriptors[plan.segmentations[static_cast<std::size_t>(part.segmentation)]];
  };
  for (const Loop::Input& input : loop.inputs) {
    if (!input.is_made()) continue;
    arguments.set(input.per_segment, call.operands[input.segments].data);
    arguments.set(input.step, distance(segments_of(input)));
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
  for (const Loop::Scan& scan : loop.scans) {
    arguments.set(scan.carry, &carries[static_cast<std::size_t>(scan.number)]);
    arguments.set(scan.whole, 1 - distance(segments_of(scan)));
    arguments.set(scan.identity,
                  &scans.identity.at(vcode::info(scan.step->op).monoid, plan.values[scan.step->operands[0]].type));
  }
  for (const Loop::Pack& pack : loop.packs) {
    arguments.set(pack.position, &positions[static_cast<std::size_t>(pack.number)]);
    if (pack.counts) arguments.set(pack.distance, distance(segments_of(pack)));
  }
}

}  // namespace cvl::cpu
