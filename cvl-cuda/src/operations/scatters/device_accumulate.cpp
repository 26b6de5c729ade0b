#include <bit>

#include "base/atomics.h"
#include "cvl/op_dispatch.h"
#include "executor/cub_sort.h"
#include "operations/device_operations.h"
#include "operations/scatters/scattering.h"
#include "operations/tiled.h"

namespace cvl::cuda {
namespace {

/// Whether elements are combined in memory, in any order. Otherwise they are sorted by their places first: floats,
/// whose combination must not depend on the order in which threads run, and elements without atomic operations.
template <class M, class T>
inline constexpr bool kIsAtomic = !std::is_floating_point_v<T> && M::kMonoid != Monoid::kProduct &&
                                  (M::kMonoid != Monoid::kParity || !std::is_same_v<T, bool>);

/// Combines an element with that at an address with which other threads combine elements at the same time.
template <class M, class T>
VC_HD void combine_at(T* at, T x) {
  if constexpr (M::kMonoid == Monoid::kSum) {
    using W = std::make_unsigned_t<T>;
    atomic_add(reinterpret_cast<W*>(at), static_cast<W>(x));
  } else if constexpr (M::kMonoid == Monoid::kParity) {
    using W = std::make_unsigned_t<T>;
    atomic_xor(reinterpret_cast<W*>(at), static_cast<W>(x));
  } else {
    // Of many elements with one place few change what is there.
    const T old = load_relaxed(at);
    if (M::combine(x, old) == old) return;
    if constexpr (std::is_same_v<T, bool>)
      store_racing(at, x);
    else if constexpr (M::kMonoid == Monoid::kMax)
      atomic_max(at, x);
    else if constexpr (M::kMonoid == Monoid::kMin)
      atomic_min(at, x);
    else if constexpr (M::kMonoid == Monoid::kAll)
      atomic_and(reinterpret_cast<std::make_unsigned_t<T>*>(at), static_cast<std::make_unsigned_t<T>>(x));
    else
      atomic_or(reinterpret_cast<std::make_unsigned_t<T>*>(at), static_cast<std::make_unsigned_t<T>>(x));
  }
}

template <class T, class I>
struct Accumulation {
  Targets<const I*> targets;
  const T* source;
  const T* defaults;
  T* to;
  std::int64_t n, places;
  Faults faults;
};

template <Lookup lookup, Starts starts, class M, class T, class I>
void combine_in_memory(Executor& executor, const Accumulation<T, I>& work) {
  map_segments<lookup, Moved<T>>(
      executor, work.targets.from,
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k) {
        const std::int64_t position = work.targets.template of<starts>(e, k);
        return Moved<T>{position, position >= 0 ? work.source[e] : T(0)};
      },
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k, const Moved<T>& moved) {
        if (moved.position >= 0)
          combine_at<M>(work.to + moved.position, moved.element);
        else
          work.targets.template report<starts>(e, k, work.faults);
      });
}

/// Combines two elements in their order.
template <class M, class T>
struct AccumulateBy {
  VC_HD T operator()(T before, T behind) const { return vcode::accumulate<M>(behind, before); }
};
struct AsIs {
  template <class T>
  VC_HD T operator()(T x) const {
    return x;
  }
};

template <Lookup lookup, Starts starts, class W, class I>
void find_places(Executor& executor, const Targets<const I*>& targets, const Faults& faults, W* place, W* element) {
  map_segments<lookup, std::int64_t>(
      executor, targets.from,
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k) { return targets.template of<starts>(e, k); },
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k, std::int64_t position) {
        if (position < 0) targets.template report<starts>(e, k, faults);
        place[e] = static_cast<W>(position < 0 ? 0 : position);
        element[e] = static_cast<W>(e);
      });
}

