#include "cvl/loader.h"
#include "generated/generated_kernel.h"

// The library that vinterp loads to print kernels as CUDA source.

extern "C" {

__attribute__((visibility("default"))) int cvl_backend_abi() { return cvl::kBackendAbi; }

__attribute__((visibility("default"))) std::string cvl_kernel_text(const vcode::Program& program,
                                                                   vcode::Widths widths) {
  return cvl::cuda::generate_program(program, widths);
}

}  // extern "C"
