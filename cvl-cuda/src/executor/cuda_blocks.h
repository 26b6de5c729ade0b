#pragma once

#include <cstdint>
#include <cstring>

#include "base/board.h"
#include "base/check.h"
#include "executor/cuda_executor.h"
#include "executor/cuda_items.h"

namespace cvl::cuda {

/// Applies a shuffle of one word, such as __shfl_up_sync, to a value of any type. Called by all lanes.
template <class T, class Move>
__device__ T move_between_lanes(const T& x, Move move) {
  if constexpr (sizeof(T) == 8) {
    unsigned long long bits;
    memcpy(&bits, &x, sizeof bits);
    bits = move(bits);
    T result;
    memcpy(&result, &bits, sizeof bits);
    return result;
  } else {
    constexpr int kWords = (sizeof(T) + 3) / 4;
    std::uint32_t words[kWords] = {};
    memcpy(words, &x, sizeof(T));
#pragma unroll
    for (int w = 0; w < kWords; ++w) words[w] = move(words[w]);
    T result;
    memcpy(&result, words, sizeof(T));
    return result;
  }
}
template <class T>
__device__ T from_lower_lane(const T& x, int distance) {
  return move_between_lanes(x, [=](auto word) { return __shfl_up_sync(kAllLanes, word, distance); });
}
template <class T>
__device__ T from_higher_lane(const T& x, int distance) {
  return move_between_lanes(x, [=](auto word) { return __shfl_down_sync(kAllLanes, word, distance); });
}
template <class T>
__device__ T from_lane(const T& x, int lane) {
  return move_between_lanes(x, [=](auto word) { return __shfl_sync(kAllLanes, word, lane); });
}

/// Shared memory of a block of some threads: the sums of warps, and the sums of all items before each warp.
template <int threads>
struct BlockStorage {
  static constexpr int kBytes = 32;  ///< size of the largest type that is folded
  alignas(16) unsigned char sums[threads / 32 * kBytes];
  alignas(16) unsigned char before[kWarps * 8];
  bool has_head[kWarps];
};

/// A block of some threads: see executor.h. The first kThreads threads hold the items of tiles.
template <int threads>
class BlockOf {
 public:
  __device__ BlockOf(std::uint32_t index, BlockStorage<threads>& storage) : index_(index), storage_(storage) {}

  /// The same threads as the block of another index.
  __device__ BlockOf numbered(std::int64_t index) const { return {static_cast<std::uint32_t>(index), storage_}; }

  __device__ std::int64_t index() const { return index_; }
  __device__ bool leads() const { return threadIdx.x == 0; }

  __device__ void sync() const { __syncthreads(); }
  template <class F>
  __device__ void for_each(std::int64_t n, F f) const {
    if constexpr (threads == kThreads) {
      for (std::int64_t e = threadIdx.x; e < n; e += threads) f(e);
    } else {
#pragma unroll 1  // as for StoredItems
      for (std::int64_t e = threadIdx.x; e < n; e += threads) f(e);
    }
    __syncthreads();
  }
  template <class R, class Value, class Store>
  __device__ void map(int n, Value value, Store store) const {
    const auto nothing = [](int, int) { return 0; };
    (void)map_share<R>(
        n, 0, value, [=](int k, const R& result) { return store(k, result), 0; }, nothing);
    __syncthreads();
  }
  template <class R, class Load, class Use>
  __device__ void load_ahead(int n, Load load, Use use) const {
    constexpr int kAhead = 2;
    R next[kAhead];
#pragma unroll
    for (int j = 0; j < kAhead; ++j)
      if (int(threadIdx.x) + j * threads < n) next[j] = load(int(threadIdx.x) + j * threads);
#pragma unroll 1
    for (int e = int(threadIdx.x); e < n; e += threads) {
      const R now = next[0];
#pragma unroll
      for (int j = 0; j + 1 < kAhead; ++j) next[j] = next[j + 1];
      if (e + kAhead * threads < n) next[kAhead - 1] = load(e + kAhead * threads);
      use(e, now);
    }
    __syncthreads();
  }
  template <class R, class T, class Value, class Store, class Combine>
  __device__ T map_fold(int n, T identity, Value value, Store store, Combine combine) const {
    return fold_threads(map_share<R>(n, identity, value, store, combine), combine);
  }

