#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <string>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/util_ptx.cuh>
#include <cuda/atomic>

#include "cuda_check.h"
#include "cuda_memory.h"
#include "faults.h"
#include "mailbox.h"
#include "scratch.h"
#include "traffic.h"

namespace cvl::cuda {

inline constexpr int kThreads = 256;
inline constexpr int kTile = 2048;
inline constexpr int kPerThread = kTile / kThreads;

/// The items of a tile that a thread holds: kPerThread that follow one upon the other.
template <class T>
struct Items {
  T at[kPerThread];
};

/// What the threads of a block exchange items of type T through.
template <class T>
union TileStorage {
  typename cub::BlockExchange<T, kThreads, kPerThread>::TempStorage exchange;
  typename cub::BlockScan<T, kThreads>::TempStorage scan;
};
template <class T>
union FoldStorage {
  typename cub::BlockReduce<T, kThreads>::TempStorage reduce;
};

/// Values that blocks tell each other, and for each a word that says whether it is there: see executor.h.
template <class T>
struct Published {
  T* values;
  std::uint32_t* known;  ///< zero at first

  __device__ void put(std::int64_t k, const T& value) const {
    values[k] = value;
    flag(k).store(1, ::cuda::memory_order_release);
  }
  template <class Combine>
  __device__ T fold(std::int64_t first, int count, T neutral, Combine combine) const {
    const int lane = int(threadIdx.x) % 32;
    T sum = lane < count ? get(first + lane) : neutral;
    __syncwarp();
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const T behind = cub::ShuffleDown<32>(sum, step, 31, 0xFFFFFFFFu);
      if (lane + step < 32) sum = combine(sum, behind);
    }
    return sum;
  }

 private:
  __device__ T get(std::int64_t k) const {
    while (flag(k).load(::cuda::memory_order_acquire) == 0) __nanosleep(50);
    return values[k];
  }
  using Flag = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;
  __device__ Flag flag(std::int64_t k) const { return Flag(known[k]); }
};

/// A block of kThreads threads: see executor.h.
class Block {
 public:
  __device__ Block(std::int64_t index, void* storage) : index_(index), storage_(storage) {}

  __device__ std::int64_t index() const { return index_; }
  __device__ bool leads() const { return threadIdx.x == 0; }

  template <class F>
  __device__ void for_each(std::int64_t n, F f) const {
    for (std::int64_t e = threadIdx.x; e < n; e += kThreads) f(e);
    __syncthreads();
  }

  // Memory is touched in stripes, so that neighbours touch neighbours; then items change threads.

  template <class T, class F>
  __device__ void load(Items<T>& items, std::int64_t begin, int count, T filler, F f) const {
#pragma unroll
    for (int j = 0; j < kPerThread; ++j) {
      const int k = j * kThreads + int(threadIdx.x);
      items.at[j] = k < count ? T(f(begin + k)) : filler;
    }
    __syncthreads();
    cub::BlockExchange<T, kThreads, kPerThread>(storage<T>().exchange).StripedToBlocked(items.at);
  }
  template <class T, class F>
  __device__ void store(const Items<T>& items, std::int64_t begin, int count, F f) const {
    Items<T> striped = items;
    __syncthreads();
    cub::BlockExchange<T, kThreads, kPerThread>(storage<T>().exchange).BlockedToStriped(striped.at);
#pragma unroll
    for (int j = 0; j < kPerThread; ++j) {
      const int k = j * kThreads + int(threadIdx.x);
      if (k < count) f(begin + k, striped.at[j]);
    }
    __syncthreads();
  }
  template <class T, class Combine>
  __device__ T scan(Items<T>& items, T sum, Combine combine) const {
    T all;
    __syncthreads();
    cub::BlockScan<T, kThreads>(storage<T>().scan).ExclusiveScan(items.at, items.at, sum, combine, all);
    return combine(sum, all);
  }
  template <class T, class Combine, class Before>
  __device__ void scan_after(Items<T>& items, Combine combine, Before before) const {
    __syncthreads();
    cub::BlockScan<T, kThreads>(storage<T>().scan).ExclusiveScan(items.at, items.at, combine, before);
  }
  template <class T, class Combine>
  __device__ T scan_inclusive(Items<T>& items, Combine combine) const {
    T all;
    __syncthreads();
    cub::BlockScan<T, kThreads>(storage<T>().scan).InclusiveScan(items.at, items.at, combine, all);
    return all;
  }
  template <class T, class F, class Combine>
  __device__ T fold(std::int64_t begin, std::int64_t end, T neutral, F f, Combine combine) const {
    T sum = neutral;
#pragma unroll 4
    for (std::int64_t e = begin + threadIdx.x; e < end; e += kThreads) sum = combine(sum, f(e));
    __syncthreads();
    return cub::BlockReduce<T, kThreads>(static_cast<FoldStorage<T>*>(storage_)->reduce).Reduce(sum, combine);
  }

