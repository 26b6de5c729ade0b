// Reductions, scans and packs of generated kernels. This file is not compiled by itself: its text follows
// kernel_prelude.h, base/board_words.h and base/reply.h where a kernel has any of these.

using cvl::cuda::Board;
using cvl::cuda::Payload;
using cvl::cuda::Reply;

// --- Sums: of a monoid, and of indices of extremes ---

/// A reduction or scan of elements of type T.
template <class Monoid, class T>
struct Plain {
  using Sum = T;
  CODE static Sum identity() { return Monoid::template identity<T>(); }
  CODE static T empty_value() { return Monoid::template empty_value<T>(); }
  /// Adds an element to the sum of the elements before it.
  CODE static Sum take(const Sum& before, T element, i64) { return Monoid::template combine<T>(element, before); }
  CODE static Sum join(const Sum& before, const Sum& after) { return Monoid::template combine<T>(after, before); }
  /// Joins the sum of the elements before a head and the sum of the elements from the head on.
  CODE static Sum join_heads(const Sum&, const Sum& after) { return after; }
  template <class R>
  CODE static R result(const Sum& sum, i64, i64) {
    return R(sum);
  }
};
/// An extreme and the index of its first element; -1 while there is none.
template <class T>
struct Extreme {
  T value;
  i64 position;
};
template <class Monoid, class T>
struct FirstPosition {
  using Sum = Extreme<T>;
  CODE static Sum identity() { return {Monoid::template identity<T>(), -1}; }
  CODE static Sum take(const Sum& before, T element, i64 e) { return join(before, {element, e}); }
  CODE static Sum join(const Sum& before, const Sum& after) {
    if (after.position < 0 || !(after.value == Monoid::template combine<T>(after.value, before.value))) return before;
    return before.position >= 0 && after.value == before.value ? before : after;
  }
  CODE static Sum join_heads(const Sum&, const Sum& after) { return after; }
  /// The index in a segment that begins at `begin`; the length of the segment if all elements are NaN.
  template <class R>
  CODE static R result(const Sum& sum, i64 begin, i64 segment_length) {
    return R(sum.position < 0 ? segment_length : sum.position - begin);
  }
};

/// Numbers of true flags: among all elements, below 2^32, and in the segment.
template <class T>
struct Flags {
  u32 all;
  T here;
};
/// The counts of a PACK, from which indices and lengths follow.
template <class T>
struct Kept {
  using Sum = Flags<T>;
  CODE static Sum identity() { return {0, 0}; }
  CODE static Sum take(const Sum& before, bool flag, i64) { return {before.all + flag, T(before.here + flag)}; }
  CODE static Sum join(const Sum& before, const Sum& after) {
    return {before.all + after.all, T(before.here + after.here)};
  }
  CODE static Sum join_heads(const Sum& before, const Sum& after) { return {before.all + after.all, after.here}; }
};

/// The sum of all elements, whatever their segments. Wraps around.
template <class T>
struct Whole {
  using Sum = T;
  CODE static Sum identity() { return 0; }
  CODE static Sum take(const Sum& before, T element, i64) { return wrap_add<T>(before, element); }
  CODE static Sum join(const Sum& before, const Sum& after) { return wrap_add<T>(before, after); }
  CODE static Sum join_heads(const Sum& before, const Sum& after) { return join(before, after); }
};

/// The sum of consecutive elements since the last head among them, if there is one (Blelloch, "Vector models for
/// data-parallel computing", section 4.3).
template <class F>
struct Run {
  typename F::Sum sum = F::identity();
  u32 has_head = 0;  ///< 1 or 0; NVRTC and registers do better with a word than with a bool

  /// Bytes behind the last member.
  static constexpr int kPadding = int(alignof(typename F::Sum) > 4 ? alignof(typename F::Sum) - 4 : 0);
};
template <class F>
CODE Run<F> join(const Run<F>& before, const Run<F>& after) {
  if (after.has_head != 0) return {F::join_heads(before.sum, after.sum), 1};
  return {F::join(before.sum, after.sum), before.has_head};
}
template <class F, class T>
CODE void take(Run<F>& run, bool is_head, T element, i64 e) {
  if (is_head) run = {F::join_heads(run.sum, F::identity()), 1};
  run.sum = F::take(run.sum, element, e);
}

// --- Warps ---

// These functions are called by all threads of the block, or, where `threads` is kWarp, by those of the first warp.

