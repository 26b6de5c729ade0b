#pragma once

#include <string>

#include "kernels/kernel_compiler.h"

namespace cvl::cuda {

/// Compiles with the C++ compiler of the host, for the host executor. An object is a shared library.
class HostKernelCompiler final : public KernelCompiler {
 public:
  /// `command` is the path of the compiler.
  explicit HostKernelCompiler(std::string command) : command_(std::move(command)) {}

  std::string name() const override { return command_; }
  std::string target() const override;
  std::string compile(const std::string& text) const override;
  std::unique_ptr<KernelCode> load(const std::string& object) const override;

 private:
  const std::string command_;
};

}  // namespace cvl::cuda