/// The number of sorted places below `place`.
template <class W>
VC_HD std::int64_t count_below(const W* sorted, std::int64_t n, std::int64_t place) {
  std::int64_t low = 0, high = n;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (static_cast<std::int64_t>(sorted[middle]) < place)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Where the elements of each place begin among the sorted places.
template <class W>
void find_begins(Executor& executor, const W* sorted, std::int64_t n, std::int64_t* begins, std::int64_t places) {
  executor.for_each(places + 1, [=] CVL_DEVICE(std::int64_t p) { begins[p] = count_below(sorted, n, p); });
}

template <class T, class W>
void reorder(Executor& executor, const T* source, const W* from, std::int64_t n, T* to) {
  executor.template map<T>(
      n, [=] CVL_DEVICE(std::int64_t p) { return source[from[p]]; }, StoreTo<T>{to});
}

/// Sorts the elements by their places, and reduces those of each.
template <class M, class W, class T, class I>
void combine_sorted(const Context& context, const Accumulation<T, I>& work) {
  Executor& executor = context.executor;
  const std::int64_t n = work.n, places = work.places;
  Scratch<W> place(context.pool(), n), place_too(context.pool(), n);
  Scratch<W> element(context.pool(), n), element_too(context.pool(), n);
  with_lookup(work.targets.from, work.targets.to, [&]<Lookup lookup, Starts starts>() {
    find_places<lookup, starts>(executor, work.targets, work.faults, place.data(), element.data());
  });
  Buffers<W> keys{place.data(), place_too.data()}, order{element.data(), element_too.data()};
  if (places > 1) executor.sort_pairs(keys, order, n, std::bit_width(static_cast<std::uint64_t>(places - 1)));
  Scratch<std::int64_t> offsets(context.pool(), places + 1);
  Scratch<T> sorted(context.pool(), n);
  find_begins(executor, keys.current, n, offsets.data(), places);
  reorder(executor, work.source, order.current, n, sorted.data());
  Segments segments;
  segments.segments = places;
  segments.elements = n;
  segments.offsets = offsets.data();
  const T identity = vcode::accumulation_identity<M, T>();
  // The kernel that folds has no registers left for the defaults.
  Scratch<T> sums(context.pool(), places);
  fold_segments<Lookup::kSearch, kResidentFor<Lookup::kSearch>>(executor, segments, sorted.data(), identity, identity,
                                                                AccumulateBy<M, T>{}, AsIs{}, StoreTo<T>{sums.data()});
  const T* const sum = sums.data();
  executor.for_each(places,
                    [=] CVL_DEVICE(std::int64_t p) { work.to[p] = vcode::accumulate<M>(sum[p], work.defaults[p]); });
}

template <class M, class T, class I>
void accumulate_as(const Context& context, const Accumulation<T, I>& work) {
  if constexpr (kIsAtomic<M, T>) {
    if (work.defaults != work.to)
      context.executor.copy(work.to, work.defaults, static_cast<std::size_t>(work.places) * sizeof(T));
    with_lookup(work.targets.from, work.targets.to,
                [&]<Lookup lookup, Starts starts>() { combine_in_memory<lookup, starts, M>(context.executor, work); });
  } else if (work.n <= UINT32_MAX && work.places <= UINT32_MAX) {
    combine_sorted<M, std::uint32_t>(context, work);
  } else {
    combine_sorted<M, std::uint64_t>(context, work);
  }
}

}  // namespace

void run(const Context& context, const Accumulate& accumulate) {
  with_monoid(accumulate.monoid, accumulate.result.type, [&]<class M, class T>() {
    with_int(accumulate.indices.type, [&]<class I>() {
      accumulate_as<M>(context, Accumulation<T, I>{{static_cast<const I*>(accumulate.indices.data), nullptr,
                                                    Segments(accumulate.from), Segments(accumulate.to)},
                                                   static_cast<const T*>(accumulate.source.data),
                                                   static_cast<const T*>(accumulate.defaults.data),
                                                   static_cast<T*>(accumulate.result.data),
                                                   accumulate.source.length,
                                                   accumulate.result.length,
                                                   context.faults});
    });
  });
}

}  // namespace cvl::cuda
