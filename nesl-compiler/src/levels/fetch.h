#pragma once

#include "flat_value.h"

namespace nesl {

/// Parameters of a fetch from vectors that share an index space.
struct Fetch {
  Op op;  ///< EXTRACT or BPERMUTE
  Var index;
  Var source, target;                  ///< descriptors; target for BPERMUTE only
  const Location* location = nullptr;  ///< set if the index may be out of range
};

/// Fetches elements at indices; elements that are sequences become slices.
ValuePtr fetch_lazily(Emitter& emit, const ValuePtr& elements, const Fetch& how);
/// Fetches elements at indices, and copies those that are sequences.
ValuePtr fetch(Emitter& emit, const ValuePtr& elements, const Fetch& how);
/// Copies of consecutive elements: those of segment k begin at starts[k]. Elements that are sequences become slices.
ValuePtr slices_lazily(Emitter& emit, const ValuePtr& elements, Var starts, Var segments);
/// The same, with copies of elements that are sequences.
ValuePtr slices(Emitter& emit, const ValuePtr& elements, Var starts, Var segments);
/// The value with copies in place of slices.
ValuePtr copied(Emitter& emit, const ValuePtr& value);
/// One segment over the elements of a sequence; kNoVar if the elements have no variables.
Var single_over(Emitter& emit, const FlatValue& elements);

}  // namespace nesl
