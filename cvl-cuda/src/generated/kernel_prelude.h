// What generated kernels are written with. This file is not compiled by itself: it stands in front of them, behind
// vcode/arith.h, base/atomics.h, base/device_faults.h and the sizes of a tile, kThreads and kItems. A compiler for
// devices makes kernels of it; the compiler of the host makes functions that run one block after the other, and the
// threads of a block in a loop from each barrier to the next, so that a result is the same bits on both but for
// functions such as exp.

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
#define EACH_THREAD(t) if (const int t = int(threadIdx.x); true)
#define UNROLLED _Pragma("unroll")
// What waits at each turn gains nothing from being unrolled, and takes NVRTC half of its time.
#define NOT_UNROLLED _Pragma("unroll 1")
#define BARRIER() __syncthreads()
#elif defined(REAL_THREADS)
// A thread of the host for each, which runs far before others do: most missing barriers show.
#define CODE inline
inline thread_local int this_thread = 0;
inline std::barrier<> block_barrier(kThreads);
#define EACH_THREAD(t) if (const int t = this_thread; true)
#define UNROLLED
#define NOT_UNROLLED
#define BARRIER() block_barrier.arrive_and_wait()
#else
#define CODE inline
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

/// Loads what the threads hold of a vector over the index space, several elements at once within it.
template <class T>
CODE void load(const Space& space, const Vector& from, Items<T>& to) {
  const T* const data = from.as<const T>();
  EACH_THREAD(t) {
    const i64 begin = space.first + t * kItems;
    if (begin + kItems <= space.elements) {
      UNROLLED for (int c = 0; c < kItems; c += Chunk<T>::kCount) {
        const Chunk<T> chunk = *reinterpret_cast<const Chunk<T>*>(data + begin + c);
        UNROLLED for (int j = 0; j < Chunk<T>::kCount; ++j) to(t, c + j) = chunk.at[j];
      }
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
CODE void report(const Faults& faults, FaultKind kind, i64 step, i64 position, i64 value, i64 bound) {
  if (kind != FaultKind::kNone) faults.report(kind, cvl::cuda::position_in_kernel(step, position), value, bound);
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

/// All elements in one segment.
CODE Segments one_segment(i64 elements) { return {1, elements, elements, nullptr, nullptr, nullptr}; }
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
CODE i64 segment_of(const Segments& s, i64 e) {
  if (s.segments == 1) return 0;
  if (is_regular(s)) return quotient(e, s.regular_length);
  const Heads word = s.heads[e / 32];
  const i64 head = word.before + count_bits(word.bits & ((u32(2) << (e % 32)) - 1)) - 1;
  return s.nonempty == nullptr ? head : s.nonempty[head];
}
CODE bool begins_segment(const Segments& s, i64 e) {
  if (s.segments == 1) return e == 0;
  if (is_regular(s)) return quotient(e, s.regular_length) * s.regular_length == e;
  return (s.heads[e / 32].bits >> (e % 32) & 1) != 0;
}
CODE bool ends_segment(const Segments& s, i64 e) { return e + 1 == s.elements || begins_segment(s, e + 1); }

/// The place that a gather or scatter means in segment k; -1, and a fault, if there is none.
CODE i64 place_in(const Segments& s, i64 k, i64 index, const Faults& faults, i64 step, i64 e) {
  if (index >= 0 && index < length(s, k)) return start(s, k) + index;
  report(faults, FaultKind::kIndexRange, step, e, index, length(s, k));
  return -1;
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
  EACH_THREAD(t) {
    for (i64 k = space.first / kItems + t; k < n; k += space.tiles * kThreads) f(k);
  }
}
/// Stores the result of a reduction for the empty segments.
template <class T>
CODE void fill_empty(const Space& space, const Segments& s, T identity, const Vector& to) {
  each_number(space, s.segments, [&](i64 k) {
    if (length(s, k) == 0) to.as<T>()[k] = identity;
  });
}

// --- Sums: of a monoid, and of the places of extremes ---

/// A reduction or scan of elements of type T.
template <class Monoid, class T>
struct Plain {
  using Sum = T;
  CODE static Sum neutral() { return Monoid::template neutral<T>(); }
  CODE static T identity() { return Monoid::template identity<T>(); }
  /// The sum of what is before and an element.
  CODE static Sum take(const Sum& before, T element, i64) { return Monoid::template combine<T>(element, before); }
  CODE static Sum join(const Sum& before, const Sum& after) { return Monoid::template combine<T>(after, before); }
  template <class R>
  CODE static R result(const Sum& sum, i64, i64) {
    return R(sum);
  }
};
/// The first place of an extreme; -1 while there is none.
template <class T>
struct Extreme {
  T value;
  i64 place;
};
template <class Monoid, class T>
struct FirstPlace {
  using Sum = Extreme<T>;
  CODE static Sum neutral() { return {Monoid::template neutral<T>(), -1}; }
  CODE static Sum take(const Sum& before, T element, i64 e) { return join(before, {element, e}); }
  CODE static Sum join(const Sum& before, const Sum& after) {
    if (after.place < 0 || !(after.value == Monoid::template combine<T>(after.value, before.value))) return before;
    return before.place >= 0 && after.value == before.value ? before : after;
  }
  /// Of a segment that begins at `begin`: its length if all its elements are NaN.
  template <class R>
  CODE static R result(const Sum& sum, i64 begin, i64 segment_length) {
    return R(sum.place < 0 ? segment_length : sum.place - begin);
  }
};

/// The sum of consecutive elements since the last head among them, if there is one (Blelloch, "Vector models for
/// data-parallel computing", section 4.3).
template <class F>
struct Run {
  typename F::Sum sum;
  bool has_head;
};
template <class F>
CODE Run<F> no_elements() {
  return {F::neutral(), false};
}
template <class F>
CODE Run<F> join(const Run<F>& before, const Run<F>& after) {
  if (after.has_head) return after;
  return {F::join(before.sum, after.sum), before.has_head};
}
template <class F, class T>
CODE void take(Run<F>& run, bool is_head, T element, i64 e) {
  if (is_head) run = {F::neutral(), true};
  run.sum = F::take(run.sum, element, e);
}

constexpr int kLargestRun = 24;
/// Memory of a block: for the runs of its threads, twice, or the carries of 34 tiles, of so many bytes each.
template <int carry_bytes>
struct Shared {
  static constexpr int kRuns = 2 * kThreads * kLargestRun, kCarries = 34 * carry_bytes;
  alignas(16) unsigned char bytes[kRuns > kCarries ? kRuns : kCarries];
  template <class T>
  CODE T* as() {
    return reinterpret_cast<T*>(bytes);
  }
};
/// Of a kernel without sums.
struct NothingShared {};

/// What precedes the elements of each thread in the tile, and the sum of the tile.
template <class F>
struct TileSums {
  PerThread<Run<F>> before;
  Run<F> total;
};
/// Sums of each thread, then of all by doubling (Hillis and Steele, "Data parallel algorithms", CACM 1986): the
/// association depends on the position in the tile only.
template <class F, class T, class SharedMemory>
CODE void sum_tile(const Space& space, const Segments& cut, const Items<T>& items, SharedMemory& shared,
                   TileSums<F>& sums) {
  static_assert(sizeof(Run<F>) <= kLargestRun);
  Run<F>*from = shared.template as<Run<F>>(), *to = from + kThreads;
  EACH_THREAD(t) {
    Run<F> run = no_elements<F>();
    EACH_ITEM(space, t, i, e) take(run, begins_segment(cut, e), items(t, i), e);
    from[t] = run;
  }
  BARRIER();
  NOT_UNROLLED for (int distance = 1; distance < kThreads; distance *= 2) {
    EACH_THREAD(t) to[t] = t < distance ? from[t] : join(from[t - distance], from[t]);
    BARRIER();
    Run<F>* const next = from;
    from = to, to = next;
  }
  EACH_THREAD(t) sums.before(t) = t == 0 ? no_elements<F>() : from[t - 1];
  sums.total = from[kThreads - 1];
  BARRIER();
}
/// The exclusive scan of each segment, of which `carry` is what precedes the tile.
template <class F, class T, class R>
CODE void scan_items(const Space& space, const Segments& cut, const Items<T>& items, const TileSums<F>& sums,
                     const Run<F>& carry, Items<R>& to) {
  EACH_THREAD(t) {
    Run<F> run = join(carry, sums.before(t));
    EACH_ITEM(space, t, i, e) {
      const bool is_head = begins_segment(cut, e);
      to(t, i) = is_head ? F::identity() : run.sum;
      take(run, is_head, items(t, i), e);
    }
  }
}
/// Stores the sums of the segments that end in the tile.
template <class R, class F, class T>
CODE void store_sums(const Space& space, const Segments& cut, const Items<T>& items, const TileSums<F>& sums,
                     const Run<F>& carry, const Vector& to) {
  EACH_THREAD(t) {
    Run<F> run = join(carry, sums.before(t));
    EACH_ITEM(space, t, i, e) {
      take(run, begins_segment(cut, e), items(t, i), e);
      if (!ends_segment(cut, e)) continue;
      const i64 k = segment_of(cut, e);
      to.as<R>()[k] = F::template result<R>(run.sum, start(cut, k), length(cut, k));
    }
  }
}

// --- Look-back ---

/// What tiles, and groups of tiles, tell those behind them: carries, and for each a word of a board (base/board.h),
/// which has the epoch of this launch when the carry is there. Words of other epochs are of launches before.
struct alignas(16) BoardWord {
  u64 low;
  u32 high, epoch;
};
struct Posts {
  BoardWord* words;
  u32 epoch;
  void* carries;
  template <class Carry>
  CODE void put(i64 k, const Carry& carry) const {
    static_cast<Carry*>(carries)[k] = carry;
    store_release(&words[k].epoch, epoch);
  }
  template <class Carry>
  CODE Carry await(i64 k) const {
    while (load_acquire(&words[k].epoch) != epoch) {
#if !defined(__CUDA_ARCH__)
      __builtin_trap();  // on the host the tiles before this one have ended
#endif
    }
    return static_cast<const Carry*>(carries)[k];
  }
};
/// The sum of all elements before the tile. Tiles are combined in groups of 32, and these in groups of 32, so that only
/// one tile in 1024 is a link of a chain; in an order that depends on the number of the tile only. After Merrill and
/// Garland, "Single-pass parallel prefix scan with decoupled look-back" (NVIDIA 2016), whose order depends on time.
/// A tile posts its own sum before it waits, and tiles are numbered in the order in which their blocks begin.
template <class Carry, int carry_bytes>
CODE Carry look_back(const Space& space, const Posts& posts, const Carry& own, Shared<carry_bytes>& shared) {
  static_assert(sizeof(Carry) <= carry_bytes);
  if (space.tiles == 1) return Carry::none();
  const i64 groups = space.tiles, outers = groups + space.tiles / 32;  // their first posts, behind those of tiles
  const i64 group = space.tile / 32, outer = group / 32;
  const int in_group = int(space.tile % 32), in_outer = int(group % 32);
  Carry* const seen = shared.template as<Carry>();
  EACH_THREAD(t) {
    if (t == 0) posts.put(space.tile, own);
    if (t < in_group) seen[t] = posts.await<Carry>(group * 32 + t);
  }
  BARRIER();
  EACH_THREAD(t) if (t == 0) {
    Carry sum = Carry::none();
    NOT_UNROLLED for (int j = 0; j < in_group; ++j) sum = join(sum, seen[j]);
    if (in_group == 31) posts.put(groups + group, join(sum, own));
    seen[32] = sum;
  }
  BARRIER();
  EACH_THREAD(t) {
    if (t < in_outer) seen[t] = posts.await<Carry>(groups + outer * 32 + t);
    if (t == 32 && outer > 0) seen[33] = posts.await<Carry>(outers + outer - 1);
  }
  BARRIER();
  EACH_THREAD(t) if (t == 0) {
    Carry sum = outer > 0 ? seen[33] : Carry::none();
    NOT_UNROLLED for (int j = 0; j < in_outer; ++j) sum = join(sum, seen[j]);
    sum = join(sum, seen[32]);
    if (in_group == 31 && in_outer == 31) posts.put(outers + outer, join(sum, own));
    seen[0] = sum;
  }
  BARRIER();
  const Carry sum = seen[0];
  BARRIER();
  return sum;
}

// --- Launches ---

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
