// Kernels all of whose sums are reductions: blocks fold shares of the tiles, and the last of them joins the shares, so
// that no block waits for another. This file is not compiled by itself: its text follows kernel_sums.h.

/// The consecutive tiles that a block folds.
struct Share {
  i64 elements, block, blocks, first, end;
};
/// There are as many shares as tiles, or kMostShares of as many tiles each, the last of which may be empty.
template <int kItems>
CODE Share share_of(i64 elements, i64 block) {
  const i64 tiles = space_of<kItems>(elements, 0).tiles;
  const i64 each = tiles <= kMostShares ? 1 : (tiles + kMostShares - 1) / kMostShares;
  const i64 first = block * each, end = first + each;
  return {elements, block, tiles < kMostShares ? tiles : kMostShares, first, end < tiles ? end : tiles};
}

/// Shared memory of a block: the sums of the warps of a tile, of two tiles in turns, so that one barrier a tile is
/// enough; and the sum of the segment that ends first in the share.
template <class Carry>
struct SharesShared {
  alignas(16) unsigned char of_warps[2][kWarps * sizeof(Carry)];
  alignas(16) unsigned char of_front[sizeof(Carry)];
  u32 is_last;
  CODE Carry* sums(i64 tile) { return reinterpret_cast<Carry*>(of_warps[tile % 2]); }
  CODE Carry& front() { return *reinterpret_cast<Carry*>(of_front); }
};

/// True in the last block of a launch that calls this, behind its post: the posts of all others are there or on their
/// way. Posts need no fence, so that the order in which memory shows them and the ticket does not matter.
template <class SharedMemory>
CODE bool ends_last(const Share& share, const Ticket& ticket, SharedMemory& shared) {
  EACH_THREAD(t) if (t == 0) shared.is_last = blocks_before(ticket) == share.blocks - 1 ? 1 : 0;
  BARRIER();
  return shared.is_last != 0;
}
/// A post that is there or on its way.
template <class Carry>
CODE Carry post_of(const Posts& posts, i64 k) {
  Carry carry;
  NOT_UNROLLED while (!posts.get(k, carry)) {
#if !defined(__CUDA_ARCH__)
    __builtin_trap();  // on the host all earlier blocks have ended
#endif
  }
  return carry;
}
/// The shares whose posts a thread of the last block joins.
constexpr int kSharesOfThread = kMostShares / kThreads;
static_assert(kMostShares % kThreads == 0);
/// In the last block, the inclusive scan of the first posts of all shares, kSharesOfThread a thread, in each warp,
/// whose sums it stores.
template <class Carry>
CODE void sum_posts(const Share& share, const Posts& posts, PerThread<Carry>& sums, Carry* of_warps) {
  EACH_THREAD(t) {
    Carry sum;
    UNROLLED for (int k = 0; k < kSharesOfThread; ++k) {
      const i64 block = t * kSharesOfThread + k;
      if (block < share.blocks) sum = join(sum, post_of<Carry>(posts, block));
    }
    sums(t) = sum;
  }
  scan_warps(sums);
  EACH_THREAD(t) if (t % kWarp == kWarp - 1) of_warps[t / kWarp] = sums(t);
}

// --- One segment ---

/// For each thread, the sum of its elements in all tiles of the share.
template <class F>
struct ThreadSums : PerThread<typename F::Sum> {
  CODE ThreadSums() { EACH_THREAD(t) (*this)(t) = F::identity(); }
};
/// Adds the elements of a tile to the sums of the threads.
template <class F, class T, int kItems>
CODE void add_items(const Space<kItems>& space, const Items<T, kItems>& items, ThreadSums<F>& sums) {
  EACH_THREAD(t) EACH_ITEM(space, t, i, e) sums(t) = F::take(sums(t), items(t, i), e);
}
/// Stores the sums of warps.
template <class F, class Carry>
CODE void join_lanes(ThreadSums<F>& sums, Carry* of_warps, Run<F> Carry::*member) {
  using Sum = typename F::Sum;
  scan_lanes<kWarp, kThreads>(static_cast<PerThread<Sum>&>(sums),
                              [](int, int, const Sum& before, const Sum& after) { return F::join(before, after); });
  EACH_THREAD(t) if (t % kWarp == kWarp - 1) of_warps[t / kWarp].*member = {sums(t), 0};
}
/// Posts the sum of a share. In the last block, returns the address of the sum of all shares, which thread 0 may read;
/// null in others. The association depends on the number of elements only.
template <class Carry, class SharedMemory>
CODE const Carry* join_shares(const Share& share, const Posts& posts, const Ticket& ticket, SharedMemory& shared) {
  Carry* of_warps = shared.sums(0);
  BARRIER();
  FIRST_WARP { sum_warps(of_warps); }
  if (share.blocks == 1) return of_warps + kWarps - 1;
  EACH_THREAD(t) if (t == 0) posts.put(share.block, of_warps[kWarps - 1]);
  if (!ends_last(share, ticket, shared)) return nullptr;
  PerThread<Carry> sums;
  of_warps = shared.sums(1);
  sum_posts(share, posts, sums, of_warps);
  BARRIER();
  FIRST_WARP { sum_warps(of_warps); }
  return of_warps + kWarps - 1;
}
/// The result of a reduction of all elements; `empty` if there are none.
template <class R, class F>
CODE R total(const Share& share, const Run<F>& run, R empty) {
  return share.elements == 0 ? empty : F::template result<R>(run.sum, 0, share.elements);
}

