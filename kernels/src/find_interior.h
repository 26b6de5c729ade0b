#pragma once

#include <cstddef>
#include <optional>

#include "kernels/loop.h"

namespace kernels {

/// The interior of a loop over `values` values, if there is one. In stencils with `if` at the ends, in sums over
/// neighbours and in recurrences along diagonals, that is all but the first and the last few elements.
std::optional<Loop::Interior> find_interior(const Loop& loop, std::size_t values);

}  // namespace kernels