 private:
  template <class T>
  __device__ TileStorage<T>& storage() const {
    return *static_cast<TileStorage<T>*>(storage_);
  }

  std::int64_t index_;
  void* storage_;
};

/// Elements that a thread has under way at a time, so that memory is kept busy.
template <class R>
inline constexpr int kBatch = sizeof(R) >= 8   ? 2
                              : sizeof(R) >= 2 ? 4
                                               : 8;

template <class R, class Value, class Store>
__global__ void __launch_bounds__(kThreads) map_kernel(std::int64_t n, Value value, Store store) {
  constexpr std::int64_t kSpan = std::int64_t{kThreads} * kBatch<R>;
  for (std::int64_t begin = blockIdx.x * kSpan; begin < n; begin += gridDim.x * kSpan) {
    R results[kBatch<R>];
#pragma unroll
    for (int j = 0; j < kBatch<R>; ++j) {
      const std::int64_t e = begin + j * kThreads + threadIdx.x;
      if (e < n) results[j] = value(e);
    }
#pragma unroll
    for (int j = 0; j < kBatch<R>; ++j) {
      const std::int64_t e = begin + j * kThreads + threadIdx.x;
      if (e < n) store(e, results[j]);
    }
  }
}

template <class F>
__global__ void __launch_bounds__(kThreads) for_each_kernel(std::int64_t n, F f) {
  const std::int64_t step = std::int64_t(gridDim.x) * kThreads;
#pragma unroll 4
  for (std::int64_t e = std::int64_t(blockIdx.x) * kThreads + threadIdx.x; e < n; e += step) f(e);
}

template <class Storage, class Program>
__global__ void __launch_bounds__(kThreads) block_kernel(std::int64_t n, Program program) {
  __shared__ Storage storage;
  for (std::int64_t k = blockIdx.x; k < n; k += gridDim.x) {
    Block block(k, &storage);
    program(block);
    __syncthreads();
  }
}

/// Blocks take their numbers in the order in which they begin.
template <class Storage, class Program>
__global__ void __launch_bounds__(kThreads) ordered_kernel(std::uint32_t* begun, Program program) {
  __shared__ Storage storage;
  __shared__ std::uint32_t index;
  if (threadIdx.x == 0) index = atomicAdd(begun, 1u);
  __syncthreads();
  Block block(index, &storage);
  program(block);
}

/// Launches everything on one stream of one device: see executor.h. Throws BackendLost if the device fails.
class CudaExecutor {
 public:
  /// On the device that is current; a limit of 0 is what the device has free.
  explicit CudaExecutor(std::size_t memory_limit);
  ~CudaExecutor();
  CudaExecutor(const CudaExecutor&) = delete;
  CudaExecutor& operator=(const CudaExecutor&) = delete;

  std::string description() const;
  Pool& pool() { return pool_; }
  const Pool& pool() const { return pool_; }
  const Traffic& traffic() const { return traffic_; }
  void upload(void* device, const void* host, std::size_t bytes);
  void download(void* host, const void* device, std::size_t bytes);
  void download(const Piece* pieces, int n);
  void copy(void* to, const void* from, std::size_t bytes);
  void fill_zero(void* data, std::size_t bytes);
  void wait();

  Faults faults(std::uint32_t site) { return {record_, known_.device(), site}; }
  bool has_fault() const { return *known_.host() != 0; }
  FaultRecord take_fault();

