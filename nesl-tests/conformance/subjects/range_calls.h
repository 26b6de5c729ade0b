#pragma once

#include "subjects.h"

namespace cvl::conformance {

// Data for the operations that move ranges: SLICE, APPEND, APPEND3, MERGE and MERGE_SEGS.

void slice_calls(const vcode::OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng,
                 const CallSink& sink);
/// Slices with indices outside of the vector.
void bad_slices(const vcode::OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng,
                const CallSink& sink);
void append_calls(const vcode::OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng,
                  const CallSink& sink);
/// Segments that do not fit into those of the result.
void bad_appends(const vcode::OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng,
                 const CallSink& sink);
void merge_calls(const vcode::OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng,
                 const CallSink& sink);
/// Segments that do not fit, or too many or too few true flags.
void bad_merges(const vcode::OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng,
                const CallSink& sink);

}  // namespace cvl::conformance
