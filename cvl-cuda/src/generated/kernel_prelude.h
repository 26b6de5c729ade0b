// What generated kernels are written with. This file is not compiled by itself: it stands in front of them, behind
// vcode/arith.h, base/atomics.h, base/device_faults.h and the sizes of a tile, kThreads and kItems. A compiler for
// devices makes kernels of it; the compiler of the host makes functions that run one block after the other, and the
// threads of a block in a loop from each barrier to the next, so that a result is the same bits on both.

#if defined(REAL_THREADS)
#include <barrier>
#include <thread>
#include <vector>
#endif

using namespace vcode;
using cvl::cuda::atomic_max;
using cvl::cuda::atomic_or;
using cvl::cuda::Faults;
using b8 = bool;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;

constexpr int kTile = kThreads * kItems;

// --- Threads of a block, and what each of them holds ---

#if defined(__CUDACC__)
#define CODE __device__ inline
// What seldom runs and is used in many places: each copy would have to be compiled.
#define COLD __device__ __noinline__
#define EACH_THREAD(t) if (const int t = int(threadIdx.x); true)
#define UNROLLED _Pragma("unroll")
// What waits at each turn, or has few turns, gains little from being unrolled, and takes NVRTC half of its time.
#define NOT_UNROLLED _Pragma("unroll 1")
#define BARRIER() __syncthreads()
#elif defined(REAL_THREADS)
// A thread of the host for each, which runs far before others do: most missing barriers show.
#define CODE inline
#define COLD inline
inline thread_local int this_thread = 0;
inline std::barrier<> block_barrier(kThreads);
#define EACH_THREAD(t) if (const int t = this_thread; true)
#define UNROLLED
#define NOT_UNROLLED
#define BARRIER() block_barrier.arrive_and_wait()
#else
#define CODE inline
#define COLD inline
#define EACH_THREAD(t) for (int t = 0; t < kThreads; ++t)
#define UNROLLED
#define NOT_UNROLLED
#define BARRIER() static_cast<void>(0)
#endif

/// The elements of a thread that are in the index space: consecutive ones, of which i is the number and e the element.
#define EACH_ITEM(space, t, i, e) \
  UNROLLED for (int i = 0; i < kItems; ++i) if (const i64 e = (space).first + t * kItems + i; e < (space).elements)

/// One value for each thread; on a device it is in a register of it.
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

/// One value for each element of a tile.
template <class T>
struct Items {
  struct Held {
    T at[kItems];
  };
  PerThread<Held> held;
  CODE T& operator()(int t, int i) { return held(t).at[i]; }
  CODE const T& operator()(int t, int i) const { return held(t).at[i]; }
};

/// The elements from `first` on, up to kTile of them, of an index space.
struct Space {
  i64 elements, tile, tiles, first;
};
CODE Space space_of(i64 elements, i64 tile) {
  const i64 tiles = elements <= kTile ? 1 : (elements + kTile - 1) / kTile;
  return {elements, tile, tiles, tile * kTile};
}

/// A vector's memory. Its length is in elements.
struct Vector {
  void* data;
  i64 length;
  template <class T>
  CODE T* as() const {
    return static_cast<T*>(data);
  }
};

/// As many bytes as are loaded or stored at once.
template <class T>
struct alignas(sizeof(T) * kItems < 16 ? sizeof(T) * kItems : 16) Chunk {
  static constexpr int kCount = sizeof(T) * kItems < 16 ? kItems : int(16 / sizeof(T));
  T at[kCount];
};

/// Loads what a thread holds from consecutive places, several elements at once. `from` is a multiple of a chunk.
template <class T>
CODE void load_chunks(const T* from, int t, Items<T>& to) {
#if !defined(__CUDA_ARCH__)
  if (reinterpret_cast<u64>(from) % alignof(Chunk<T>) != 0) __builtin_trap();  // a device would refuse the load
#endif
  UNROLLED for (int c = 0; c < kItems; c += Chunk<T>::kCount) {
    const Chunk<T> chunk = *reinterpret_cast<const Chunk<T>*>(from + c);
    UNROLLED for (int j = 0; j < Chunk<T>::kCount; ++j) to(t, c + j) = chunk.at[j];
  }
}

