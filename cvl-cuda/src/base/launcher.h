#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace cvl::cuda {

/// Waits until all earlier launches have ended, so that their stores are visible. Every kernel calls this first, in all
/// threads. On devices that begin kernels early (see Launcher), the next kernel may begin as soon as all blocks of this
/// kernel run; it occupies the resources that these blocks leave free, and waits here in turn. Because this kernel has
/// itself waited for its predecessor, waiting for this kernel is waiting for all earlier ones.
__device__ inline void follow_earlier_launches() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// The only __global__ function of the library, so that none of its kernels omits follow_earlier_launches(); generated
/// kernels call one of their own. __grid_constant__ keeps the parameter out of each thread's local memory, even if its
/// address is taken.
template <int threads, int resident, class Body>
__global__ void __launch_bounds__(threads, resident) kernel(const __grid_constant__ Body body) {
  follow_earlier_launches();
  body();
}

/// Launches kernels on a stream, in order. From compute capability 9.0 on, a kernel may begin before its predecessor
/// has ended (programmatic dependent launch): its blocks are already on the multiprocessors when the predecessor ends.
class Launcher {
 public:
  Launcher(cudaStream_t stream, bool begins_early) : stream_(stream), begins_early_(begins_early) {}

  /// Launches body() in each thread of the blocks. The registers of a thread are limited so that `resident` blocks fit
  /// on a multiprocessor.
  template <int threads, int resident, class Body>
  cudaError_t launch(std::int64_t blocks, const Body& body) const {
    return launch(function<threads, resident, Body>(), blocks, threads, &body);
  }
  /// Launches a kernel with one parameter. It must call follow_earlier_launches() first.
  cudaError_t launch(const void* kernel, std::int64_t blocks, int threads, const void* parameter) const {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.stream = stream_;
    config.attrs = &early;
    config.numAttrs = begins_early_ ? 1 : 0;
    void* only = const_cast<void*>(parameter);
    return cudaLaunchKernelExC(&config, kernel, &only);
  }

  /// Address of the kernel that launch() launches for these template arguments.
  template <int threads, int resident, class Body>
  static const void* function() {
    return reinterpret_cast<const void*>(kernel<threads, resident, Body>);
  }

 private:
  cudaStream_t stream_;
  bool begins_early_;
};

}  // namespace cvl::cuda
