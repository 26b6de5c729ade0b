#pragma once

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// Whether a function, which has pieces, makes sequences for its instances that are longer than what it takes and
/// returns, as those over which each element of an apply-to-each looks at all of another sequence: a call in pieces
/// takes less memory then, while operations before and after it are no shorter if they are in kernels of the function.
/// Not certain: the lengths of such sequences are neither constants of less than some tens, nor lengths that
/// descriptors have, nor sums, counts or selections of these; and they are not what a result is made of.
bool outgrows_operands(const Program& program, const Function& function);

}  // namespace vcode::letform