  template <class S>
  __device__ void prefetch(const S* from, int count) const {
    constexpr int kLine = 128 / sizeof(S);
    for (int k = int(threadIdx.x) * kLine; k < count; k += kThreads * kLine)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(from + k));
  }
  template <class T, class S, class F>
  __device__ void load(Items<T>& items, const S* from, int count, T filler, F convert) const {
    constexpr int kLength = kVector<T>;
    using Vector = VectorOf<S, kLength>;
    const bool is_whole = count == kTileOf<T> && reinterpret_cast<std::uintptr_t>(from) % sizeof(Vector) == 0;
    if (!holds_items()) return;
    if (is_whole) {
#pragma unroll
      for (int j = 0; j < kPerThread<T> / kLength; ++j) {
        const Vector v = *reinterpret_cast<const Vector*>(from + position_of<T>(j));
#pragma unroll
        for (int i = 0; i < kLength; ++i) items.at[j * kLength + i] = convert(v.at[i]);
      }
    } else {
      fill(items, [=](int k) { return k < count ? convert(from[k]) : filler; });
    }
  }
  template <class T, class F>
  __device__ void fill(StoredItems<T>& items, F f) const {
    Items<T> loaded;
    fill(loaded, f);
    if (holds_items())
#pragma unroll
      for (int j = 0; j < kRounds<T>; ++j)
#pragma unroll
        for (int i = 0; i < kVector<T>; ++i) items.round(j)[i] = loaded.round(j)[i];
  }
  template <class T, class F>
  __device__ void fill(Items<T>& items, F f) const {
    if (!holds_items()) return;
#pragma unroll
    for (int i = 0; i < kPerThread<T>; ++i) items.at[i] = f(position_of<T>(i / kVector<T>) + i % kVector<T>);
  }
  template <class T>
  __device__ void store(const StoredItems<T>& items, T* to, int count) const {
    for_items(items, [=](int k, const T& item) {
      if (k < count) to[k] = item;
    });
  }
  template <class T>
  __device__ void store(const Items<T>& items, T* to, int count) const {
    static_assert(threads == kThreads);
    constexpr int kLength = kVector<T>;
    using Vector = VectorOf<T, kLength>;
    const bool is_whole = count == kTileOf<T> && reinterpret_cast<std::uintptr_t>(to) % sizeof(Vector) == 0;
    if (is_whole) {
#pragma unroll
      for (int j = 0; j < kPerThread<T> / kLength; ++j) {
        Vector v;
#pragma unroll
        for (int i = 0; i < kLength; ++i) v.at[i] = items.at[j * kLength + i];
        *reinterpret_cast<Vector*>(to + position_of<T>(j)) = v;
      }
    } else {
      for_items(items, [=](int k, const T& item) {
        if (k < count) to[k] = item;
      });
    }
  }
  template <template <class> class Kept, class T, class F>
  __device__ void for_items(const Kept<T>& items, F f) const {
#pragma unroll Kept < T> ::kUnrolled
    for (int j = 0; j < items.rounds(); ++j)
#pragma unroll Kept < T> ::kUnrolled
      for (int i = 0; i < kVector<T>; ++i) f(position_of<T>(j) + i, items.round(j)[i]);
  }
  template <template <class> class Kept, class T, class F>
  __device__ void derive(Kept<T>& items, const Kept<T>& from, F f) const {
#pragma unroll Kept < T> ::kUnrolled
    for (int j = 0; j < from.rounds(); ++j)
#pragma unroll Kept < T> ::kUnrolled
      for (int i = 0; i < kVector<T>; ++i) items.round(j)[i] = f(position_of<T>(j) + i, from.round(j)[i]);
  }
  template <class T, class F>
  __device__ void for_vectors(const Items<T>& items, F f) const {
#pragma unroll
    for (int j = 0; j < kRounds<T>; ++j) f(position_of<T>(j), items.round(j), kVector<T>);
  }

