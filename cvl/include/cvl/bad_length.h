#pragma once

#include "cvl/backend.h"

namespace cvl {

/// What is wrong with a vector of segment lengths that the host can read: the first that is negative, or with which the
/// sum of those up to it overflows, as a kNegativeLength or kLengthOverflow. kNone if all are right.
Fault find_bad_length(const Operand& lengths);

}  // namespace cvl
