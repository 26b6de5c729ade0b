#pragma once

#include "subjects.h"

namespace cvl::conformance {

/// Segment lengths, from which a backend derives a descriptor: valid and faulty ones.
void segdes_calls(const vcode::OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng,
                  const CallSink& sink);
void bad_segdes(const vcode::OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng,
                const CallSink& sink);

}  // namespace cvl::conformance