/// Loads what the threads hold of a vector over the index space, several elements at once within it.
template <class T>
CODE void load(const Space& space, const Vector& from, Items<T>& to) {
  const T* const data = from.as<const T>();
  EACH_THREAD(t) {
    const i64 begin = space.first + t * kItems;
    if (begin + kItems <= space.elements) {
      load_chunks(data + begin, t, to);
    } else {
      EACH_ITEM(space, t, i, e) to(t, i) = data[e];
    }
  }
}

/// The reverse of load().
template <class T>
CODE void store(const Space& space, const Items<T>& from, const Vector& to) {
  T* const data = to.as<T>();
  EACH_THREAD(t) {
    const i64 begin = space.first + t * kItems;
    if (begin + kItems <= space.elements) {
      UNROLLED for (int c = 0; c < kItems; c += Chunk<T>::kCount) {
        Chunk<T> chunk;
        UNROLLED for (int j = 0; j < Chunk<T>::kCount; ++j) chunk.at[j] = from(t, c + j);
        *reinterpret_cast<Chunk<T>*>(data + begin + c) = chunk;
      }
    } else {
      EACH_ITEM(space, t, i, e) data[e] = from(t, i);
    }
  }
}

// --- Memory that blocks share ---

CODE u32 load_acquire(const u32* at) {
#if defined(__CUDA_ARCH__)
  u32 value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
#else
  return __atomic_load_n(at, __ATOMIC_ACQUIRE);
#endif
}
CODE void store_release(u32* at, u32 value) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
#else
  __atomic_store_n(at, value, __ATOMIC_RELEASE);
#endif
}

/// Notes a fault. Of all that are noted in one run the first remains: that of the first step, and of its elements that
/// at the lowest position.
COLD void report_found(const Faults& faults, FaultKind kind, i64 step, i64 position, i64 value, i64 bound) {
  faults.report(kind, cvl::cuda::position_in_kernel(step, position), value, bound);
}
CODE void report(const Faults& faults, FaultKind kind, i64 step, i64 position, i64 value, i64 bound) {
  if (kind != FaultKind::kNone) report_found(faults, kind, step, position, value, bound);
}
/// What is told of a fault of an elementwise operation: the second operand, or the only one, and the first of several.
template <class A>
CODE i64 culprit(A a) {
  return int_of<i64>(f64(a));
}
template <class A, class B, class... C>
CODE i64 culprit(A, B b, C...) {
  return i64(b);
}
template <class A>
CODE i64 bound_of(A) {
  return 0;
}
template <class A, class... B>
CODE i64 bound_of(A a, B...) {
  return i64(a);
}

// --- Segments ---

/// Where segments begin among 32 elements: a bit for each that is the first of its segment, and the heads before them.
struct Heads {
  u32 bits, before;
};
/// A descriptor, as cvl::SegmentMap: irregular segments come with offsets and heads; `nonempty` is null if none is
/// empty.
struct Segments {
  i64 segments, elements, regular_length;
  const i64* offsets;
  const Heads* heads;
  const i32* nonempty;
};

CODE bool is_regular(const Segments& s) { return s.regular_length >= 0; }
CODE i64 start(const Segments& s, i64 k) { return is_regular(s) ? k * s.regular_length : s.offsets[k]; }
CODE i64 length(const Segments& s, i64 k) { return is_regular(s) ? s.regular_length : s.offsets[k + 1] - s.offsets[k]; }
CODE int count_bits(u32 bits) {
#if defined(__CUDA_ARCH__)
  return __popc(bits);
#else
  return __builtin_popcount(bits);
#endif
}
/// Divides by 32 bits where that is enough.
CODE i64 quotient(i64 a, i64 b) { return (u64(a) | u64(b)) >> 32 == 0 ? i64(u32(a) / u32(b)) : a / b; }

