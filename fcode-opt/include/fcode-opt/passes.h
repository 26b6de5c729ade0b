#pragma once

#include <cstddef>

#include "fcode-opt/letform.h"

/// The passes: let-form to let-form, one file each in src/passes, src/motion or src/patterns, which shows before and
/// after. In which order they run is in src/pipeline/pipelines.cpp.
namespace vcode::letform {

/// How large a function is.
enum class SizeMetric : std::uint8_t {
  kBindings,    ///< all of them count
  kOperations,  ///< all but constants
};
/// Inlines functions that are small, or called once, callees first; never recursive ones. Removes functions that are
/// then unreachable.
void inline_calls(Program& program, std::size_t size_limit, SizeMetric metric = SizeMetric::kBindings);
/// Makes versions of functions for constant arguments that decide an IF in them, and for descriptors of one segment
/// that make a value scalar; adds at most `growth` bindings. Best after infer_scalars().
void specialize(Program& program, std::size_t growth);
/// Constant folding, copy propagation, algebraic identities, common subexpressions, and dead code, to a fixed point;
/// uses what all calls of a function have in common (shapes.h). Best after inlining.
void simplify(Program& program);
/// Removes dead code: bindings without effect whose results are unused.
void remove_dead_bindings(Program& program);
/// Finds more values that are scalar, across calls.
void infer_scalars(Program& program);
/// Removes parameters and results that no function needs.
void remove_dead_parameters(Program& program);

/// Joins IFs with one condition. Best after simplify(), before sinking.
void join_ifs(Program& program);
/// Hoists what both branches of an IF compute in front of it; sinks into a branch what only that branch uses.
void hoist_common_bindings(Program& program);
void sink_bindings(Program& program);

/// Makes an ASSERT of each conditional that does nothing in one branch but to say what is wrong and end the program.
void find_checks(Program& program);
/// Finds index vectors whose elements are one behind the other, and moves blocks instead. Best before fusion.
void find_ranges(Program& program);
/// Reads where they are elements that were moved only to be read in another order. Best after find_ranges().
void find_moves(Program& program);
/// Computes for all elements what is computed for those that flags choose, where that is cheaper. Best after
/// find_moves().
void unpack(Program& program);

}  // namespace vcode::letform
