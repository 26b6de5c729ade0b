#pragma once

#include "fcode-opt/letform.h"
#include "random_data.h"

namespace property {

/// Adds to random bindings of a program features that random stack code lacks: sites with nests, and instructions that
/// write the number of elements of a value to standard error.
void decorate(vcode::letform::Program& program, cvl::conformance::Rng& rng);

}  // namespace property
