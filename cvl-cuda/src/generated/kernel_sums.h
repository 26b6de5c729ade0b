// Reductions, scans and packs of generated kernels. This file is not compiled by itself: its text follows
// kernel_prelude.h where a kernel has any of these.

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

/// The sum of consecutive elements since the last head among them, if there is one (Blelloch, "Vector models for
/// data-parallel computing", section 4.3).
template <class F>
struct Run {
  typename F::Sum sum = F::identity();
  u32 has_head = 0;  ///< 1 or 0; NVRTC and registers do better with a word than with a bool
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

constexpr int kLargestRun = 24;
/// Shared memory of a block: for the sums of its threads, twice, or the carries of 34 tiles; and for the carry of the
/// tile. Phases have carries of types A and B.
template <class A, class B = A>
struct Shared {
  static constexpr int kCarry = sizeof(A) > sizeof(B) ? sizeof(A) : sizeof(B);
  static constexpr int kRuns = 2 * kThreads * kLargestRun, kCarries = 34 * kCarry;
  alignas(16) unsigned char bytes[kRuns > kCarries ? kRuns : kCarries];
  alignas(16) unsigned char own_bytes[kCarry];
  template <class T>
  CODE T* as() {
    return reinterpret_cast<T*>(bytes);
  }
  template <class Carry>
  CODE Carry& own() {
    return *reinterpret_cast<Carry*>(own_bytes);
  }
};
/// For each thread, the sum of the tile's elements before the thread's own.
template <class F>
using TileSums = PerThread<Run<F>>;
/// Sums the elements of each thread, then the threads by doubling (Hillis and Steele, "Data parallel algorithms", CACM
/// 1986): the association depends only on the position in the tile. `total`, in shared memory, becomes the sum of the
/// tile.
template <class F, class T, class SharedMemory>
CODE void sum_tile(const Space& space, const TileSegments& segments, const Items<T>& items, SharedMemory& shared,
                   TileSums<F>& sums, Run<F>& total) {
  static_assert(sizeof(Run<F>) <= kLargestRun);
  Run<F>*from = shared.template as<Run<F>>(), *to = from + kThreads;
  EACH_THREAD(t) {
    Run<F> run;
    const ThreadSegments own = segments(t);
    EACH_ITEM(space, t, i, e) take(run, begins_segment(own, i), items(t, i), e);
    from[t] = run;
  }
  BARRIER();
  NOT_UNROLLED for (int distance = 1; distance < kThreads; distance *= 2) {
    EACH_THREAD(t) to[t] = t < distance ? from[t] : join(from[t - distance], from[t]);
    BARRIER();
    Run<F>* const next = from;
    from = to, to = next;
  }
  EACH_THREAD(t) {
    sums(t) = t == 0 ? Run<F>() : from[t - 1];
    if (t == kThreads - 1) total = from[t];
  }
  BARRIER();
}
/// The exclusive scan of each segment. `carry` is the sum of the elements before the tile.
template <class F, class T, class R>
CODE void scan_items(const Space& space, const TileSegments& segments, const Items<T>& items, const TileSums<F>& sums,
                     const Run<F>& carry, Items<R>& to) {
  EACH_THREAD(t) {
    Run<F> run = join(carry, sums(t));
    const ThreadSegments own = segments(t);
    EACH_ITEM(space, t, i, e) {
      const bool is_head = begins_segment(own, i);
      to(t, i) = is_head ? F::empty_value() : run.sum;
      take(run, is_head, items(t, i), e);
    }
  }
}
/// Stores the sums of the segments that end in the tile.
template <class R, class S, class F, class T>
CODE void store_sums(const Space& space, const S& s, const TileSegments& segments, const Items<T>& items,
                     const TileSums<F>& sums, const Run<F>& carry, const Vector& to) {
  EACH_THREAD(t) {
    Run<F> run = join(carry, sums(t));
    const ThreadSegments own = segments(t);
    EACH_ITEM(space, t, i, e) {
      take(run, begins_segment(own, i), items(t, i), e);
      if (!ends_segment(own, i)) continue;
      const i64 k = segment_of(s, own, i);
      to.as<R>()[k] = F::template result<R>(run.sum, start(s, k), length(s, k));
    }
  }
}
/// Computes the index in the result of each element that a PACK keeps, the number of kept elements in all, and the
/// number in each segment that ends in the tile.
template <class T, class S>
CODE void place_kept(const Space& space, const S& s, const TileSegments& segments, const Items<b8>& flags,
                     const TileSums<Kept<T>>& sums, const Run<Kept<T>>& carry, Items<u32>& positions,
                     const Vector& kept, const Vector& lengths) {
  EACH_THREAD(t) {
    Run<Kept<T>> run = join(carry, sums(t));
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

// --- Look-back ---

/// Sums that tiles and groups of tiles publish for later tiles: carries, each with a word of a board (base/board.h).
/// The word has the epoch of this launch once the carry is stored. Words of other epochs were written by earlier
/// launches.
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
      __builtin_trap();  // on the host all earlier tiles have ended
#endif
    }
    return static_cast<const Carry*>(carries)[k];
  }
};
/// The sum of all elements before the tile. Tiles are combined in groups of 32, and these groups in groups of 32, so
/// that only one tile in 1024 is a link of a chain. The order of combination depends only on the number of the tile,
/// unlike in Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back" (NVIDIA 2016), where it
/// depends on time. A tile posts its own sum before it waits, and tiles are numbered in the order in which their blocks
/// begin. The result, like `own`, is in the shared memory of the block.
template <class Carry, class SharedMemory>
CODE const Carry& look_back(const Space& space, const Posts& posts, const Carry& own, SharedMemory& shared) {
  constexpr int kBefore = 32, kSum = 33;  // follow the posts of a group
  Carry* const seen = shared.template as<Carry>();
  // The index of the first post of this level, the number of this tile or of its group in the level, and the level's
  // size.
  i64 first = 0, number = space.tile, posted = space.tiles;
  bool is_last = true;
  NOT_UNROLLED for (int level = 0; level < 2; ++level) {
    const i64 group = number / 32, next = first + posted;
    const int in_group = int(number % 32);
    const bool has_groups_before = level > 0 && group > 0;
    is_last = is_last && in_group == 31;
    EACH_THREAD(t) {
      if (t == 0 && level == 0 && space.tiles > 1) posts.put(number, own);
      const bool is_before = t == kBefore && has_groups_before;
      if (t < in_group || is_before)
        seen[t] = posts.await<Carry>(is_before ? next + group - 1 : first + group * 32 + t);
    }
    BARRIER();
    EACH_THREAD(t) if (t == 0) {
      Carry sum = has_groups_before ? seen[kBefore] : Carry();
      NOT_UNROLLED for (int j = 0; j < in_group; ++j) sum = join(sum, seen[j]);
      if (level > 0) sum = join(sum, seen[kSum]);
      if (is_last) posts.put(next + group, join(sum, own));
      seen[kSum] = sum;
    }
    BARRIER();
    first = next, number = group, posted /= 32;
  }
  return seen[kSum];
}
