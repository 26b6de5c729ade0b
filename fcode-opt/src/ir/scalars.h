#pragma once

#include <vector>

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// Marks the results of an operation that are scalar because operands are: lengths with the same letter in its
/// signature are equal.
void note_scalar_results(const Binding& operation, std::vector<ValueInfo>& values);

}  // namespace vcode::letform
