#pragma once

#include "partition.h"

namespace fcode_opt {

/// Unites the neighbours that save most, again and again, until none saves anything. O(n^2 log n) for n nodes.
Partition choose_greedily(const Region& region);

/// The best partition: an integer linear program in the manner of Reppy and Wingerter, "λcu: an intermediate
/// representation for compiling nested data parallelism" (CPC 2016), with bytes for weights, solved by CBC. `greedy` is
/// what it must beat; it is the answer, too, if nothing could be better, if the solver runs out of its time, or if
/// there are more than `pairs_left` pairs of operations to decide about. The pairs decided about are taken off that
/// number.
Partition choose_by_ilp(Partition greedy, std::size_t& pairs_left);

/// With cheap operations computed again in each of the kernels that need them, where that costs less than storing their
/// results and loading them.
Partition with_copies(Partition partition);

/// The fusion of Bergstrom and Reppy, "Nested data-parallelism on the GPU" (ICFP 2012), section 5.2: trees of
/// elementwise operations, each operation but the last used nowhere else. For regions made with
/// RegionRules::only_elementwise.
Partition choose_trees(const Region& region);

}  // namespace fcode_opt
