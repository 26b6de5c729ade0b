#include "isa/isa.h"

#define CVL_STRING(x) #x
#define CVL_NAME(x) CVL_STRING(x)

namespace cvl::cpu::CVL_ISA {

/// The kernels compiled for this instruction set.
const Kernels& kernels();

const Kernels& kernels() {
  static const Kernels* table = [] {
    static Kernels filled;
    filled.name = CVL_NAME(CVL_ISA);
    add_arg_reduce(filled);
    add_dist(filled);
    add_elementwise(filled);
    add_functions(filled);
    add_gather(filled);
    add_lengths(filled);
    add_pack(filled);
    add_random(filled);
    add_range(filled);
    add_rank(filled);
    add_reduce(filled);
    add_scan(filled);
    add_scatter(filled);
    add_tile(filled);
    return &filled;
  }();
  return *table;
}

}  // namespace cvl::cpu::CVL_ISA
