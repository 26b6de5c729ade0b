#pragma once

#include <cub/block/block_exchange.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/util_ptx.cuh>
#include <cuda/atomic>

#include "executor/cuda_executor.h"
#include "vcode/check.h"

namespace cvl::cuda {

inline constexpr int kTile = 2048;
inline constexpr int kPerThread = kTile / kThreads;

/// The items of a tile that a thread holds: kPerThread consecutive ones.
template <class T>
struct Items {
  T at[kPerThread];
};

/// Shared memory through which the threads of a block exchange items of type T.
template <class T>
union TileStorage {
  typename cub::BlockExchange<T, kThreads, kPerThread>::TempStorage exchange;
  typename cub::BlockScan<T, kThreads>::TempStorage scan;
};
template <class T>
union FoldStorage {
  typename cub::BlockReduce<T, kThreads>::TempStorage reduce;
};

/// Values that blocks publish for each other, and for each a word that says whether it is there: see executor.h.
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

  // Global memory is accessed in CUB's striped arrangement, so that accesses coalesce; through shared memory items
  // change to the blocked arrangement, which scans need, and back.

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

template <class Storage, class Program>
__global__ void __launch_bounds__(kThreads) block_kernel(std::int64_t n, Program program) {
  __shared__ Storage storage;
  for (std::int64_t k = blockIdx.x; k < n; k += gridDim.x) {
    Block block(k, &storage);
    program(block);
    __syncthreads();
  }
}

/// Blocks take their numbers in the order in which they begin; `begun` is null if there is only one block.
template <class Storage, class Program>
__global__ void __launch_bounds__(kThreads) ordered_kernel(std::uint32_t* begun, Program program) {
  __shared__ Storage storage;
  __shared__ std::uint32_t index;
  if (threadIdx.x == 0) index = begun == nullptr ? 0 : atomicAdd(begun, 1u);
  __syncthreads();
  Block block(index, &storage);
  program(block);
}

template <class Storage, class Program>
void CudaExecutor::launch_blocks(std::int64_t n, Program program) {
  if (n == 0) return;
  constexpr std::int64_t kMost = 0x7FFFFFFF;
  launch([&] {
    block_kernel<Storage><<<static_cast<unsigned>(n < kMost ? n : kMost), kThreads, 0, stream_>>>(n, program);
    return cudaGetLastError();
  });
}

template <class T, class Program>
void CudaExecutor::tiles(std::int64_t n, Program program) {
  launch_blocks<TileStorage<T>>(n, program);
}

template <class T, class Program>
void CudaExecutor::folds(std::int64_t n, Program program) {
  launch_blocks<FoldStorage<T>>(n, program);
}

template <class T, class Program>
void CudaExecutor::tiles_in_order(std::int64_t n, std::uint32_t* begun, Program program) {
  VC_CHECK(0 < n && n <= 0x7FFFFFFF && (begun != nullptr || n == 1));
  launch([&] {
    ordered_kernel<TileStorage<T>><<<static_cast<unsigned>(n), kThreads, 0, stream_>>>(begun, program);
    return cudaGetLastError();
  });
}

}  // namespace cvl::cuda
