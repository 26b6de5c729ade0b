#pragma once

#include <vector>

#include "fcode-opt/letform.h"

/// Effects of bindings.
namespace vcode::letform {

/// Whether a binding has no message of its own for its faults. The NESL compiler gives one to what may fault.
inline bool has_no_message(const Binding& binding) { return binding.site == kNoSite || binding.location_only; }

/// Whether a binding has an effect. `functions`: whether each function has one. Not for IF.
bool has_effect(const Binding& binding, const std::vector<bool>& functions);

}  // namespace vcode::letform