  /// Scans in three steps: each warp scans its items, round by round; the first warp scans the sums of warps and calls
  /// `before`; each thread adds the sum before its warp.
  template <bool kInclusive, template <class> class Kept, class T, class Heads, class Combine, class Before>
  __device__ void scan(Kept<T>& items, T identity, T at_head, const Heads& heads, Combine combine,
                       Before before) const {
    static_assert(sizeof(T) <= 8);
    constexpr int kLength = kVector<T>;
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    const unsigned lower_lanes = (1u << lane) - 1;
    T carry = identity;
    bool has_head = false;
    int reach = kPerThread<T>;  // number of items before the first head of the warp
#pragma unroll Kept < T> ::kUnrolled
    for (int j = 0; j < items.rounds(); ++j) {
      T* const x = items.round(j);
      const std::uint32_t bits = heads.bits(position_of<T>(j), kLength);
      T sum = x[0];
#pragma unroll Kept < T> ::kUnrolled
      for (int i = 1; i < kLength; ++i) sum = (bits >> i & 1) != 0 ? x[i] : combine(sum, x[i]);
      const unsigned with_heads = Heads::kAny ? __ballot_sync(kAllLanes, bits != 0) : 0;
      // The last lane up to this one that has a head. Lanes before it do not contribute.
      const unsigned up_to_here = with_heads & (lower_lanes << 1 | 1);
      const int last = up_to_here == 0 ? 0 : 31 - __clz(int(up_to_here));
#pragma unroll Kept < T> ::kUnrolled
      for (int step = 1; step < 32; step *= 2) {
        const T behind = from_lower_lane(sum, step);
        if (lane - step >= last) sum = combine(behind, sum);
      }
      const T before_lane = from_lower_lane(sum, 1);
      const bool is_open = (with_heads & lower_lanes) == 0;
      T run = lane == 0 ? carry : is_open ? combine(carry, before_lane) : before_lane;
      if (Heads::kAny && reach == kPerThread<T>) {
        if (has_head || !is_open)
          reach = j * kLength;
        else if (bits != 0)
          reach = j * kLength + __ffs(int(bits)) - 1;
      }
#pragma unroll Kept < T> ::kUnrolled
      for (int i = 0; i < kLength; ++i) {
        const bool is_head = (bits >> i & 1) != 0;
        const T next = is_head ? x[i] : combine(run, x[i]);
        x[i] = kInclusive ? next : is_head ? at_head : run;
        run = next;
      }
      const T last_sum = from_lane(sum, 31);
      carry = with_heads != 0 ? last_sum : combine(carry, last_sum);
      has_head = has_head || with_heads != 0;
    }
    T* const sums = reinterpret_cast<T*>(storage_.sums);
    T* const before_warps = reinterpret_cast<T*>(storage_.before);
    if (lane == 0 && holds_items()) {
      sums[warp] = carry;
      storage_.has_head[warp] = has_head;
    }
    __syncthreads();
    if (warp == 0) {
      T sum = lane < kWarps ? sums[lane] : identity;
      const unsigned with_heads = Heads::kAny ? __ballot_sync(kAllLanes, lane < kWarps && storage_.has_head[lane]) : 0;
      const unsigned up_to_here = with_heads & (lower_lanes << 1 | 1);
      const int last = up_to_here == 0 ? 0 : 31 - __clz(int(up_to_here));
#pragma unroll Kept < T> ::kUnrolled
      for (int step = 1; step < kWarps; step *= 2) {
        const T behind = from_lower_lane(sum, step);
        if (lane - step >= last) sum = combine(behind, sum);
      }
      const T before_block = before(from_lane(sum, kWarps - 1), with_heads != 0);
      const T before_warp = from_lower_lane(sum, 1);
      if (lane < kWarps)
        before_warps[lane] = lane == 0                         ? before_block
                             : (with_heads & lower_lanes) == 0 ? combine(before_block, before_warp)
                                                               : before_warp;
    }
    __syncthreads();
    if (!holds_items()) return;
    const T before_warp = before_warps[warp];
#pragma unroll Kept < T> ::kUnrolled
    for (int j = 0; j < items.rounds(); ++j)
#pragma unroll Kept < T> ::kUnrolled
      for (int i = 0; i < kLength; ++i)
        if (j * kLength + i < reach) items.round(j)[i] = combine(before_warp, items.round(j)[i]);
  }

