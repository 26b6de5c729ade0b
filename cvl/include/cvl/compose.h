#pragma once

#include <concepts>

#include "cvl/backend.h"

namespace cvl {

// Operations composed of others, for backends without code of their own for them.

/// Scatters into `room`, of which only written elements are read: its cost does not depend on the length of the indexed
/// vector.
void compose(Backend& backend, const Latest& latest);

/// Must not be called: a backend that wants segment heads makes them itself.
void compose(Backend& backend, const MakeSegmentHeads& make_segment_heads);

/// Implements Backend::run() by own(description) for each description that it takes, and composes the other
/// operations. The functions that `own` stands for are the table of the operations that the backend implements itself;
/// one that is neither there nor above does not compile.
template <class Own>
void run_or_compose(Backend& backend, VectorOp op, Own&& own) {
  op.visit([&]<class T>(const T& description) {
    if constexpr (std::invocable<Own&, const T&>)
      own(description);
    else
      compose(backend, description);
  });
}

}  // namespace cvl
