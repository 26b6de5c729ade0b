#include "loops/calls/product_shape.h"

#include <algorithm>
#include <span>

#include "steps/index_space.h"
#include "tuning/kernel_tuning.h"

namespace cvl::cpu {

using kernels::Loop;

namespace {

/// Elements of all segments; 0 if they differ.
std::int64_t common_length(const SegmentDescriptor& segments) {
  if (segments.is_regular()) return segments.regular_length;
  const std::int64_t length = segments.segments > 0 ? segments.offsets[1] - segments.offsets[0] : 0;
  for (std::int64_t k = 1; k < segments.segments; ++k)
    if (segments.offsets[k + 1] - segments.offsets[k] != length) return 0;
  return length;
}

/// Number of equal starts at the beginning, if that many are equal all the way and those of the other slices are the
/// same again and again; or 0.
template <class Int>
std::int64_t period(std::span<const Int> constant, std::span<const Int> periodic) {
  const auto first = std::ranges::find_if(constant, [&](Int start) { return start != constant[0]; });
  const auto n = static_cast<std::size_t>(first - constant.begin());
  if (n < 2 || constant.size() % n != 0) return 0;
  for (std::size_t k = n; k < constant.size(); k += n) {
    const auto starts = constant.subspan(k, n);
    if (!std::ranges::equal(periodic.subspan(k, n), periodic.first(n)) ||
        std::ranges::any_of(starts, [&](Int start) { return start != starts[0]; }))
      return 0;
  }
  return static_cast<std::int64_t>(n);
}

template <class Int>
std::optional<ProductShape> find(const Loop& loop, const KernelCall& call, std::int64_t segments, std::int64_t length) {
  const auto starts_of = [&](vcode::KernelVar v) {
    return std::span(static_cast<const Int*>(call.operands[v].data), static_cast<std::size_t>(segments));
  };
  const std::span<const Int> by_row = starts_of(loop.product->rows), by_column = starts_of(loop.product->columns);
  ProductShape shape{.length = length};
  if (const std::int64_t n = period(by_row, by_column); n > 0)
    shape = {segments / n, n, n, 1, length};
  else if (const std::int64_t m = period(by_column, by_row); m > 0)
    shape = {m, segments / m, 1, m, length};
  if (shape.rows < kProductRows || shape.columns < kProductColumns) return {};
  const auto are_inside = [&](const Loop::Input& input) {
    if (input.access != Loop::Access::kSlice) return true;
    const bool of_row = input.segments == loop.product->rows;
    const std::span<const Int> starts = of_row ? by_row : by_column;
    const std::int64_t most = call.operands[input.table].length - length;
    for (std::int64_t k = 0; k < (of_row ? shape.rows : shape.columns); ++k)
      if (const Int start = starts[static_cast<std::size_t>(k * (of_row ? shape.row_distance : shape.column_distance))];
          start < 0 || start > most)
        return false;
    return true;
  };
  if (!std::ranges::all_of(loop.inputs, are_inside)) return {};
  return shape;
}

}  // namespace

std::optional<ProductShape> find_product_shape(const kernels::LoopPlan& plan, const Loop& loop, const KernelCall& call,
                                               const SegmentDescriptor& segments) {
  if (!loop.product || call.elements < kProductSegment * segments.segments) return {};
  const auto segments_of = [&](const auto& part) -> const SegmentDescriptor& {
    return call.descriptors[plan.segmentations[static_cast<std::size_t>(part.segmentation)]];
  };
  const auto fits = [&](const Loop::Input& input) {
    return input.access == Loop::Access::kSpread ? segments_of(input).is_single()
                                                 : are_known_to_be_equal(segments_of(input), segments);
  };
  if (!std::ranges::all_of(loop.inputs, fits) || !are_known_to_be_equal(segments_of(loop.folds[0]), segments))
    return {};
  const std::int64_t length = common_length(segments);
  if (length == 0) return {};
  return plan.values[loop.product->rows].type == ElemType::kI64
             ? find<std::int64_t>(loop, call, segments.segments, length)
             : find<std::int32_t>(loop, call, segments.segments, length);
}

}  // namespace cvl::cpu
