#include "isa.h"

namespace cvl::cpu::CVL_ISA {

void add_scan(Kernels&) {}

}  // namespace cvl::cpu::CVL_ISA
