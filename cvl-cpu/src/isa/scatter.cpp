#include "isa.h"

namespace cvl::cpu::CVL_ISA {

void add_scatter(Kernels&) {}

}  // namespace cvl::cpu::CVL_ISA
