#pragma once

#include "partition.h"

namespace fcode_opt {

/// Chooses greedily: unites the pair of neighbours that saves most, until no union saves anything. O(n^2 log n) for n
/// nodes.
Partition choose_greedily(const BasicBlock& basic_block);

/// Chooses the best partition by an integer linear program in the manner of Reppy and Wingerter, "λcu: an intermediate
/// representation for compiling nested data parallelism" (CPC 2016), with bytes for weights, solved by CBC. Returns
/// `greedy` unless the solver finds a better partition: also if none can be better, if the solver reaches its limit of
/// search nodes, or if there are more than `pairs_left` pairs of operations to decide about. Subtracts the number of
/// pairs decided about from `pairs_left`.
Partition choose_by_ilp(Partition greedy, std::size_t& pairs_left);

/// Recomputes cheap operations in each kernel that needs them, where that costs less than storing and loading their
/// results.
Partition with_copies(Partition partition);

/// Chooses as Bergstrom and Reppy, "Nested data-parallelism on the GPU" (ICFP 2012), section 5.2: trees of elementwise
/// operations, in which each operation but the last is used nowhere else. For basic blocks made with
/// BasicBlockRules::only_elementwise.
Partition choose_trees(const BasicBlock& basic_block);

}  // namespace fcode_opt
