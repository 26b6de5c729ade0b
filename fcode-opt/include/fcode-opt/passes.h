#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fcode-opt/letform.h"

/// The passes: let-form to let-form, one file each in src/passes, src/motion or src/patterns, whose comment shows code
/// before and after the pass, and the rules of one pass in src/recognize. src/pipeline/pipelines.cpp lists their order.
/// legalize() is in target.h.
namespace vcode::letform {

/// The ways in which a branch is computed for the elements that take it.
enum class Masks : std::uint8_t {
  kNone,   ///< they are packed
  kSteps,  ///< straight-line code under masks, if that is cheap; some steps of a loop before its elements are packed
  kLoops,  ///< the same; and loops of straight-line steps are repeated kernels
};
/// Replaces the conditionals and loops of the NESL compiler that are computed for each element (Binding::kLiftedIf and
/// kSteps). All passes come after it. Appends remarks that say how, and why.
void choose_masks(Program& program, Masks masks, std::vector<std::string>& remarks);

/// Measure of a function's size.
enum class SizeMetric : std::uint8_t {
  kBindings,    ///< all bindings count
  kOperations,  ///< all but constants
};
/// Inlines functions that are small or called once, callees first; never recursive functions. Removes functions that
/// are then unreachable.
void inline_calls(Program& program, std::size_t size_limit, SizeMetric metric = SizeMetric::kBindings);
/// Inlines these functions where branches of lifted conditionals call them. Best before choose_masks().
void inline_in_branches(Program& program, std::size_t size_limit, SizeMetric metric = SizeMetric::kBindings);
/// Clones functions for constant arguments that decide an IF in them, and for descriptors of one segment that make a
/// value scalar; adds at most `growth` bindings. Best after infer_scalars().
void specialize(Program& program, std::size_t growth);
/// Folds constants, propagates copies, applies algebraic identities, merges common subexpressions and removes dead
/// code, to a fixed point. Uses facts that all calls of a function share (shapes.h). Best after inlining.
void simplify(Program& program);
/// Removes dead code: bindings without effect whose results are unused.
void remove_dead_bindings(Program& program);
/// Marks more values as scalar, across calls.
void infer_scalars(Program& program);
/// Removes parameters and results that no function needs.
void remove_dead_parameters(Program& program);

/// Merges IFs that have the same condition. Best after simplify(), before sinking.
void merge_ifs(Program& program);
/// Hoists bindings that both branches of an IF compute.
void hoist_common_bindings(Program& program);
void sink_bindings(Program& program);
/// Packs lengths and starts of sequences in front of a lifted conditional, in the traversal that computes its flags.
/// Best after all other motion.
void hoist_packs(Program& program);

/// Recognizes operations beyond 1995, the expansions of legalize() read backwards: checks in all programs, others in
/// those that were stack code. Best before fusion.
void recognize(Program& program);
/// Reads elements where they are instead of permuting them first. Best after recognize().
void eliminate_permutations(Program& program);
/// Appends three sequences by one operation. Best after eliminate_permutations(), which reads single appends.
void merge_appends(Program& program);
/// Merges the parts of a nested sequence with another sequence instead of slicing and appending them. Best after
/// merge_appends().
void merge_parts(Program& program);
/// Computes costly maps of a sequence once, not for each of its copies. Best after eliminate_permutations().
void hoist_maps(Program& program);
/// Computes branches for all elements under a mask where that is cheaper than packing the elements that take them. Best
/// after eliminate_permutations().
void convert_ifs(Program& program);

}  // namespace vcode::letform
