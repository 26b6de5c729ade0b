// Definitions that generated kernels use. This file is not compiled by itself: its text precedes the kernels and
// follows vcode/arith.h, base/atomics.h, base/device_faults.h and kernel_threads.h. A device compiler makes kernels of
// the text. A host compiler makes functions that run one block after the other, and the threads of a block in a loop
// from each barrier to the next. Both compute the same bits.

using namespace vcode;
using cvl::cuda::atomic_max, cvl::cuda::atomic_or, cvl::cuda::Faults;

constexpr int kMostRounds = 1024;  // of a repeated kernel, which ends before anybody waits for it in vain

// --- Elements of the threads ---

/// Loops over the elements of a thread that are in the index space. They are consecutive: i is the number, below
/// kItems, e the element.
#define EACH_ITEM(space, t, i, e)                                                                                      \
  UNROLLED for (int i = 0; i < kItems; ++i) if (i < (space).left(t)) if (const i64 e = (space).first + t * kItems + i; \
                                                                         true)

/// One value for each element of a tile, kItems a thread.
template <class T, int kItems>
struct Items {
  struct Held {
    T at[kItems];
  };
  PerThread<Held> held;
  CODE T& operator()(int t, int i) { return held(t).at[i]; }
  CODE const T& operator()(int t, int i) const { return held(t).at[i]; }
};

/// A tile of an index space: `count` elements, up to kItems for each thread, from `first` on.
template <int kItems>
struct Space {
  i64 elements, tile, tiles, first;
  int count;
  /// The number of elements from the first of a thread on; not positive if the thread has none.
  CODE int left(int t) const { return count - t * kItems; }
};
template <int kItems>
CODE Space<kItems> space_of(i64 elements, i64 tile) {
  constexpr int kTile = kThreads * kItems;
  const i64 tiles = elements <= kTile ? 1 : (elements + kTile - 1) / kTile, first = tile * kTile,
            left = elements - first;
  return {elements, tile, tiles, first, int(left < kTile ? left : kTile)};
}

/// The memory of a vector. The length is in elements.
struct Vector {
  void* data;
  i64 length;
  template <class T>
  CODE T* as() const {
    return static_cast<T*>(data);
  }
};

/// A vector with an element for each segment. If its only element is on the host, the element is an argument.
struct PerSegment {
  const void* data;
  u64 only;  ///< bytes of the only element, if there is no address
  template <class T>
  CODE T of(i64 k) const {
    if (data != nullptr) return static_cast<const T*>(data)[k];
    T element;
    memcpy(&element, &only, sizeof element);
    return element;
  }
};

/// The elements that one instruction loads or stores.
template <class T, int kItems>
struct alignas(sizeof(T) * kItems < 16 ? sizeof(T) * kItems : 16) Chunk {
  static constexpr int kCount = sizeof(T) * kItems < 16 ? kItems : int(16 / sizeof(T));
  T at[kCount];
};

/// Loads the elements of thread t from consecutive addresses, several elements at once. `from` is aligned to a Chunk.
template <class T, int kItems>
CODE void load_chunks(const T* from, int t, Items<T, kItems>& to) {
#if !defined(__CUDA_ARCH__)
  if (reinterpret_cast<u64>(from) % alignof(Chunk<T, kItems>) != 0) __builtin_trap();  // as on a device
#endif
  UNROLLED for (int c = 0; c < kItems; c += Chunk<T, kItems>::kCount) {
    const Chunk<T, kItems> chunk = *reinterpret_cast<const Chunk<T, kItems>*>(from + c);
    UNROLLED for (int j = 0; j < Chunk<T, kItems>::kCount; ++j) to(t, c + j) = chunk.at[j];
  }
}

