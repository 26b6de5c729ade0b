#pragma once

#include "random_program.h"
#include "vcode/letform.h"

namespace property {

/// The same program in let-form. Pairs are taken apart. Here and there values go a roundabout way: through functions
/// and branches that return them, gathers that change nothing, descriptors made again. Here and there values are
/// written to standard error, so that effects must stay, and in order; some bindings get sites with nests that mean
/// nothing. `style` seeds that.
vcode::letform::Program to_letform(const RandomProgram& program, std::uint64_t style);

}  // namespace property
