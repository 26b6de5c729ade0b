#pragma once

#include <vector>

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// Marks those results of an operation as scalar that are, given which operands are: lengths that have one letter in
/// its signature are equal.
void note_scalar_results(const Binding& operation, std::vector<ValueInfo>& values);

}  // namespace vcode::letform
