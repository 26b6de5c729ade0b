#pragma once

#include <cstdlib>
#include <memory>
#include <string_view>

#include "device_backend.h"
#include "kernels/host_kernel_compiler.h"

namespace cvl::conformance {

/// Lets a backend on the host compile kernels by the compiler of the host, unless `native` is empty or "off": each
/// takes half a second. The variable NESL_TEST_KERNEL_COMPILER names another compiler, which may fail.
inline void compile_kernels_on_host(cuda::DeviceBackend& backend, const BackendOptions& options) {
  const std::string_view native = options.native;
  if (native.empty() || native == "off") return;
  const char* const compiler = std::getenv("NESL_TEST_KERNEL_COMPILER");
  backend.compile_kernels(std::make_unique<cuda::KernelStore>(
      std::make_unique<cuda::HostKernelCompiler>(compiler != nullptr ? compiler : NESL_CXX),
      ObjectCache(options.kernel_cache),
      native == "always" ? cuda::Compiling::kBeforeItRuns : cuda::Compiling::kBesideTheRun));
}

}  // namespace cvl::conformance
