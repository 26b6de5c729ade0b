#include "tiles/region_words.h"

#include <limits>

#include "base/check.h"

namespace cvl::cpu {

std::array<const void*, 4> table_words(const Operand& table, const std::int64_t* starts) {
  static constexpr std::uint64_t kNoElement = 0;
  static constexpr std::int64_t kWhole[] = {0, std::numeric_limits<std::int64_t>::max()};
  const bool single = starts == nullptr;
  return {table.length > 0 ? table.data : &kNoElement, number_word(table.length), single ? kWhole : starts,
          number_word(single ? 0 : 1)};
}

std::array<const void*, 3> scan_words(const TilePlan& plan, const Region::Scan& scan, const ScanKernels& kernels,
                                      const Slot& before, const void* heads) {
  const vcode::Monoid monoid = vcode::info(scan.step->op).monoid;
  return {&before, &kernels.identity.at(monoid, plan.values[scan.step->operands[0]].type), heads};
}

void set_segment_words(const TilePlan& plan, const Region& region, const KernelCall& call, const void* starts,
                       std::int64_t begin, std::int64_t end, std::span<const void*> words) {
  std::size_t next = region.first_made_word();
  for (std::size_t i = 0; i < region.inputs.size(); ++i) {
    const Region::Input& input = region.inputs[i];
    if (input.made == Region::Generated::kNot) continue;
    words[i] = call.operands[input.segments].data;
    words[next++] = number_word(
        call.descriptors[plan.segmentations[static_cast<std::size_t>(input.segmentation)]].is_single() ? 0 : 1);
    if (input.made == Region::Generated::kProgression) words[next++] = call.operands[input.stride].data;
    if (input.made == Region::Generated::kSlice) {
      words[next++] = call.operands[input.table].data;
      words[next++] = number_word(call.operands[input.table].length);
    }
  }
  VC_CHECK(next == region.bounds_word());
  words[next] = starts;
  words[next + 1] = number_word(begin);
  words[next + 2] = number_word(end);
}

}  // namespace cvl::cpu
