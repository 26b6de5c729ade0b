#pragma once

#include <vector>

#include "fcode-opt/letform.h"

/// Effects of bindings.
namespace vcode::letform {

/// Whether a binding has no message of its own for its faults. The NESL compiler gives one to what may fault.
inline bool has_no_message(const Binding& binding) { return binding.site == kNoSite || binding.location_only; }

/// Whether a binding has an effect. `functions`: whether each function has one. Not for IF.
bool has_effect(const Binding& binding, const std::vector<bool>& functions);

/// Whether masks may compute an operation for all elements of a branch: maps, gathers, and operations that pack for a
/// branch or describe its elements. Of the last ones, those that do something else are refused when they are met.
bool is_maskable(Op op);

}  // namespace vcode::letform
