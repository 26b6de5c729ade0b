#pragma once

#include "partition.h"

namespace fcode_opt {

/// Bindings of a basic block with a FUSED binding in place of every set that is worth a kernel: a set of several
/// operations, or of one operation that reads free nodes. Keeps the order of the program as far as dependences allow.
/// `function` gets names for the values inside of kernels.
std::vector<letform::Binding> rewrite(const Partition& partition, letform::Function& function);

}  // namespace fcode_opt
