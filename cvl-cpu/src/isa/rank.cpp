#include "isa.h"

namespace cvl::cpu::CVL_ISA {

void add_rank(Kernels&) {}

}  // namespace cvl::cpu::CVL_ISA