/// Loads the elements of the threads from a vector over the index space; several at once, except at the end of the
/// vector.
template <class T, int kItems>
CODE void load(const Space<kItems>& space, const Vector& from, Items<T, kItems>& to) {
  const T* const data = from.as<const T>();
  EACH_THREAD(t) {
    const i64 begin = space.first + t * kItems;
    if (space.left(t) >= kItems) {
      load_chunks(data + begin, t, to);
    } else {
      EACH_ITEM(space, t, i, e) to(t, i) = data[e];
    }
  }
}

/// Stores the elements of the threads, the reverse of load().
template <class T, int kItems>
CODE void store(const Space<kItems>& space, const Items<T, kItems>& from, const Vector& to) {
  T* const data = to.as<T>();
  EACH_THREAD(t) {
    const i64 begin = space.first + t * kItems;
    if (space.left(t) >= kItems) {
      UNROLLED for (int c = 0; c < kItems; c += Chunk<T, kItems>::kCount) {
        Chunk<T, kItems> chunk;
        UNROLLED for (int j = 0; j < Chunk<T, kItems>::kCount; ++j) chunk.at[j] = from(t, c + j);
        *reinterpret_cast<Chunk<T, kItems>*>(data + begin + c) = chunk;
      }
    } else {
      EACH_ITEM(space, t, i, e) data[e] = from(t, i);
    }
  }
}

/// Reports a fault. Of all faults of one run the first remains: that of the first step and, within it, of the lowest
/// position.
COLD void report_found(const Faults& faults, FaultKind kind, i64 step, i64 position, i64 value, i64 bound) {
  faults.report(kind, cvl::cuda::position_in_kernel(step, position), value, bound);
}
CODE void report(const Faults& faults, FaultKind kind, i64 step, i64 position, i64 value, i64 bound) {
  if (kind != FaultKind::kNone) report_found(faults, kind, step, position, value, bound);
}
/// The value that a message about a fault of an elementwise operation shows, the second or only operand. bound_of() is
/// the first of several operands.
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

/// The heads among 32 elements: a bit for each element that begins a segment, and the number of heads before the 32.
struct Heads {
  u32 bits, before;
};
/// A descriptor, as cvl::SegmentDescriptor: irregular segments have offsets and heads; `nonempty` is null if no segment
/// is empty.
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
/// Divides in 32 bits where that suffices.
CODE i64 quotient(i64 a, i64 b) { return (u64(a) | u64(b)) >> 32 == 0 ? i64(u32(a) / u32(b)) : a / b; }

/// The head bits of the elements of a thread.
struct ThreadSegments {
  u32 heads;   ///< a bit for each element that begins a segment, the element after the last included; and for the end
  i64 before;  ///< number of nonempty segments that begin before the thread's elements
};
CODE bool begins_segment(const ThreadSegments& own, int i) { return (own.heads >> i & 1) != 0; }
CODE bool ends_segment(const ThreadSegments& own, int i) { return begins_segment(own, i + 1); }
/// True if a segment ends among the elements of the thread.
template <int kItems>
CODE bool has_ends(const ThreadSegments& own) {
  return (own.heads >> 1 & ((u32(1) << kItems) - 1)) != 0;
}
/// The head bits of the elements up to i of the thread.
CODE u32 heads_up_to(const ThreadSegments& own, int i) { return own.heads & ((u32(2) << i) - 1); }
/// The segment of element i of the thread.
CODE i64 segment_of(const Segments& s, const ThreadSegments& own, int i) {
  const i64 head = own.before + count_bits(heads_up_to(own, i)) - 1;
  return s.nonempty == nullptr ? head : s.nonempty[head];
}
/// The head bits of a thread whose first element is e.
template <int kItems>
CODE ThreadSegments segments_from(const Segments& s, i64 e) {
  static_assert(32 % kItems == 0);
  const i64 left = s.elements - e;
  if (left <= 0) return {0, 0};
  const u32 end = left <= kItems ? u32(1) << left : 0;
  if (s.segments == 1) return {end | (e == 0 ? 1 : 0), e == 0 ? 0 : 1};
  if (is_regular(s)) {
    const i64 k = quotient(e, s.regular_length), in_segment = e - k * s.regular_length;
    ThreadSegments own = {end, in_segment == 0 ? k : k + 1};
    const int step = int(s.regular_length <= kItems ? s.regular_length : kItems + 1);
    const i64 next = in_segment == 0 ? 0 : s.regular_length - in_segment;
    NOT_UNROLLED for (int i = int(next <= kItems ? next : kItems + 1); i <= kItems; i += step) own.heads |= u32(1) << i;
    return own;
  }
  const Heads* const at = s.heads + (u64(e) >> 5);
  const Heads word = *at;
  const int in_word = int(u32(e) % 32);
  const u32 behind = in_word + kItems == 32 && left > kItems ? at[1].bits : 0;
  return {end | word.bits >> in_word | behind << kItems,
          word.before + count_bits(word.bits & ((u32(1) << in_word) - 1))};
}
/// True if some segment may be empty.
CODE bool may_have_empty(const Segments& s) { return s.elements == 0 || s.nonempty != nullptr; }

