#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace cvl::cuda {

/// To be called first by every kernel, in all threads: what the launches before stored is seen from here on. Where a
/// kernel may begin early (see Launcher), it waits here until they have ended; then the next one may begin early, as
/// soon as all blocks of this one run. It then occupies what these leave free, and waits in turn. As it waits here for
/// the end of this kernel, which has itself waited, it waits for all before it.
__device__ inline void follow_earlier_launches() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// The only form of a kernel, so that none leaves out to wait for those before it. The parameter is not copied to
/// memory of each thread, even if its address is taken.
template <int threads, int resident, class Body>
__global__ void __launch_bounds__(threads, resident) kernel(const __grid_constant__ Body body) {
  follow_earlier_launches();
  body();
}

/// Launches kernels on a stream, in order. From compute capability 9.0 on, a kernel may begin before the one issued
/// before it has ended (programmatic dependent launch): its blocks are on the multiprocessors by the time they may go
/// on.
class Launcher {
 public:
  Launcher(cudaStream_t stream, bool begins_early) : stream_(stream), begins_early_(begins_early) {}

  /// body() in each thread of the blocks. Of these, `resident` are to fit on a multiprocessor.
  template <int threads, int resident, class Body>
  cudaError_t launch(std::int64_t blocks, const Body& body) const {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(threads);
    config.stream = stream_;
    config.attrs = &early;
    config.numAttrs = begins_early_ ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel<threads, resident, Body>, body);
  }

  /// The kernel that launch() launches.
  template <int threads, int resident, class Body>
  static const void* function() {
    return reinterpret_cast<const void*>(kernel<threads, resident, Body>);
  }

 private:
  cudaStream_t stream_;
  bool begins_early_;
};

}  // namespace cvl::cuda
