#pragma once

#include <string>
#include <vector>

namespace cvl::cuda {

/// What kernels are compiled for.
struct DeviceTarget {
  std::string architecture;  ///< as "sm_90"
  bool contracts = false;    ///< whether a * b + c may be rounded once, which is faster and gives other last digits
};

/// NVIDIA's compiler of CUDA C++ at run time: a library that is opened when the first text is compiled, and stays open.
/// Needs no device, and nothing of CUDA to be built.
class Nvrtc {
 public:
  /// Where the library is looked for, in order.
  static std::vector<std::string> usual_places() { return {"libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13"}; }
  explicit Nvrtc(std::vector<std::string> places = usual_places()) : places_(std::move(places)) {}

  /// What cubins depend on besides the text: see KernelCompiler::target().
  static std::string target(const DeviceTarget& target);
  /// The cubin of a text that generated/generated_kernel.h makes. Any thread may call it. Throws std::runtime_error
  /// with what is missing, or CompileError with the first thing that is wrong with the text.
  std::string compile(const std::string& text, const DeviceTarget& target) const;
  /// What ptxas tells of the functions of a text: registers, shared memory, spills. Throws as compile().
  std::string resources(const std::string& text, const DeviceTarget& target) const;
  /// As "13.0". Throws std::runtime_error if there is none.
  std::string version() const;

 private:
  const std::vector<std::string> places_;
};

}  // namespace cvl::cuda
