#include "isa.h"

namespace cvl::cpu::CVL_ISA {

void add_gather(Kernels&) {}

}  // namespace cvl::cpu::CVL_ISA
