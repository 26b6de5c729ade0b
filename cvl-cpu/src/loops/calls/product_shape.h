#pragma once

#include <cstdint>
#include <optional>

#include "cvl/backend.h"
#include "kernels/loop_plan.h"

namespace cvl::cpu {

/// The segments of a call as pairs of a row x and a column y (kernels::Loop::Product).
struct ProductShape {
  std::int64_t rows = 0, columns = 0;
  std::int64_t row_distance = 0, column_distance = 0;  ///< in segments
  std::int64_t length = 0;                             ///< elements of a segment
};

/// The shape of a call over `segments` of a loop that may be a product, if its segments are pairs of enough rows and
/// columns, and all slices are within their tables. O(segments); nothing is read of segments that are short.
std::optional<ProductShape> find_product_shape(const kernels::LoopPlan& plan, const kernels::Loop& loop,
                                               const KernelCall& call, const SegmentDescriptor& segments);

}  // namespace cvl::cpu