  template <class F>
  void for_each(std::int64_t n, F f) {
    if (n == 0) return;
    for_each_kernel<<<blocks_over(n, kThreads), kThreads, 0, stream_>>>(n, f);
    launched();
  }
  template <class R, class Value, class Store>
  void map(std::int64_t n, Value value, Store store) {
    if (n == 0) return;
    map_kernel<R><<<blocks_over(n, kThreads * kBatch<R>), kThreads, 0, stream_>>>(n, value, store);
    launched();
  }
  template <class T, class Program>
  void tiles(std::int64_t n, Program program) {
    launch_blocks<TileStorage<T>>(n, program);
  }
  template <class T, class Program>
  void folds(std::int64_t n, Program program) {
    launch_blocks<FoldStorage<T>>(n, program);
  }
  template <class T, class Program>
  void tiles_in_order(std::int64_t n, std::uint32_t* begun, Program program) {
    ordered_kernel<TileStorage<T>><<<static_cast<unsigned>(n), kThreads, 0, stream_>>>(begun, program);
    launched();
  }

  template <class T, class Combine, class Load, class Store>
  void scan(std::int64_t n, T neutral, Combine combine, Load load, Store store) {
    const auto in = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), load);
    const auto out = thrust::make_tabulate_output_iterator(store);
    with_storage([&](void* storage, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveScan(storage, bytes, in, out, combine, neutral, n, stream_);
    });
  }

  template <class Key, class Value>
  void sort_pairs(Buffers<Key>& keys, Buffers<Value>& values, std::int64_t n, int bits) {
    cub::DoubleBuffer<Key> key(keys.current, keys.other);
    cub::DoubleBuffer<Value> value(values.current, values.other);
    with_storage([&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(storage, bytes, key, value, n, 0, bits, stream_);
    });
    keys = {key.Current(), key.Alternate()};
    values = {value.Current(), value.Alternate()};
  }

 private:
  template <class Storage, class Program>
  void launch_blocks(std::int64_t n, Program program) {
    if (n == 0) return;
    constexpr std::int64_t kMost = 0x7FFFFFFF;
    block_kernel<Storage><<<static_cast<unsigned>(n < kMost ? n : kMost), kThreads, 0, stream_>>>(n, program);
    launched();
  }
  /// A device-wide operation of CUB, which first says how much memory it works with.
  template <class F>
  void with_storage(F operation) {
    std::size_t bytes = 0;
    check(operation(nullptr, bytes), "asking CUB for the size of its storage");
    Scratch<char> storage(pool_, static_cast<std::int64_t>(bytes));
    check(operation(storage.data(), bytes), "launching an operation of CUB");
    ++traffic_.launches;
  }
  void launched() {
    ++traffic_.launches;
    check(cudaGetLastError(), "launching a kernel");
  }
  unsigned blocks_over(std::int64_t n, std::int64_t per_block) const {
    const std::int64_t blocks = (n + per_block - 1) / per_block;
    return static_cast<unsigned>(blocks < most_blocks_ ? blocks : most_blocks_);
  }

  Stream stream_;
  DeviceMemory memory_;
  Pool pool_;
  Mapped<std::uint32_t> known_;
  FaultRecord* record_ = nullptr;
  Mailbox mailbox_;
  Staging staging_;
  Traffic traffic_;
  std::int64_t most_blocks_ = 0;
};

__device__ inline std::uint32_t atomic_max(std::uint32_t* at, std::uint32_t value) { return atomicMax(at, value); }
__device__ inline std::uint32_t atomic_min(std::uint32_t* at, std::uint32_t value) { return atomicMin(at, value); }
__device__ inline std::uint32_t atomic_or(std::uint32_t* at, std::uint32_t value) { return atomicOr(at, value); }
__device__ inline std::uint64_t atomic_max(std::uint64_t* at, std::uint64_t value) {
  return atomicMax(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
}
__device__ inline std::uint64_t atomic_min(std::uint64_t* at, std::uint64_t value) {
  return atomicMin(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
}

}  // namespace cvl::cuda
