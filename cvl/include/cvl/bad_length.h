#pragma once

#include "cvl/backend.h"

namespace cvl {

/// The fault of a vector of segment lengths that the host can read, at the first length that is negative
/// (kNegativeLength) or makes the running sum overflow (kLengthOverflow); kNone if there is none.
Fault find_bad_length(const Operand& lengths);

}  // namespace cvl
