#pragma once

#include "cvl/backend.h"

namespace cvl {

// Operations composed of others. A backend overloads a function by the types of the descriptions that it has code of
// its own for; its run() composes the others, and does not compile if an operation is neither there nor here.

/// Scatters into `room`, of which only written elements are read: its cost does not depend on the length of the indexed
/// vector.
void compose(Backend& backend, const Latest& latest);

/// Must not be called: a backend that wants segment heads makes them itself.
void compose(Backend& backend, const MakeSegmentHeads& make_segment_heads);

}  // namespace cvl