  template <class S, class T, class F, class Combine>
  __device__ T fold(const S* from, std::int64_t begin, std::int64_t end, T sum, F convert, Combine combine) const {
    constexpr int kLength = kVector<S>, kVectors = sizeof(S) > 16 ? 2 : 8;
    constexpr std::int64_t kSpan = std::int64_t{kThreads} * kLength * kVectors;
    using Vector = VectorOf<S, kLength>;
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(from + begin) % sizeof(Vector) == 0;
#pragma unroll 1
    for (; is_aligned && end - begin >= kSpan; begin += kSpan) {
      const Vector* const vectors = reinterpret_cast<const Vector*>(from + begin) + threadIdx.x;
      Vector v[kVectors];
#pragma unroll
      for (int j = 0; j < kVectors; ++j) v[j] = vectors[j * kThreads];
#pragma unroll
      for (int j = 0; j < kVectors; ++j)
#pragma unroll
        for (int i = 0; i < kLength; ++i) sum = combine(sum, convert(v[j].at[i]));
    }
#pragma unroll 4
    for (std::int64_t e = begin + threadIdx.x; e < end; e += kThreads) sum = combine(sum, convert(from[e]));
    return fold_threads(sum, combine);
  }

 private:
  __device__ static bool holds_items() { return threads == kThreads || threadIdx.x < kThreads; }
  /// Computes the thread's share of the elements in groups. All operands of a group are loaded before any of its
  /// results is stored.
  template <class R, class T, class Value, class Store, class Combine>
  __device__ T map_share(int n, T sum, Value value, Store store, Combine combine) const {
    constexpr int kTogether = sizeof(R) > 8 ? 2 : 4;
#pragma unroll 1
    for (int begin = int(threadIdx.x); begin < n; begin += threads * kTogether) {
      R results[kTogether];
#pragma unroll
      for (int j = 0; j < kTogether; ++j)
        if (begin + j * threads < n) results[j] = value(begin + j * threads);
#pragma unroll
      for (int j = 0; j < kTogether; ++j)
        if (begin + j * threads < n) sum = combine(sum, store(begin + j * threads, results[j]));
    }
    return sum;
  }

  /// Combines one value of each thread; the result is valid in the leader only.
  template <class T, class Combine>
  __device__ T fold_threads(T sum, Combine combine) const {
    static_assert(sizeof(T) <= BlockStorage<threads>::kBytes);
    const int lane = int(threadIdx.x) % 32;
    constexpr int kWarpsHere = threads / 32;
    T* const sums = reinterpret_cast<T*>(storage_.sums);
#pragma unroll
    for (int step = 1; step < 32; step *= 2) sum = combine(sum, from_higher_lane(sum, step));
    __syncthreads();
    if (lane == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
      sum = sums[lane % kWarpsHere];
#pragma unroll
      for (int step = 1; step < kWarpsHere; step *= 2) sum = combine(sum, from_higher_lane(sum, step));
    }
    return sum;
  }

  std::uint32_t index_;
  BlockStorage<threads>& storage_;
};
using Block = BlockOf<kThreads>;
using WideBlock = BlockOf<kWideThreads>;

/// A range of at most 32 words of a board, one for each lane of the warp: see executor.h.
template <class R>
class BoardRead {
 public:
  /// Issues the loads.
  __device__ BoardRead(const Block&, const Board& board, std::int64_t first, int count)
      : board_(board),
        word_(static_cast<std::uint32_t>(first) + threadIdx.x % 32),
        waits_(int(threadIdx.x % 32) < count) {
    is_known_ = !waits_ || board_.get(word_, payload_);
  }
  template <class Combine>
  __device__ R fold(R identity, Combine combine) {
    while (!is_known_) {
      __nanosleep(20);
      is_known_ = board_.get(word_, payload_);
    }
    __syncwarp();
    const R sum = waits_ ? R::from(payload_) : identity;
    if constexpr (requires {
                    combine.combine;
                    sum.has_head;
                  }) {
      // Once the items before the last head are dropped, a segmented sum is combined like any other.
      const unsigned with_heads = __ballot_sync(kAllLanes, sum.has_head);
      const int last = with_heads == 0 ? 0 : 31 - __clz(int(with_heads));
      const auto value = int(threadIdx.x % 32) < last ? identity.value : sum.value;
      return {fold_lanes(value, combine.combine), with_heads != 0};
    } else {
      return fold_lanes(sum, combine);
    }
  }

