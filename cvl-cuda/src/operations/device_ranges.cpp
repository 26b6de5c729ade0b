#include "cvl/dispatch.h"
#include "operations/bit_plan.h"
#include "operations/device_operations.h"
#include "operations/per_segment.h"
#include "operations/tile_heads.h"

namespace cvl::cuda {
namespace {

/// An element of the result of a slice, and whether it is there.
template <class T>
struct Sliced {
  T element;
  bool in_range;
};

template <Lookup lookup, Starts starts, class T, class I>
void slice_as(const Context& context, Operand a, Operand start, const Segments& segments, Result result) {
  const T* const source = static_cast<const T*>(a.data);
  const std::int64_t length = a.length;
  const PerSegment<I> firsts(start);
  T* const to = static_cast<T*>(result.data);
  const Faults faults = context.faults;
  map_segments<lookup, Sliced<T>>(
      context.executor, segments,
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k) {
        const std::int64_t place = firsts[k] + (e - segments.start<starts>(k));
        const bool in_range = place >= 0 && place < length;
        return Sliced<T>{in_range ? source[place] : T(0), in_range};
      },
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k, const Sliced<T>& x) {
        if (!x.in_range) faults.report(FaultKind::kIndexRange, e, firsts[k] + (e - segments.start<starts>(k)), length);
        to[e] = x.element;
      });
}

/// The descriptors of a join. Their forms are asked at run time: three of them would make too many kernels.
struct Joined {
  Segments of_a, of_b, to;
  explicit Joined(const Join& join) : of_a(join.of_a), of_b(join.of_b), to(join.to) {}

  static constexpr Starts kForm = Starts::kAny;
  VC_HD std::int64_t room(std::int64_t k) const { return to.length<kForm>(k); }
};

struct Appending : Joined {
  using Joined::Joined;

  VC_HD std::int64_t length(std::int64_t k) const { return of_a.length<kForm>(k) + of_b.length<kForm>(k); }
  /// The element of a, or the one of b beyond all of a, that becomes element e of the result, in segment k.
  VC_HD std::int64_t source(std::int64_t e, std::int64_t k) const {
    const std::int64_t j = e - to.start<kForm>(k), in_a = of_a.length<kForm>(k);
    return j < in_a ? of_a.start<kForm>(k) + j : of_a.elements + of_b.start<kForm>(k) + j - in_a;
  }
};

struct Merging : Joined {
  KeptPlaces chosen;
  Merging(const Join& join, const KeptPlaces& places) : Joined(join), chosen(places) {}

  VC_HD std::int64_t count() const { return chosen.bases[tiles_of(to.segments)]; }
  VC_HD std::int64_t length(std::int64_t k) const {
    const std::int64_t up_to_here = chosen.count_to(k);
    return chosen.is_kept(k) ? of_a.length<kForm>(up_to_here - 1) : of_b.length<kForm>(k - up_to_here);
  }
  VC_HD std::int64_t source(std::int64_t e, std::int64_t k) const {
    const std::int64_t j = e - to.start<kForm>(k), up_to_here = chosen.count_to(k);
    return chosen.is_kept(k) ? of_a.start<kForm>(up_to_here - 1) + j
                             : of_a.elements + of_b.start<kForm>(k - up_to_here) + j;
  }
};

/// Reports segments whose length is not that of their place; of `count` true flags, if these are not as many as a has
/// segments, only that.
template <class Work>
void check_lengths(const Context& context, const Work& work) {
  // nvcc wants to be told what a lambda captures that is first used where a constant decides.
  const Faults faults = context.faults;
  context.executor.template map<std::int64_t>(
      work.to.segments,
      [work] CVL_DEVICE(std::int64_t k) -> std::int64_t {
        if constexpr (requires { work.count(); })
          if (work.count() != work.of_a.segments) return -1;
        return work.length(k);
      },
      [work, faults] CVL_DEVICE(std::int64_t k, std::int64_t length) {
        if constexpr (requires { work.count(); })
          if (length < 0 && k == 0) faults.report(FaultKind::kFlagCount, 0, work.count(), work.of_a.segments);
        if (length >= 0 && length != work.room(k)) faults.report(FaultKind::kLengthMismatch, k, length, work.room(k));
      });
}

/// Moves elements to where their segments are, without reading outside of a and b if lengths do not fit.
template <Lookup lookup, class T, class Work>
void join_as(const Context& context, const Join& join, const Work& work, Result result) {
  const T* const a = static_cast<const T*>(join.a.data);
  const T* const b = static_cast<const T*>(join.b.data);
  const std::int64_t in_a = join.a.length, in_both = in_a + join.b.length;
  T* const to = static_cast<T*>(result.data);
  map_segments<lookup, T>(
      context.executor, work.to,
      [work, a, b, in_a, in_both] CVL_DEVICE(std::int64_t e, std::int64_t k) {
        if constexpr (requires { work.count(); })
          if (work.count() != work.of_a.segments) return T(0);
        const std::int64_t source = work.source(e, k);
        if (source < 0 || source >= in_both) return T(0);
        return source < in_a ? a[source] : b[source - in_a];
      },
      [=] CVL_DEVICE(std::int64_t e, std::int64_t, T x) { to[e] = x; });
}

template <class Work>
void join_segments(const Context& context, const Join& join, const Work& work, Result result) {
  check_lengths(context, work);
  with_size(result.type, [&]<class T>() {
    with_lookup(work.to, work.to, [&]<Lookup lookup, Starts>() { join_as<lookup, T>(context, join, work, result); });
  });
}

}  // namespace

void slice(const Context& context, Operand a, Operand start, const SegmentMap& map, Result result) {
  const Segments segments(map);
  with_size(result.type, [&]<class T>() {
    with_int(start.type, [&]<class I>() {
      with_lookup(segments, segments, [&]<Lookup lookup, Starts starts>() {
        slice_as<lookup, starts, T, I>(context, a, start, segments, result);
      });
    });
  });
}

void append(const Context& context, const Join& join, Result result) {
  join_segments(context, join, Appending(join), result);
}

void merge(const Context& context, Operand flags, const Join& join, Result result) {
  if (flags.length == 0) return;
  BitPlan plan(context.pool(), flags.length);
  const Scratch<std::int64_t> count(context.pool(), 1);
  make_bit_plan(context, flags, SegmentMap::single(flags.length), {ElemType::kI64, 1, count.data()}, plan);
  join_segments(context, join, Merging(join, plan.places()), result);
}

}  // namespace cvl::cuda