/// A descriptor that is known to be single, with the same functions.
struct OneSegment : Segments {};
CODE i64 start(const OneSegment&, i64) { return 0; }
CODE i64 length(const OneSegment& s, i64) { return s.elements; }
CODE i64 segment_of(const OneSegment&, const ThreadSegments&, int) { return 0; }
template <int kItems>
CODE ThreadSegments segments_from(const OneSegment& s, i64 e) {
  const i64 left = s.elements - e;
  return {(left > 0 && left <= kItems ? u32(1) << left : 0) | (e == 0 ? 1 : 0), 0};
}
CODE bool may_have_empty(const OneSegment& s) { return s.elements == 0; }

using TileSegments = PerThread<ThreadSegments>;
template <class S, int kItems>
CODE void find_segments(const Space<kItems>& space, const S& s, TileSegments& segments) {
  EACH_THREAD(t) segments(t) = segments_from<kItems>(s, space.first + t * kItems);
}
/// Position of element `index` of a range of `count` elements from `begin` on; -1, and a fault, if out of range.
CODE i64 position_among(i64 begin, i64 count, i64 index, const Faults& faults, i64 step, i64 e) {
  if (u64(index) < u64(count)) return begin + index;
  report(faults, FaultKind::kIndexRange, step, e, index, count);
  return -1;
}
/// Position of the element of segment segment() that a gather reads or a scatter writes; -1, and a fault, if out of
/// range. The segment of a single one, the usual table, is not looked for.
template <class S, class Segment>
CODE i64 position_in(const S& s, Segment segment, i64 index, const Faults& faults, i64 step, i64 e) {
  if (s.segments == 1) return position_among(0, s.elements, index, faults, step, e);
  const i64 k = segment();
  return position_among(start(s, k), length(s, k), index, faults, step, e);
}
/// In place of the flags of a gather that has none.
struct EachWanted {
  CODE bool operator()(int, int) const { return true; }
};
/// Loads the elements of a table at the indices of a thread, and then looks whether one was out of range: loads wait
/// neither for each other nor for checks. `from` describes the table, `like` the indices, whose segments are found
/// where the table is not single, as it usually is. Elements that are not wanted, and those out of range, are 0.
template <class S, class I, class Wanted, class T, int kItems>
CODE void gather(const Space<kItems>& space, const S& from, const S& like, const Items<I, kItems>& indices,
                 const Wanted& wanted, const Vector& table, const Faults& faults, i64 step, Items<T, kItems>& to) {
  const T* const data = table.as<const T>();
  EACH_THREAD(t) {
    bool is_wrong = false;
    if (from.segments == 1) {
      UNROLLED for (int i = 0; i < kItems; ++i) {
        const bool is_wanted = i < space.left(t) && wanted(t, i);
        const i64 index = is_wanted ? i64(indices(t, i)) : 0;
        const bool is_there = u64(index) < u64(from.elements);
        to(t, i) = is_wanted && is_there ? data[index] : T(0);
        if (is_wanted && !is_there) is_wrong = true;
      }
    } else {
      const ThreadSegments own = segments_from<kItems>(like, space.first + t * kItems);
      EACH_ITEM(space, t, i, e) {
        const i64 k = segment_of(like, own, i), index = indices(t, i);
        const bool is_wanted = wanted(t, i), is_there = u64(index) < u64(length(from, k));
        to(t, i) = is_wanted && is_there ? data[start(from, k) + index] : T(0);
        if (is_wanted && !is_there) is_wrong = true;
      }
    }
    if (is_wrong) {
      const ThreadSegments own = segments_from<kItems>(like, space.first + t * kItems);
      EACH_ITEM(space, t, i, e) {
        if (wanted(t, i))
          position_in(
              from, [&] { return segment_of(like, own, i); }, indices(t, i), faults, step, e);
      }
    }
  }
}
/// The positions in its table of a thread's elements of a SLICE.
template <int kItems>
struct Positions {
  Items<i64, kItems> at;
  PerThread<bool> consecutive;  ///< true if the positions are consecutive and all elements are in the index space
};
/// Finds the positions of slices. The slice for segment k begins at start_of(k).
template <class S, class F, int kItems>
CODE void find_positions(const Space<kItems>& space, const S& s, const TileSegments& segments, F start_of,
                         Positions<kItems>& positions) {
  EACH_THREAD(t) {
    const ThreadSegments own = segments(t);
    bool consecutive = space.left(t) >= kItems;
    EACH_ITEM(space, t, i, e) {
      const i64 k = segment_of(s, own, i);
      positions.at(t, i) = wrap_add<i64>(start_of(k), e - start(s, k));
      if (i > 0) consecutive = consecutive && positions.at(t, i) == positions.at(t, i - 1) + 1;
    }
    positions.consecutive(t) = consecutive;
  }
}
/// Loads the slices of a table. Consecutive elements are checked together, and loaded several at once if aligned to a
/// Chunk.
template <class T, int kItems>
CODE void slice(const Space<kItems>& space, const Positions<kItems>& positions, const Vector& table,
                const Faults& faults, i64 step, Items<T, kItems>& to) {
  const T* const data = table.as<const T>();
  EACH_THREAD(t) {
    const i64 first = positions.at(t, 0);
    if (positions.consecutive(t) && first >= 0 && first <= table.length - kItems) {
      if (first % Chunk<T, kItems>::kCount == 0) {
        load_chunks(data + first, t, to);
      } else {
        UNROLLED for (int i = 0; i < kItems; ++i) to(t, i) = data[first + i];
      }
    } else {
      EACH_ITEM(space, t, i, e) {
        const i64 position = position_among(0, table.length, positions.at(t, i), faults, step, e);
        to(t, i) = position < 0 ? T(0) : data[position];
      }
    }
  }
}
/// Marks a target as written. Reports a fault if it was written before.
CODE void mark_written(const Vector& written, i64 position, i64 index, const Faults& faults, i64 step, i64 e) {
  const u32 bit = u32(1) << (position % 32);
  if ((atomic_or(written.as<u32>() + position / 32, bit) & bit) != 0)
    report(faults, FaultKind::kDuplicateTarget, step, e, index, 0);
}
/// Calls f(k) for the part of one of several blocks of the numbers below n.
template <class F>
CODE void each_number(i64 block, i64 blocks, i64 n, F f) {
  EACH_THREAD(t) { NOT_UNROLLED for (i64 k = block * kThreads + t; k < n; k += blocks * kThreads) f(k); }
}
/// Calls f(k) for the part of one of several blocks of the empty segments.
template <class S, class F>
CODE void each_empty(i64 block, i64 blocks, const S& s, F f) {
  if (!may_have_empty(s)) return;
  each_number(block, blocks, s.segments, [&](i64 k) {
    if (length(s, k) == 0) f(k);
  });
}