#if defined(__CUDACC__)
/// Exchanges the words of a value between lanes; shuffle(word) returns another lane's.
template <class T, class Shuffle>
CODE T exchanged(const T& value, Shuffle shuffle) {
  constexpr int kWords = int((sizeof(T) + 3) / 4);
  u32 words[kWords] = {};
  memcpy(words, &value, sizeof value);
  UNROLLED for (int w = 0; w < kWords; ++w) words[w] = shuffle(words[w]);
  T other;
  memcpy(static_cast<void*>(&other), words, sizeof other);
  return other;
}
#elif defined(REAL_THREADS)
/// The value of another thread of the warp. Internal linkage, so that libraries whose types have equal names do not
/// share `values`.
template <class T>
static T value_of(const T& own, int thread) {
  static T values[kThreads];
  values[this_thread] = own;
  warp_barriers[this_thread / kWarp].arrive_and_wait();
  const T value = values[thread];
  warp_barriers[this_thread / kWarp].arrive_and_wait();
  return value;
}
#endif
/// The inclusive scan of the first `width` lanes of each warp, a power of two, by doubling (Hillis and Steele, "Data
/// parallel algorithms", CACM 1986). join(t, distance, before, after) joins the values of `distance` lanes each.
template <int width, int threads, class T, class Join>
CODE void scan_lanes(PerThread<T>& values, Join join) {
  UNROLLED for (int distance = 1; distance < width; distance *= 2) {
#if defined(__CUDACC__)
    const T before = exchanged(values.value, [=](u32 word) { return __shfl_up_sync(~0u, word, distance); });
    const int t = int(threadIdx.x);
    if (t % kWarp >= distance) values.value = join(t, distance, before, values.value);
#elif defined(REAL_THREADS)
    const bool has_before = this_thread % kWarp >= distance;
    const T before = value_of(values.value, this_thread - (has_before ? distance : 0));
    if (has_before) values.value = join(this_thread, distance, before, values.value);
#else
    for (int t = threads - 1; t >= 0; --t)
      if (t % kWarp >= distance) values(t) = join(t, distance, values(t - distance), values(t));
#endif
  }
}
template <int width = kWarp, int threads = kThreads, class T>
CODE void scan_warps(PerThread<T>& values) {
  scan_lanes<width, threads>(values, [](int, int, const T& before, const T& after) { return join(before, after); });
}
/// For each thread, a bit for each lane of its warp that has a flag.
CODE void find_flags(const PerThread<bool>& flags, PerThread<u32>& lanes) {
#if defined(__CUDACC__)
  lanes.value = __ballot_sync(~0u, flags.value);
#elif defined(REAL_THREADS)
  lanes.value = 0;
  for (int lane = 0; lane < kWarp; ++lane)
    lanes.value |= u32(value_of(flags.value, this_thread / kWarp * kWarp + lane)) << lane;
#else
  for (int t = 0; t < kThreads; ++t) {
    lanes(t) = t % kWarp == 0 ? 0 : lanes(t - 1);
    lanes(t / kWarp * kWarp) |= u32(flags(t)) << t % kWarp;
  }
  for (int t = 0; t < kThreads; ++t) lanes(t) = lanes(t / kWarp * kWarp);
#endif
}
/// The number of lanes from the last one with a flag, up to the thread's own, to this; kWarp if there is none.
CODE int lanes_since(u32 flags, int t) {
  const u32 up_to_here = flags << (kWarp - 1 - t % kWarp);
#if defined(__CUDA_ARCH__)
  return __clz(int(up_to_here));
#else
  return up_to_here == 0 ? kWarp : __builtin_clz(up_to_here);
#endif
}
/// Gives each lane the value of the lane before it; the first lane of a warp an empty sum.
template <int threads = kThreads, class T>
CODE void shift_lanes(PerThread<T>& values) {
#if defined(__CUDACC__)
  const T before = exchanged(values.value, [](u32 word) { return __shfl_up_sync(~0u, word, 1); });
  values.value = threadIdx.x % kWarp == 0 ? T() : before;
#elif defined(REAL_THREADS)
  const T before = value_of(values.value, this_thread - (this_thread % kWarp > 0 ? 1 : 0));
  values.value = this_thread % kWarp == 0 ? T() : before;
#else
  for (int t = threads - 1; t >= 0; --t) values(t) = t % kWarp == 0 ? T() : values(t - 1);
#endif
}
/// The value of a lane of the warp of thread t; of the first warp, if only that calls this.
template <class T>
CODE T value_of_lane(const PerThread<T>& values, int lane, [[maybe_unused]] int t = 0) {
#if defined(__CUDACC__)
  return exchanged(values.value, [=](u32 word) { return __shfl_sync(~0u, word, lane); });
#elif defined(REAL_THREADS)
  return value_of(values.value, this_thread / kWarp * kWarp + lane);
#else
  return values(t / kWarp * kWarp + lane);
#endif
}

