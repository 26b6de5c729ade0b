#pragma once

#include <string>

#include "executor/current_device.h"
#include "kernels/kernel_compiler.h"
#include "kernels/nvrtc.h"

namespace cvl::cuda {

/// Compiles with NVRTC for the device of the thread that constructs the compiler. An object is a cubin.
class CudaKernelCompiler final : public KernelCompiler {
 public:
  explicit CudaKernelCompiler(DeviceTarget target) : target_(std::move(target)) {}

  std::string name() const override { return "NVRTC for " + target_.architecture; }
  std::string target() const override { return Nvrtc::target(target_); }
  std::string compile(const std::string& text) const override { return nvrtc_.compile(text, target_); }
  std::unique_ptr<KernelCode> load(const std::string& object) const override;

 private:
  const int device_ = current_device();
  const DeviceTarget target_;
  const Nvrtc nvrtc_;
};

}  // namespace cvl::cuda