/// Where segments begin among the elements of a thread.
struct Cut {
  u32 heads;   ///< a bit for each element that begins a segment, and for the one behind them, or the end
  i64 before;  ///< segments with elements that begin before
};
CODE bool begins_segment(const Cut& cut, int i) { return (cut.heads >> i & 1) != 0; }
CODE bool ends_segment(const Cut& cut, int i) { return begins_segment(cut, i + 1); }
/// The segment of element i of the thread.
CODE i64 segment_of(const Segments& s, const Cut& cut, int i) {
  const i64 head = cut.before + count_bits(cut.heads & ((u32(2) << i) - 1)) - 1;
  return s.nonempty == nullptr ? head : s.nonempty[head];
}
/// Of a thread whose first element is e.
CODE Cut cut_from(const Segments& s, i64 e) {
  static_assert(32 % kItems == 0);
  const i64 left = s.elements - e;
  if (left <= 0) return {0, 0};
  const u32 end = left <= kItems ? u32(1) << left : 0;
  if (s.segments == 1) return {end | (e == 0 ? 1 : 0), e == 0 ? 0 : 1};
  if (is_regular(s)) {
    const i64 k = quotient(e, s.regular_length);
    i64 in_segment = e - k * s.regular_length;
    Cut cut = {end, in_segment == 0 ? k : k + 1};
    UNROLLED for (int i = 0; i <= kItems; ++i) {
      if (in_segment == 0) cut.heads |= u32(1) << i;
      if (++in_segment == s.regular_length) in_segment = 0;
    }
    return cut;
  }
  const Heads word = s.heads[e / 32];
  const int in_word = int(e % 32);
  const u32 behind = in_word + kItems == 32 && left > kItems ? s.heads[e / 32 + 1].bits : 0;
  return {end | word.bits >> in_word | behind << kItems,
          word.before + count_bits(word.bits & ((u32(1) << in_word) - 1))};
}
/// Whether there may be segments without elements.
CODE bool may_have_empty(const Segments& s) { return s.elements == 0 || s.nonempty != nullptr; }

/// The same of a descriptor that is known to have one segment.
struct OneSegment : Segments {};
CODE i64 start(const OneSegment&, i64) { return 0; }
CODE i64 length(const OneSegment& s, i64) { return s.elements; }
CODE i64 segment_of(const OneSegment&, const Cut&, int) { return 0; }
CODE Cut cut_from(const OneSegment& s, i64 e) {
  const i64 left = s.elements - e;
  return {(left > 0 && left <= kItems ? u32(1) << left : 0) | (e == 0 ? 1 : 0), 0};
}
CODE bool may_have_empty(const OneSegment& s) { return s.elements == 0; }