// --- Tiles ---

/// Shared memory of a block: for each warp the sums of its elements and, when they are known, of the elements before
/// it. Phases have carries, which have a sum for each reduction, scan and PACK, of types A and B.
template <class A, class B = A>
struct Shared {
  static constexpr int kCarry = sizeof(A) > sizeof(B) ? sizeof(A) : sizeof(B);
  alignas(16) unsigned char of_warps[kWarps * kCarry];
  alignas(16) unsigned char before_warps[kWarps * kCarry];
  template <class Carry>
  CODE Carry* sums() {
    return reinterpret_cast<Carry*>(of_warps);
  }
  template <class Carry>
  CODE Carry* carries() {
    return reinterpret_cast<Carry*>(before_warps);
  }
};
/// For each thread, the sum of elements before the thread's own: of its warp, then of all elements.
template <class F>
using TileSums = PerThread<Run<F>>;
/// Stores the sums of warps, and sets `sums` to that of the elements before each thread in its warp. `own` has the sum
/// of each thread's elements since the last head among them, if there is one. The heads of a warp travel in one word.
template <class F, class Carry>
CODE void sum_threads(PerThread<typename F::Sum>& own, const PerThread<bool>& has_head, TileSums<F>& sums,
                      Carry* of_warps, Run<F> Carry::*member) {
  using Sum = typename F::Sum;
  PerThread<u32> heads;
  find_flags(has_head, heads);
  scan_lanes<kWarp, kThreads>(own, [&](int t, int distance, const Sum& before, const Sum& after) {
    return lanes_since(heads(t), t) < distance ? F::join_heads(before, after) : F::join(before, after);
  });
  EACH_THREAD(t) if (t % kWarp == kWarp - 1) of_warps[t / kWarp].*member = {own(t), u32(heads(t) != 0)};
  shift_lanes(own);
  EACH_THREAD(t) {
    const u32 lower_lanes = (u32(1) << t % kWarp) - 1;
    sums(t) = t % kWarp == 0 ? Run<F>() : Run<F>{own(t), u32((heads(t) & lower_lanes) != 0)};
  }
}
/// Sums the elements of each thread and of each warp. The association depends only on the position in the tile.
template <class F, class T, class Carry, int kItems>
CODE void sum_tile(const Space<kItems>& space, const TileSegments& segments, const Items<T, kItems>& items,
                   TileSums<F>& sums, Carry* of_warps, Run<F> Carry::*member) {
  PerThread<typename F::Sum> own_sums;
  PerThread<bool> has_head;
  EACH_THREAD(t) {
    typename F::Sum sum = F::identity();
    const ThreadSegments own = segments(t);
    EACH_ITEM(space, t, i, e) {
      if (begins_segment(own, i)) sum = F::join_heads(sum, F::identity());
      sum = F::take(sum, items(t, i), e);
    }
    own_sums(t) = sum;
    has_head(t) = (own.heads & ((u32(1) << kItems) - 1)) != 0;
  }
  sum_threads(own_sums, has_head, sums, of_warps, member);
}
/// Adds the elements before the warp of each thread.
template <class F, class Carry>
CODE void add_carries(TileSums<F>& sums, const Carry* carries, Run<F> Carry::*member) {
  EACH_THREAD(t) sums(t) = join(carries[t / kWarp].*member, sums(t));
}
/// The exclusive scan of each segment.
template <class F, class T, class R, int kItems>
CODE void scan_items(const Space<kItems>& space, const TileSegments& segments, const Items<T, kItems>& items,
                     const TileSums<F>& sums, Items<R, kItems>& to) {
  EACH_THREAD(t) {
    Run<F> run = sums(t);
    const ThreadSegments own = segments(t);
    EACH_ITEM(space, t, i, e) {
      const bool is_head = begins_segment(own, i);
      to(t, i) = is_head ? F::empty_value() : run.sum;
      take(run, is_head, items(t, i), e);
    }
  }
}
/// Stores the sums of the segments that end in the tile.
template <class R, class S, class F, class T, int kItems>
CODE void store_sums(const Space<kItems>& space, const S& s, const TileSegments& segments,
                     const Items<T, kItems>& items, const TileSums<F>& sums, const Vector& to) {
  EACH_THREAD(t) {
    Run<F> run = sums(t);
    const ThreadSegments own = segments(t);
    if (has_ends<kItems>(own)) EACH_ITEM(space, t, i, e) {
        take(run, begins_segment(own, i), items(t, i), e);
        if (!ends_segment(own, i)) continue;
        const i64 k = segment_of(s, own, i);
        to.as<R>()[k] = F::template result<R>(run.sum, start(s, k), length(s, k));
      }
  }
}
/// Computes the index in the result of each element that a PACK keeps, the number of kept elements in all, and the
/// number in each segment that ends in the tile.
template <class T, class S, int kItems>
CODE void place_kept(const Space<kItems>& space, const S& s, const TileSegments& segments,
                     const Items<b8, kItems>& flags, const TileSums<Kept<T>>& sums, Items<u32, kItems>& positions,
                     const Vector& kept, const Vector& lengths) {
  EACH_THREAD(t) {
    Run<Kept<T>> run = sums(t);
    const ThreadSegments own = segments(t);
    EACH_ITEM(space, t, i, e) {
      positions(t, i) = run.sum.all;
      take(run, begins_segment(own, i), flags(t, i), e);
      if (ends_segment(own, i)) lengths.as<T>()[segment_of(s, own, i)] = run.sum.here;
      if (e + 1 == space.elements) *kept.as<i64>() = run.sum.all;
    }
    if (space.elements == 0 && t == 0) *kept.as<i64>() = 0;
  }
}

