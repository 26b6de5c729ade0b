#pragma once

#include <cuda_runtime.h>

#include <string>

#include "cvl/backend.h"

namespace cvl::cuda {

/// Throws BackendLost, naming `doing`, unless the status is success. `doing` is a gerund: "creating a stream".
inline void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  throw BackendLost(std::string("the CUDA device failed while ") + doing + ": " + cudaGetErrorString(status));
}

}  // namespace cvl::cuda
