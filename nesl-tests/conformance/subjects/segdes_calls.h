#pragma once

#include "subjects.h"

namespace cvl::conformance {

/// Lengths of segments, from which a backend derives a descriptor: as they may be, and with something wrong.
void segdes_calls(const vcode::OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng,
                  const CallSink& sink);
void bad_segdes(const vcode::OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng,
                const CallSink& sink);

}  // namespace cvl::conformance
