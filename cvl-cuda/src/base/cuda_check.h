#pragma once

#include <cuda_runtime.h>

#include <string>

#include "cvl/backend.h"

namespace cvl::cuda {

/// Throws BackendLost for anything but success: what cannot happen with a device that works.
inline void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  throw BackendLost(std::string("the CUDA device failed while ") + doing + ": " + cudaGetErrorString(status));
}

}  // namespace cvl::cuda
