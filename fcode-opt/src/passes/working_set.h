#pragma once

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// Whether a function with pieces makes sequences that are longer than its operands and results, as the body of
/// {sum({f(x, y) : y in ys}) : x in xs} does. Such a function takes less memory in pieces, and fusing it with its
/// caller would save little, since only short sequences pass between them. An estimate: a sequence counts if its
/// lengths are neither small constants, nor lengths of other sequences, nor sums, counts or selections of these, and if
/// no result consists of it.
bool outgrows_operands(const Program& program, const Function& function);

}  // namespace vcode::letform
