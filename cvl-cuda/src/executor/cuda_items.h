#pragma once

#include <cstdint>

#include "executor/cuda_executor.h"

namespace cvl::cuda {

inline constexpr int kWarps = kThreads / 32;
template <class T>
inline constexpr int kPerThread = sizeof(T) >= 8 ? 8 : 16;
/// Number of items of type T in a tile: at most 16 KiB, in at most 16 registers of each thread.
template <class T>
inline constexpr int kTileOf = kThreads* kPerThread<T>;
inline constexpr int kTile = kTileOf<std::uint32_t>;
inline constexpr unsigned kAllLanes = 0xFFFFFFFF;

template <class T>
inline constexpr int kVector = sizeof(T) >= 16 ? 1 : 16 / int(sizeof(T));
template <class T>
inline constexpr int kRounds = kPerThread<T> / kVector<T>;
/// The items of a tile that one thread holds. Each warp has 32 * kPerThread<T> consecutive items, which it holds in
/// rounds: in a round each lane has kVector<T> consecutive items (16 bytes), so that a warp loads and stores 512
/// consecutive bytes at once.
template <class T>
struct Items {
  static constexpr int kUnrolled = kPerThread<T>;  ///< loops over items are unrolled, as registers have no addresses
  T at[kPerThread<T>];

  __device__ static constexpr int rounds() { return kRounds<T>; }
  __device__ T* round(int j) { return at + j * kVector<T>; }
  __device__ const T* round(int j) const { return at + j * kVector<T>; }
};

template <class T, int n>
struct alignas(sizeof(T) * n) VectorOf {
  T at[n];
};

/// The position in the tile of a thread's first item of a round.
template <class T>
__device__ inline int position_of(int round) {
  return (int(threadIdx.x) / 32 * kPerThread<T> + round * kVector<T>)*32 + int(threadIdx.x) % 32 * kVector<T>;
}

/// Shared memory for the items of a tile.
template <class T>
struct ItemStorage {
  VectorOf<T, kVector<T>> vectors[kRounds<T>][kThreads];
};
/// The first `count` items of a tile, in shared memory: in the order of Items, and with the results of Items, but by
/// loops that are not unrolled. A block that runs once waits for its instructions to be fetched, so that short code is
/// faster. A warp skips the rounds that begin behind its last item.
template <class T>
class StoredItems {
 public:
  static constexpr int kUnrolled = 1;

  __device__ StoredItems(ItemStorage<T>& storage, int count) : storage_(storage) {
    constexpr int kOfWarp = 32 * kPerThread<T>, kOfRound = 32 * kVector<T>;
    const int left = count - int(threadIdx.x) / 32 * kOfWarp;
    rounds_ = left <= 0 ? 0 : left >= kOfWarp ? kRounds<T> : (left + kOfRound - 1) / kOfRound;
  }
  __device__ int rounds() const { return rounds_; }
  __device__ T* round(int j) { return storage_.vectors[j][threadIdx.x].at; }
  __device__ const T* round(int j) const { return storage_.vectors[j][threadIdx.x].at; }

 private:
  ItemStorage<T>& storage_;
  int rounds_;
};

}  // namespace cvl::cuda
