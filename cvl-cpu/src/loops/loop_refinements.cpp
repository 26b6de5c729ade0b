/// Values per segment of descriptors whose segments consist of those of the nest, repeated for the latter.

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/check.h"
#include "loops/coarse_segments.h"
#include "loops/loop_run.h"

namespace cvl::cpu {

namespace {

/// out[k] = from[c], plus strides[c] (or 1 if there are none) for each element before segment k in segment c, if it
/// `goes_up`.
template <class T>
void repeat(const SegmentDescriptor& fine, const SegmentDescriptor& coarse, const void* from, const void* strides,
            bool goes_up, void* out) {
  using U = std::make_unsigned_t<T>;
  const auto at = [](const void* vector, std::int64_t c) {
    T element;
    std::memcpy(&element, static_cast<const T*>(vector) + c, sizeof(T));
    return static_cast<U>(element);
  };
  const bool fits = for_each_part(fine, coarse, [&](std::int64_t k, std::int64_t c) {
    U value = at(from, c);
    if (goes_up)
      value = static_cast<U>(value + static_cast<U>((strides != nullptr ? at(strides, c) : U{1}) *
                                                    static_cast<U>(fine.start(k) - coarse.start(c))));
    const T element = static_cast<T>(value);
    std::memcpy(static_cast<T*>(out) + k, &element, sizeof(T));
  });
  VC_CHECK(fits);
}

}  // namespace

/// Makes what the nest of a part reads for its segments from values of coarser ones. False, after a report, if memory
/// ran out.
bool LoopRun::refine(Part part) {
  const int nest = calls(part).nest;
  if (calls(part).form != Loop::Form::kNest || nest == kNoSegmentation) return true;
  const Loop& loop = plan.stage(part).loop;
  const SegmentDescriptor& fine = segmentation(nest);
  const auto room = [&](std::int64_t bytes) -> void* {
    vectors_.push_back(context.arena.scratch<char>(std::max<std::int64_t>(bytes, 1)));
    if (vectors_.back() == nullptr) context.out_of_memory(static_cast<std::size_t>(bytes));
    return vectors_.back().get();
  };
  std::pmr::vector<Refinement>& made = refinements_[static_cast<std::size_t>(part)];
  const auto repeated = [&](const Operand& values, const void* strides, bool goes_up, const SegmentDescriptor& coarse,
                            kernels::Member member) {
    void* const out = room(fine.segments * static_cast<std::int64_t>(elem_size(values.type)));
    if (out == nullptr) return false;
    switch (elem_size(values.type)) {
      case 1:
        repeat<std::int8_t>(fine, coarse, values.data, strides, goes_up, out);
        break;
      case 4:
        repeat<std::int32_t>(fine, coarse, values.data, strides, goes_up, out);
        break;
      default:
        repeat<std::int64_t>(fine, coarse, values.data, strides, goes_up, out);
    }
    made.push_back({member, out});
    return true;
  };
  for (const Loop::Input& input : loop.inputs) {
    if (!input.is_made() || !is_coarse(input.segmentation, nest)) continue;
    const SegmentDescriptor& coarse = segmentation(input.segmentation);
    const bool is_progression = input.access == Loop::Access::kProgression;
    const void* const strides = is_progression ? call.operands[input.stride].data : nullptr;
    const bool goes_up = input.access != Loop::Access::kSpread;
    if (!repeated(call.operands[input.segments], strides, goes_up, coarse, input.per_segment)) return false;
    if (is_progression && !repeated(call.operands[input.stride], nullptr, false, coarse, input.strides)) return false;
  }
  for (const Loop::Table& table : loop.tables) {
    if (!is_refined(table, nest)) continue;
    const SegmentDescriptor& of_table = descriptor_of(table);
    auto* const starts =
        static_cast<std::int64_t*>(room(2 * fine.segments * static_cast<std::int64_t>(sizeof(std::int64_t))));
    if (starts == nullptr) return false;
    const bool fits = for_each_part(fine, segmentation(table.segmentation), [&](std::int64_t k, std::int64_t c) {
      starts[2 * k] = of_table.start(c);
      starts[2 * k + 1] = of_table.start(c + 1);
    });
    VC_CHECK(fits);
    made.push_back({table.starts, starts});
  }
  return true;
}

bool LoopRun::is_coarse(int number, int nest) const {
  return !is_single(number) && !are_known_to_be_equal(segmentation(number), segmentation(nest));
}

}  // namespace cvl::cpu
