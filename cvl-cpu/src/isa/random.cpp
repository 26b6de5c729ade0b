#include "isa.h"

namespace cvl::cpu::CVL_ISA {

void add_random(Kernels&) {}

}  // namespace cvl::cpu::CVL_ISA
