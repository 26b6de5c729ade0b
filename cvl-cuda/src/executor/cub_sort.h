#pragma once

/// Definition of Executor::sort_pairs. Included where it is called.

#include "executor/executor.h"

#if defined(__CUDACC__)

#include <cub/device/device_radix_sort.cuh>

namespace cvl::cuda {

template <class Key, class Value>
void CudaExecutor::sort_pairs(Buffers<Key>& keys, Buffers<Value>& values, std::int64_t n, int bits) {
  cub::DoubleBuffer<Key> key(keys.current, keys.other);
  cub::DoubleBuffer<Value> value(values.current, values.other);
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, key, value, n, 0, bits, stream_);
  });
  traffic_.launches += sort_operations(bits) - 1;
  keys = {key.Current(), key.Alternate()};
  values = {value.Current(), value.Alternate()};
}

}  // namespace cvl::cuda

#endif
