#include "cvl/dispatch.h"
#include "operations.h"
#include "per_segment.h"
#include "segments.h"

namespace cvl::cuda {
namespace {

/// Where the elements of a scatter go.
template <class I>
struct Targets {
  const I* indices;
  const bool* flags;  ///< or null
  Segments from, to;

  explicit Targets(const Scatter& scatter)
      : indices(static_cast<const I*>(scatter.indices.data)),
        flags(scatter.flags == nullptr ? nullptr : static_cast<const bool*>(scatter.flags->data)),
        from(scatter.from),
        to(scatter.to) {}

  /// The place of element e in the result; -1 if it has none.
  VC_HD std::int64_t of(std::int64_t e) const {
    if (flags != nullptr && !flags[e]) return -1;
    const std::int64_t k = from.of(e), i = indices[e];
    return i >= 0 && i < to.length(k) ? to.start(k) + i : -1;
  }
  /// The same; an index out of range is reported.
  VC_HD std::int64_t checked(std::int64_t e, const Faults& faults) const {
    const std::int64_t place = of(e);
    if (place < 0 && (flags == nullptr || flags[e]))
      faults.report(FaultKind::kIndexRange, e, indices[e], to.length(from.of(e)));
    return place;
  }
};

/// Every place at most once, which a bit for each watches over. W counts elements.
template <class T, class I, class W>
void scatter_once(const Context& context, const Scatter& scatter, Result result) {
  Executor& executor = context.executor;
  const Targets<I> targets(scatter);
  const T* const source = static_cast<const T*>(scatter.source.data);
  T* const to = static_cast<T*>(result.data);
  const std::int64_t n = scatter.source.length, places = result.length, words = (places + 31) / 32;
  Scratch<std::uint32_t> bits(context.pool(), words + 1);
  Scratch<W> first_writers(context.pool(), places);
  std::uint32_t* const written = bits.data();
  std::uint32_t* const twice = written + words;
  W* const first = first_writers.data();
  const Faults faults = context.faults;
  executor.fill_zero(written, static_cast<std::size_t>(words + 1) * sizeof *written);
  if (scatter.flags != nullptr) executor.fill_zero(to, static_cast<std::size_t>(places) * sizeof(T));
  executor.for_each(n, [=] CVL_DEVICE(std::int64_t e) {
    const std::int64_t place = targets.checked(e, faults);
    if (place < 0) return;
    const std::uint32_t bit = std::uint32_t{1} << (place % 32);
    if ((atomic_or(written + place / 32, bit) & bit) != 0) *twice = 1;
    to[place] = source[e];
  });
  // Which of two writers is the second, only the whole tells. If there are two, speed no longer matters.
  executor.template folds<int>(1, [=] CVL_DEVICE(Block & block) {
    if (*twice == 0) return;
    block.for_each(places, [=](std::int64_t place) { first[place] = static_cast<W>(n); });
    block.for_each(n, [=](std::int64_t e) {
      const std::int64_t place = targets.of(e);
      if (place >= 0) atomic_min(first + place, static_cast<W>(e));
    });
    block.for_each(n, [=](std::int64_t e) {
      const std::int64_t place = targets.of(e);
      if (place >= 0 && first[place] != static_cast<W>(e))
        faults.report(FaultKind::kDuplicateTarget, e, targets.indices[e]);
    });
  });
}

/// Over defaults; of several writes to one place the last stays. W counts writers.
template <class T, class I, class W>
void scatter_last(const Context& context, const Scatter& scatter, Result result) {
  Executor& executor = context.executor;
  const Targets<I> targets(scatter);
  const T* const source = static_cast<const T*>(scatter.source.data);
  T* const to = static_cast<T*>(result.data);
  Scratch<W> writers(context.pool(), result.length);
  W* const last = writers.data();
  const Faults faults = context.faults;
  executor.fill_zero(last, static_cast<std::size_t>(result.length) * sizeof(W));
  if (scatter.defaults->data != result.data)
    executor.copy(to, scatter.defaults->data, static_cast<std::size_t>(result.length) * sizeof(T));
  executor.for_each(scatter.source.length, [=] CVL_DEVICE(std::int64_t e) {
    const std::int64_t place = targets.checked(e, faults);
    if (place >= 0) atomic_max(last + place, static_cast<W>(e + 1));
  });
  executor.for_each(scatter.source.length, [=] CVL_DEVICE(std::int64_t e) {
    const std::int64_t place = targets.of(e);
    if (place >= 0 && last[place] == static_cast<W>(e + 1)) to[place] = source[e];
  });
}

template <class T, class I>
void replace_as(const Context& context, Operand a, Operand i, Operand v, const SegmentMap& map, Result result) {
  const PerSegment<I> indices(i);
  const PerSegment<T> values(v);
  T* const to = static_cast<T*>(result.data);
  const Segments segments(map);
  const Faults faults = context.faults;
  if (a.data != result.data) context.executor.copy(to, a.data, static_cast<std::size_t>(a.length) * sizeof(T));
  context.executor.for_each(map.segments, [=] CVL_DEVICE(std::int64_t k) {
    const std::int64_t at = indices[k], length = segments.length(k);
    if (at >= 0 && at < length)
      to[segments.start(k) + at] = values[k];
    else
      faults.report(FaultKind::kIndexRange, k, at, length);
  });
}

}  // namespace

void scatter(const Context& context, const Scatter& scatter, Result result) {
  with_size(result.type, [&]<class T>() {
    with_int(scatter.indices.type, [&]<class I>() {
      auto with_count = [&]<class W>() {
        if (scatter.defaults == nullptr)
          scatter_once<T, I, W>(context, scatter, result);
        else
          scatter_last<T, I, W>(context, scatter, result);
      };
      if (scatter.source.length < UINT32_MAX)
        with_count.template operator()<std::uint32_t>();
      else
        with_count.template operator()<std::uint64_t>();
    });
  });
}

void replace(const Context& context, Operand a, Operand i, Operand v, const SegmentMap& map, Result result) {
  with_size(result.type,
            [&]<class T>() { with_int(i.type, [&]<class I>() { replace_as<T, I>(context, a, i, v, map, result); }); });
}

}  // namespace cvl::cuda
