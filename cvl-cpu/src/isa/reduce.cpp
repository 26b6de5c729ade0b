#include "isa.h"

namespace cvl::cpu::CVL_ISA {

void add_reduce(Kernels&) {}

}  // namespace cvl::cpu::CVL_ISA