// --- Any segments ---

/// Waits for the sums of the warps of a tile, sets `before` to the sum of the share's elements before each warp, and
/// adds the tile's to `carry`, that of the elements before the tile. Each warp does the same.
template <class Carry>
CODE void join_warps(const Carry* of_warps, PerThread<Carry>& carry, PerThread<Carry>& before) {
  PerThread<Carry> sums;
  BARRIER();
  EACH_THREAD(t) sums(t) = of_warps[t % kWarps];
  scan_warps<kWarps>(sums);
  EACH_THREAD(t) {
    const int warp = t / kWarp;
    const Carry own = value_of_lane(sums, warp == 0 ? 0 : warp - 1, t), all = value_of_lane(sums, kWarps - 1, t);
    before(t) = warp == 0 ? carry(t) : join(carry(t), own);
    carry(t) = join(carry(t), all);
  }
}
/// Stores the sums of the segments that end in the tile. That of a segment which begins before the share is `front`.
template <class R, class S, class F, class T, class Carry, int kItems>
CODE void store_ends(const Space<kItems>& space, const S& s, const TileSegments& segments,
                     const Items<T, kItems>& items, const TileSums<F>& sums, const PerThread<Carry>& before,
                     Run<F> Carry::*member, const Vector& to, Carry& front) {
  EACH_THREAD(t) {
    const ThreadSegments own = segments(t);
    const u32 ends = own.heads >> 1 & ((u32(1) << kItems) - 1);
    if (ends != 0) {
      const Run<F> run = join(before(t).*member, sums(t));
      // The first end is the front of the share if no head precedes it.
      const u32 first_end = ends & (~ends + 1);
      const bool is_front = run.has_head == 0 && (own.heads & (first_end | (first_end - 1))) == 0;
      const u32 stored = is_front ? ends ^ first_end : ends;
      const i64 before_first = own.before - 1;
      const i32* const nonempty = s.nonempty == nullptr ? nullptr : s.nonempty + before_first;
      R* const results = to.as<R>() + (nonempty == nullptr ? before_first : 0);
      typename F::Sum sum = run.sum;
      // Elements behind the last of the space do not matter, as no segment ends there.
      UNROLLED for (int i = 0; i < kItems; ++i) {
        if (begins_segment(own, i)) sum = F::join_heads(sum, F::identity());
        sum = F::take(sum, items(t, i), space.first + t * kItems + i);
        if ((stored >> i & 1) != 0) {
          const i64 k = segment_of(s, own, i);
          const int heads = count_bits(heads_up_to(own, i));
          results[nonempty == nullptr ? heads : nonempty[heads]] =
              F::template result<R>(sum, start(s, k), length(s, k));
        }
      }
      if (is_front) {
        sum = run.sum;
        UNROLLED for (int i = 0; i < kItems; ++i) {
          if (u32(1) << i <= first_end) sum = F::take(sum, items(t, i), space.first + t * kItems + i);
        }
        front.*member = {sum, 1};
      }
    }
  }
}
/// Posts the sum of the elements since the last head of a share, `carry`, and its front. In the last block, calls
/// store(e, before, front) for each share but the first, of which e is the first element: `before` is the sum of the
/// elements before the share. The association depends on the number of elements only.
template <int kItems, class Carry, class SharedMemory, class Store>
CODE void join_fronts(const Share& share, const Posts& posts, const Ticket& ticket, PerThread<Carry>& carry,
                      SharedMemory& shared, Store store) {
  if (share.blocks == 1) return;
  BARRIER();
  EACH_THREAD(t) if (t == 0) {
    posts.put(share.block, carry(t));
    posts.put(share.blocks + share.block, shared.front());
  }
  if (!ends_last(share, ticket, shared)) return;
  PerThread<Carry> sums;
  Carry* const of_warps = shared.sums(0);
  sum_posts(share, posts, sums, of_warps);
  shift_lanes(sums);
  EACH_THREAD(t) carry(t) = Carry();
  PerThread<Carry> before;
  join_warps(of_warps, carry, before);
  EACH_THREAD(t) {
    Carry sum = join(before(t), sums(t));
    NOT_UNROLLED for (int k = 0; k < kSharesOfThread; ++k) {
      const i64 block = t * kSharesOfThread + k;
      if (block >= share.blocks) break;
      if (block > 0)
        store(share_of<kItems>(share.elements, block).first * kThreads * kItems, sum,
              post_of<Carry>(posts, share.blocks + block));
      sum = join(sum, post_of<Carry>(posts, block));
    }
  }
}
/// Stores the sum of the segment that ends first in a share whose first element is e, if the segment begins before.
template <class R, int kItems, class S, class F>
CODE void store_front(const S& s, i64 e, const Run<F>& before, const Run<F>& front, const Vector& to) {
  if (front.has_head == 0) return;
  const i64 k = segment_of(s, segments_from<kItems>(s, e), 0);
  to.as<R>()[k] = F::template result<R>(F::join(before.sum, front.sum), start(s, k), length(s, k));
}
