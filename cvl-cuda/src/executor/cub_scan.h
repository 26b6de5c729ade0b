#pragma once

/// To be included where Executor::scan is called.

#include "executor/executor.h"

#if defined(__CUDACC__)

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

namespace cvl::cuda {

template <class T, class Combine, class Load, class Store>
void CudaExecutor::scan(std::int64_t n, T neutral, Combine combine, Load load, Store store) {
  const auto in = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), load);
  const auto out = thrust::make_tabulate_output_iterator(store);
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveScan(storage, bytes, in, out, combine, neutral, n, stream_);
  });
}

}  // namespace cvl::cuda

#endif
