#pragma once

#include "operation.h"

namespace runtime {

/// APPEND of so many vectors, 2 or 3, which are the first operands; their descriptors and that of the result follow. An
/// append to one segment leaves the longest vector where it is, if nothing else refers to it and its memory has room
/// for the others. Where results are appended to again and again, they get that room: a vector that grows by short ones
/// in a loop, or in front of the result of a recursion, is moved a few times, not once for each of them.
bool run_append(Operation& o, int parts);

}  // namespace runtime
