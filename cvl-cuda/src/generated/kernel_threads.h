// The threads of a block in generated kernels, its barriers, and launches: where a device and a host differ. This file
// is not compiled by itself: its text follows kThreads, the threads of a block, and precedes kernel_prelude.h.

#if defined(REAL_THREADS)
#include <atomic>
#include <deque>
#include <thread>
#include <vector>
#endif

using b8 = bool;
using u8 = std::uint8_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;

constexpr int kWarp = 32, kWarps = kThreads / kWarp;

#if defined(__CUDACC__)
#define CODE __device__ inline
// A rarely executed function with many callers. Inlining would compile a copy for each.
#define COLD __device__ __noinline__
#define EACH_THREAD(t) if (const int t = int(threadIdx.x); true)
#define UNROLLED _Pragma("unroll")
// A loop that waits in each iteration or has few iterations. Unrolling gains little, and doubles the time of NVRTC.
#define NOT_UNROLLED _Pragma("unroll 1")
#define BARRIER() __syncthreads()
#define FIRST_WARP if (threadIdx.x < kWarp)
#define WARP_BARRIER() __syncwarp()
#define EACH_LANE(t) EACH_THREAD(t)
#elif defined(REAL_THREADS)
// Each thread of a block is a thread of the host, which runs far ahead of the others: most missing barriers show.
#define CODE inline
#define COLD inline
inline thread_local int this_thread = 0;
/// A barrier of n threads. Unlike with std::barrier, threads of different barriers share no memory, by which a thread
/// sanitizer would take their accesses for ordered.
class ThreadBarrier {
 public:
  explicit ThreadBarrier(int n) : n_(n) {}
  void arrive_and_wait() {
    const int round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) == n_ - 1) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
    } else {
      while (round_.load(std::memory_order_acquire) == round) std::this_thread::yield();
    }
  }

 private:
  const int n_;
  std::atomic<int> arrived_ = 0, round_ = 0;
};
inline ThreadBarrier block_barrier(kThreads);
inline std::deque<ThreadBarrier> warp_barriers = [] {
  std::deque<ThreadBarrier> barriers;
  for (int w = 0; w < kWarps; ++w) barriers.emplace_back(kWarp);
  return barriers;
}();
#define EACH_THREAD(t) if (const int t = this_thread; true)
#define UNROLLED
#define NOT_UNROLLED
#define BARRIER() block_barrier.arrive_and_wait()
#define FIRST_WARP if (this_thread < kWarp)
#define WARP_BARRIER() warp_barriers[0].arrive_and_wait()
#define EACH_LANE(t) EACH_THREAD(t)
#else
#define CODE inline
#define COLD inline
#define EACH_THREAD(t) for (int t = 0; t < kThreads; ++t)
#define UNROLLED
#define NOT_UNROLLED
#define BARRIER() static_cast<void>(0)
// Statements of all lanes of the first warp, their convergence, and loops over them.
#define FIRST_WARP
#define WARP_BARRIER() static_cast<void>(0)
#define EACH_LANE(t) for (int t = 0; t < kWarp; ++t)
#endif

/// One value for each thread; on a device, in a register of the thread.
template <class T>
struct PerThread {
#if defined(__CUDACC__) || defined(REAL_THREADS)
  T value;
  CODE T& operator()(int) { return value; }
  CODE const T& operator()(int) const { return value; }
#else
  T values[kThreads];
  T& operator()(int t) { return values[t]; }
  const T& operator()(int t) const { return values[t]; }
#endif
};

// --- Launches ---

/// Shared memory of a kernel without sums.
struct NothingShared {};

/// Numbers the blocks of a launch in the order in which they take it.
struct Ticket {
  u32* counter;  ///< never reset
  u32 before;    ///< its value at the launch
};
/// The number of blocks of this launch that took the ticket earlier. Called by one thread of a block.
CODE i64 blocks_before(const Ticket& ticket) {
#if defined(__CUDA_ARCH__)
  return i64(atomicAdd(ticket.counter, 1u) - ticket.before);
#else
  return i64(u32((*ticket.counter)++ - ticket.before));
#endif
}

/// Defines NAME, which the host calls or launches, in terms of the function NAME_block(arguments, tile, shared memory).
/// Each block evaluates TILE, in terms of arguments `a` and of blockIdx, for its number. On the host NAME runs all
/// blocks, in order.
#if defined(__CUDACC__)
/// Waits until earlier launches have ended, and lets the next kernel begin, as base/launcher.h does.
CODE void follow_earlier_launches() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;\n griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
#define LAUNCHED(NAME, ARGUMENTS, SHARED, TILE)                                                         \
  extern "C" __global__ void __launch_bounds__(kThreads, 3) NAME(const __grid_constant__ ARGUMENTS a) { \
    __shared__ SHARED shared;                                                                           \
    __shared__ i64 tile;                                                                                \
    follow_earlier_launches();                                                                          \
    if (threadIdx.x == 0) tile = TILE;                                                                  \
    __syncthreads();                                                                                    \
    NAME##_block(a, tile, shared);                                                                      \
  }
#else
struct BlockIndex {
  i64 x;
};
#if defined(REAL_THREADS)
#define LAUNCHED(NAME, ARGUMENTS, SHARED, TILE)                           \
  extern "C" void NAME(const ARGUMENTS* arguments, i64 blocks) {          \
    const ARGUMENTS& a = *arguments;                                      \
    SHARED shared;                                                        \
    i64 tile;                                                             \
    std::vector<std::jthread> threads;                                    \
    for (int t = 0; t < kThreads; ++t)                                    \
      threads.emplace_back([&shared, &tile, &a, blocks, t] {              \
        this_thread = t;                                                  \
        for (BlockIndex blockIdx{0}; blockIdx.x < blocks; ++blockIdx.x) { \
          if (t == 0) tile = TILE;                                        \
          BARRIER();                                                      \
          NAME##_block(a, tile, shared);                                  \
          BARRIER();                                                      \
        }                                                                 \
      });                                                                 \
  }
#else
#define LAUNCHED(NAME, ARGUMENTS, SHARED, TILE)                                                    \
  extern "C" void NAME(const ARGUMENTS* arguments, i64 blocks) {                                   \
    const ARGUMENTS& a = *arguments;                                                               \
    SHARED shared;                                                                                 \
    for (BlockIndex blockIdx{0}; blockIdx.x < blocks; ++blockIdx.x) NAME##_block(a, TILE, shared); \
  }
#endif
#endif
