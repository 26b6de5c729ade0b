#pragma once

#include <cstddef>

#include "fcode-opt/letform.h"

/// The passes: let-form to let-form, one file each in src/passes, which shows before and after. In which order they run
/// is in src/pipeline/pipelines.cpp.
namespace vcode::letform {

/// How large a function is.
enum class SizeMetric : std::uint8_t {
  kBindings,    ///< all of them count
  kOperations,  ///< all but constants
};
/// Puts functions that are small, or called once, in place of their calls, callees first; never recursive ones.
/// Functions nobody calls any more are removed.
void inline_calls(Program& program, std::size_t size_limit, SizeMetric metric = SizeMetric::kBindings);
/// Versions of functions for constant arguments that decide an IF in them, and for descriptors of one segment that make
/// something scalar; adds at most `growth` bindings. Best after infer_scalars().
void specialize(Program& program, std::size_t growth);
/// Constant folding, copies, algebraic identities, common subexpressions, and bindings nobody uses, to a fixed point;
/// with what the calls of a function have in common (shapes.h). Best after inlining.
void simplify(Program& program);
/// Bindings whose results nobody uses.
void remove_dead_bindings(Program& program);
/// Finds more values that are scalar, across calls.
void infer_scalars(Program& program);
/// Parameters and results that no function needs.
void remove_dead_parameters(Program& program);

/// What both branches of an IF compute, before it; what only one of them uses, in it. See the files.
void hoist_common_bindings(Program& program);
void sink_bindings(Program& program);

}  // namespace vcode::letform
