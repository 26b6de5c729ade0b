#pragma once

#include "partition.h"

namespace fcode_opt {

/// The bindings of a region with a FUSED binding in place of every set of a partition that is worth one: of several
/// operations, or of one that reads free nodes. The order is that of the program as far as dependences allow.
/// `function` gets names for the values inside of kernels.
std::vector<letform::Binding> rewrite(const Partition& partition, letform::Function& function);

}  // namespace fcode_opt
