#pragma once

#include <functional>

#include "flat_value.h"

namespace nesl {

/// Parameters of a fetch from vectors that share an index space.
struct Fetch {
  Op op;  ///< EXTRACT or BPERMUTE
  Var index;
  Var source, target;                   ///< descriptors; target for BPERMUTE only
  const Location* location = nullptr;   ///< set if the index may be out of range
  Var target_single = letform::kNoVar;  ///< one segment over the fetched entries
};

/// Fetches elements at indices; elements that are sequences become slices.
ValuePtr fetch_lazily(Emitter& emit, const ValuePtr& elements, const Fetch& how);
/// Fetches elements at indices, and copies those that are sequences.
ValuePtr fetch(Emitter& emit, const ValuePtr& elements, const Fetch& how);
/// entries[index[k]] for all k; each descriptor has one segment.
ValuePtr gather(Emitter& emit, const ValuePtr& elements, Var index, Var source_single, Var target_single);
/// The value with copies in place of slices. `instances` returns one segment over the instances of a nesting level.
ValuePtr copied(Emitter& emit, const ValuePtr& value, const std::function<Var(int)>& instances);
/// One segment over the elements of a sequence; kNoVar if the elements have no variables.
Var single_over(Emitter& emit, const FlatValue& elements);

}  // namespace nesl
