#pragma once

#include <string>

#include "kernels/kernel_compiler.h"
#include "kernels/nvrtc.h"

namespace cvl::cuda {

/// NVRTC, for the device that is current: an object is a cubin.
class CudaKernelCompiler final : public KernelCompiler {
 public:
  /// For a device of this architecture, as "sm_90".
  explicit CudaKernelCompiler(std::string architecture) : architecture_(std::move(architecture)) {}

  std::string name() const override { return "NVRTC for " + architecture_; }
  std::string target() const override { return Nvrtc::target(architecture_); }
  std::string compile(const std::string& text) const override { return nvrtc_.compile(text, architecture_); }
  std::unique_ptr<KernelCode> load(const std::string& object) const override;

 private:
  const std::string architecture_;
  const Nvrtc nvrtc_;
};

}  // namespace cvl::cuda