 private:
  template <class T, class Combine>
  static __device__ T fold_lanes(T sum, Combine combine) {
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const T behind = from_higher_lane(sum, step);
      if (int(threadIdx.x % 32) + step < 32) sum = combine(sum, behind);
    }
    return from_lane(sum, 0);
  }

  Board board_;
  std::uint32_t word_;  ///< 32 bits suffice: no device has memory for 2^32 tiles
  Payload payload_;
  bool waits_, is_known_;
};

/// The kernel of tiles().
template <class Shared, class Program>
struct Tiles {
  Program program;

  __device__ __forceinline__ void operator()() const {
    __shared__ BlockStorage<kThreads> storage;
    __shared__ Shared shared;
    Block block(blockIdx.x, storage);
    program(block, shared);
  }
};

/// The kernel of wide_block().
template <class Shared, class Program>
struct OneWideBlock {
  Program program;

  __device__ __forceinline__ void operator()() const {
    __shared__ BlockStorage<kWideThreads> storage;
    __shared__ Shared shared;
    WideBlock block(0, storage);
    program(block, shared);
  }
};

/// The kernel of tiles_then().
template <class Shared, class Program, class Finish>
struct TilesThen {
  std::uint32_t* arrived;
  Program program;
  Finish finish;

  __device__ void operator()() const {
    __shared__ BlockStorage<kThreads> storage;
    __shared__ Shared shared;
    __shared__ bool is_last;
    Block block(blockIdx.x, storage);
    program(block, shared);
    __threadfence();
    __syncthreads();
    // atomicInc wraps, so that the count is 0 again for the next launch.
    if (threadIdx.x == 0) is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    finish(block, shared);
  }
};

/// The kernel of tiles_in_order(). Blocks are numbered in the order in which they begin; `begun` counts the blocks of
/// all launches.
template <class Shared, class Program>
struct TilesInOrder {
  std::uint32_t* begun;
  std::uint32_t before;
  Board board;
  Program program;

  __device__ void operator()() const {
    __shared__ BlockStorage<kThreads> storage;
    __shared__ Shared shared;
    __shared__ std::uint32_t index;
    if (threadIdx.x == 0) index = atomicAdd(begun, 1u) - before;
    __syncthreads();
    Block block(index, storage);
    program(block, shared, board);
  }
};

template <class Shared, int resident, class Program>
void CudaExecutor::tiles(std::int64_t n, Program program) {
  if (n == 0) return;
  VC_CHECK(n <= kMostTiles);
  launch<resident>(n, Tiles<Shared, Program>{program});
}

template <class Shared, class Program>
void CudaExecutor::wide_block(Program program) {
  launch<1, kWideThreads>(1, OneWideBlock<Shared, Program>{program});
}

template <class Shared, class Program, class Finish>
void CudaExecutor::tiles_then(std::int64_t n, Program program, Finish finish) {
  if (n == 0) return;
  VC_CHECK(n <= kMostTiles);
  launch(n, TilesThen<Shared, Program, Finish>{counters_ + 1, program, finish});
}

template <class Shared, int resident, class Program>
void CudaExecutor::tiles_in_order(std::int64_t n, std::int64_t words, Program program) {
  if (n == 0) return;
  VC_CHECK(n <= kMostTiles);
  const Board board = next_board(words);
  launch<resident>(n, TilesInOrder<Shared, Program>{counters_, begun_, board, program});
  begun_ += static_cast<std::uint32_t>(n);
}

}  // namespace cvl::cuda
