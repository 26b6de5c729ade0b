#include "kernels/cuda_kernel_compiler.h"

#include <cuda_runtime.h>

#include <stdexcept>

namespace cvl::cuda {
namespace {

void check_loading(cudaError_t status) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // otherwise the next call would report this error
  throw std::runtime_error(std::string("the code of a kernel cannot be loaded: ") + cudaGetErrorString(status));
}

class Cubin final : public KernelCode {
 public:
  explicit Cubin(const std::string& object) {
    check_loading(cudaLibraryLoadData(&library_, object.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  }
  ~Cubin() override { cudaLibraryUnload(library_); }
  Cubin(const Cubin&) = delete;
  Cubin& operator=(const Cubin&) = delete;

  LaunchedFunction function(const std::string& name) const override {
    cudaKernel_t kernel = nullptr;
    check_loading(cudaLibraryGetKernel(&kernel, library_, name.c_str()));
    return static_cast<LaunchedFunction>(kernel);
  }

 private:
  cudaLibrary_t library_ = nullptr;
};

}  // namespace

std::unique_ptr<KernelCode> CudaKernelCompiler::load(const std::string& object) const {
  const UsingDevice device(device_);
  return std::make_unique<Cubin>(object);
}

}  // namespace cvl::cuda