/// Stores the sum of all elements. The thread with the last one knows it.
template <class T, int kItems>
CODE void store_whole(const Space<kItems>& space, const Items<T, kItems>& items, const TileSums<Whole<T>>& sums,
                      const Vector& to) {
  EACH_THREAD(t) {
    T sum = sums(t).sum;
    EACH_ITEM(space, t, i, e) {
      sum = wrap_add<T>(sum, items(t, i));
      if (e + 1 == space.elements) *to.as<i64>() = sum;
    }
    if (space.elements == 0 && t == 0) *to.as<i64>() = 0;
  }
}

// --- Look-back ---

/// Sums that blocks post for later ones. The words of a post each have three words of 4 bytes of the carry and the
/// epoch of the launch (base/board_words.h), so that no fence is needed.
struct Posts {
  Board board;

  template <class Carry>
  static constexpr int kWords = int((sizeof(Carry) - Carry::kPadding + 11) / 12);

  template <class Carry>
  CODE void put(i64 k, const Carry& carry) const {
    constexpr int kCount = kWords<Carry>;
    u32 words[3 * kCount] = {};
    memcpy(words, &carry, sizeof carry - Carry::kPadding);
    UNROLLED for (int w = 0; w < kCount; ++w)
        board.put(k * kCount + w, {words[3 * w] | u64(words[3 * w + 1]) << 32, words[3 * w + 2]});
  }
  /// True if the post is there.
  template <class Carry>
  CODE bool get(i64 k, Carry& carry) const {
    constexpr int kCount = kWords<Carry>;
    u32 words[3 * kCount];
    bool is_there = true;
    UNROLLED for (int w = 0; w < kCount; ++w) {
      Payload payload;
      is_there = board.get(k * kCount + w, payload) && is_there;
      words[3 * w] = u32(payload.low), words[3 * w + 1] = u32(payload.low >> 32), words[3 * w + 2] = payload.high;
    }
    if (is_there) memcpy(static_cast<void*>(&carry), words, sizeof carry - Carry::kPadding);
    return is_there;
  }
};
/// Calls get(t) in each lane of the first warp that has not got what it waits for, until all lanes have. All poll
/// together, so that none is held up by others that diverge.
template <class Get>
CODE void await_lanes(PerThread<bool>& has, Get get) {
#if defined(__CUDACC__)
  NOT_UNROLLED while (__any_sync(~0u, !has.value)) {
    if (!has.value) has.value = get(int(threadIdx.x) % kWarp);
  }
#else
  EACH_LANE(t) if (!has(t) && !get(t)) __builtin_trap();  // on the host all earlier blocks have ended
#endif
}
/// In the first warp, the inclusive scan of the sums of warps, in place. They stay in shared memory, as a lane has too
/// few registers for several carries of many sums.
template <class Carry>
CODE void sum_warps(Carry* of_warps) {
  PerThread<Carry> sums;
  EACH_LANE(t) sums(t) = t < kWarps ? of_warps[t] : Carry();
  scan_warps<kWarps, kWarp>(sums);
  EACH_LANE(t) if (t < kWarps) of_warps[t] = sums(t);
  WARP_BARRIER();
}
/// In the first warp, the sum of all elements before the tile, whose own sum is `own`. Tiles are combined in groups of
/// 32, and these groups in groups of 32, so that only one tile in 1024 is a link of a chain. The order of combination
/// depends only on the number of the tile, unlike in Merrill and Garland, "Single-pass parallel prefix scan with
/// decoupled look-back" (NVIDIA 2016), where it depends on time. A tile posts its own sum before it waits, and tiles
/// are numbered in the order in which their blocks begin.
template <class Carry, int kItems>
CODE Carry sum_before(const Space<kItems>& space, const Posts& posts, const Carry& own) {
  // The number of the tile's group, and that of the group's group; the first posts of groups, and of groups of groups.
  const i64 group = space.tile / kWarp, outer = group / kWarp;
  const i64 groups = space.tiles, outers = groups + space.tiles / kWarp;
  const int in_group = int(space.tile % kWarp), in_outer = int(group % kWarp);
  PerThread<Carry> tiles, outer_groups;
  PerThread<bool> has_tile, has_group;  // whether the lane has what it waits for
  EACH_LANE(t) if (t == 0) posts.put(space.tile, own);
  WARP_BARRIER();  // lanes that wait must not keep this lane from posting
  const auto get_tile = [&](int t) { return t >= in_group || posts.get(group * kWarp + t, tiles(t)); };
  const auto get_group = [&](int t) {
    if (t == 0) return outer == 0 || posts.get(outers + outer - 1, outer_groups(t));
    return t > in_outer || posts.get(groups + outer * kWarp + t - 1, outer_groups(t));
  };
  // If the carries are short, the first loads of both are issued before either is waited for.
  constexpr bool kGetsBoth = sizeof(Carry) <= 16;
  EACH_LANE(t) {
    tiles(t) = outer_groups(t) = Carry();
    has_tile(t) = get_tile(t), has_group(t) = kGetsBoth && get_group(t);
  }
  await_lanes(has_tile, get_tile);
  scan_warps<kWarp, kWarp>(tiles);
  const Carry of_tiles = value_of_lane(tiles, kWarp - 1);
  EACH_LANE(t) if (t == 0 && in_group == kWarp - 1) posts.put(groups + group, join(of_tiles, own));
  WARP_BARRIER();
  await_lanes(has_group, get_group);
  scan_warps<kWarp, kWarp>(outer_groups);
  const Carry before = join(value_of_lane(outer_groups, kWarp - 1), of_tiles);
  EACH_LANE(t) {
    if (t == 0 && in_group == kWarp - 1 && in_outer == kWarp - 1) posts.put(outers + outer, join(before, own));
  }
  return before;
}
/// Finds the sum of all elements before each warp, and returns these carries, in shared memory.
template <class Carry, class SharedMemory, int kItems>
CODE const Carry* look_back(const Space<kItems>& space, const Posts& posts, SharedMemory& shared) {
  Carry *const of_warps = shared.template sums<Carry>(), *const carries = shared.template carries<Carry>();
  BARRIER();
  FIRST_WARP {
    sum_warps(of_warps);
    const Carry before = space.tiles > 1 ? sum_before(space, posts, of_warps[kWarps - 1]) : Carry();
    EACH_LANE(t) if (t < kWarps) carries[t] = t == 0 ? before : join(before, of_warps[t - 1]);
  }
  BARRIER();
  return carries;
}

// --- Replies ---

/// Tells the host how many elements the PACKs keep, behind place_kept() of each. The last tile knows.
template <int kItems>
CODE void give_kept(const Space<kItems>& space, const Reply& reply) {
  if (space.tile + 1 < space.tiles) return;
  BARRIER();
  EACH_THREAD(t) if (t == 0) reply.give();
}
