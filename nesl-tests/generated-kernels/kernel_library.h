#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "generated/generated_kernel.h"
#include "kernel_outcome.h"

namespace cvl::conformance {

/// Kernels whose generated texts were compiled together by the compiler of the host. The library stays loaded.
class KernelLibrary {
 public:
  /// Kernel number k is the kernel of cases[k]. `options` are for the compiler. Throws std::runtime_error with the name
  /// of a file that does not compile.
  KernelLibrary(std::span<KernelCase> cases, vcode::Widths widths, const std::string& options);

  /// Runs kernel k on the data of its case. A failure is reported as the number of the FaultKind and the position: "1
  /// at 23".
  KernelOutcome run(std::size_t k) const;

 private:
  std::span<const KernelCase> cases_;
  vcode::Widths widths_;
  std::vector<cuda::GeneratedKernel> kernels_;
  void* library_ = nullptr;
};

/// The text of all these kernels, numbered in order.
std::string text_of(std::span<KernelCase> cases, vcode::Widths widths, std::vector<cuda::GeneratedKernel>& kernels);

}  // namespace cvl::conformance
