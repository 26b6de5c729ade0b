#include "isa.h"

namespace cvl::cpu::CVL_ISA {

void add_pack(Kernels&) {}

}  // namespace cvl::cpu::CVL_ISA
