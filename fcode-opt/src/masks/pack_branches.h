#pragma once

#include <vector>

#include "fcode-opt/letform.h"
#include "passes/constant_pool.h"

namespace vcode::letform {

/// Replaces a kLiftedIf by code, appended to `to`, that packs the elements of each branch and runs a branch only if an
/// element takes it:
///   before:  d = LIFTED IF f g u s t m   THEN block of a   ELSE block of b
///   after:   a = IF s THEN block of a ELSE []   b = IF t THEN block of b ELSE []
///            d = IF m THEN MERGE f a b ELSE (IF s THEN a ELSE b)
/// A branch whose results are known for all elements is not packed: the results of the other one are written over them.
void pack_branches(Function& function, ConstantPool& pool, Binding choice, std::vector<Binding>& to);

}  // namespace vcode::letform