using Cuts = PerThread<Cut>;
template <class S>
CODE void find_cuts(const Space& space, const S& s, Cuts& cuts) {
  EACH_THREAD(t) cuts(t) = cut_from(s, space.first + t * kItems);
}
/// Element `index` of those that begin at `begin`; -1, and a fault, if there are not so many.
CODE i64 place_among(i64 begin, i64 count, i64 index, const Faults& faults, i64 step, i64 e) {
  if (index >= 0 && index < count) return begin + index;
  report(faults, FaultKind::kIndexRange, step, e, index, count);
  return -1;
}
/// The place that a gather or scatter means in segment k.
template <class S>
CODE i64 place_in(const S& s, i64 k, i64 index, const Faults& faults, i64 step, i64 e) {
  return place_among(start(s, k), length(s, k), index, faults, step, e);
}
/// Where a thread's elements of a SLICE are in its table.
struct Places {
  Items<i64> at;
  PerThread<bool> consecutive;  ///< and all of them in the index space
};
/// Segment k is read from start_of(k) on.
template <class S, class F>
CODE void find_places(const Space& space, const S& s, const Cuts& cuts, F start_of, Places& places) {
  EACH_THREAD(t) {
    const Cut cut = cuts(t);
    bool consecutive = space.first + (t + 1) * kItems <= space.elements;
    EACH_ITEM(space, t, i, e) {
      const i64 k = segment_of(s, cut, i);
      places.at(t, i) = wrap_add<i64>(start_of(k), e - start(s, k));
      if (i > 0) consecutive = consecutive && places.at(t, i) == places.at(t, i - 1) + 1;
    }
    places.consecutive(t) = consecutive;
  }
}
/// What SLICE makes of a table. Consecutive elements are checked as a whole, and loaded several at once if they begin
/// at a multiple of a chunk.
template <class T>
CODE void slice(const Space& space, const Places& places, const Vector& table, const Faults& faults, i64 step,
                Items<T>& to) {
  const T* const data = table.as<const T>();
  EACH_THREAD(t) {
    const i64 first = places.at(t, 0);
    if (places.consecutive(t) && first >= 0 && first <= table.length - kItems) {
      if (first % Chunk<T>::kCount == 0) {
        load_chunks(data + first, t, to);
      } else {
        UNROLLED for (int i = 0; i < kItems; ++i) to(t, i) = data[first + i];
      }
    } else {
      EACH_ITEM(space, t, i, e) {
        const i64 place = place_among(0, table.length, places.at(t, i), faults, step, e);
        to(t, i) = place < 0 ? T(0) : data[place];
      }
    }
  }
}
/// Marks a place as written; reports a second write.
CODE void mark_written(const Vector& written, i64 place, i64 index, const Faults& faults, i64 step, i64 e) {
  const u32 bit = u32(1) << (place % 32);
  if ((atomic_or(written.as<u32>() + place / 32, bit) & bit) != 0)
    report(faults, FaultKind::kDuplicateTarget, step, e, index, 0);
}
/// Does f(k) for this block's share of the numbers below n.
template <class F>
CODE void each_number(const Space& space, i64 n, F f) {
  EACH_THREAD(t) { NOT_UNROLLED for (i64 k = space.first / kItems + t; k < n; k += space.tiles * kThreads) f(k); }
}
/// Does f(k) for its share of the empty segments.
template <class S, class F>
CODE void each_empty(const Space& space, const S& s, F f) {
  if (!may_have_empty(s)) return;
  each_number(space, s.segments, [&](i64 k) {
    if (length(s, k) == 0) f(k);
  });
}

// --- Launches ---

/// Of a kernel without sums.
struct NothingShared {};

/// What numbers the blocks of a launch in the order in which they begin, on a device.
struct Ticket {
  u32* counter;
  u32 before;
};

/// Makes NAME, to be called by the host, of the function NAME_block(arguments, tile, shared memory). On a device each
/// block finds the number of its tile by TILE; on the host NAME runs so many blocks itself.
#if defined(__CUDACC__)
#define LAUNCHED(NAME, ARGUMENTS, SHARED, TILE)                                                              \
  extern "C" __global__ void __launch_bounds__(kThreads) NAME(const __grid_constant__ ARGUMENTS arguments) { \
    __shared__ SHARED shared;                                                                                \
    __shared__ i64 tile;                                                                                     \
    if (threadIdx.x == 0) tile = TILE;                                                                       \
    __syncthreads();                                                                                         \
    NAME##_block(arguments, tile, shared);                                                                   \
  }
/// How many blocks of this launch have begun before: the counter goes on from launch to launch, and was `before` at the
/// beginning of this one.
__device__ inline i64 blocks_before(const Ticket& ticket) { return i64(atomicAdd(ticket.counter, 1u) - ticket.before); }
#elif defined(REAL_THREADS)
#define LAUNCHED(NAME, ARGUMENTS, SHARED, TILE)                  \
  extern "C" void NAME(const ARGUMENTS* arguments, i64 blocks) { \
    SHARED shared;                                               \
    std::vector<std::jthread> threads;                           \
    for (int t = 0; t < kThreads; ++t)                           \
      threads.emplace_back([&shared, arguments, blocks, t] {     \
        this_thread = t;                                         \
        for (i64 tile = 0; tile < blocks; ++tile) {              \
          NAME##_block(*arguments, tile, shared);                \
          BARRIER();                                             \
        }                                                        \
      });                                                        \
  }
#else
#define LAUNCHED(NAME, ARGUMENTS, SHARED, TILE)                                       \
  extern "C" void NAME(const ARGUMENTS* arguments, i64 blocks) {                      \
    SHARED shared;                                                                    \
    for (i64 tile = 0; tile < blocks; ++tile) NAME##_block(*arguments, tile, shared); \
  }
#endif
