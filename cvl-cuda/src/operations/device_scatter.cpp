#include "cvl/dispatch.h"
#include "executor/blocks.h"
#include "operations/device_operations.h"
#include "operations/device_segments.h"
#include "operations/per_segment.h"

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

/// A scatter without defaults: a bit for each place shows whether it is written twice. W holds numbers of elements.
template <class T, class I, class W>
struct ScatterOnce {
  Targets<I> targets;
  const T* source;
  T* to;
  std::uint32_t* written;  ///< a bit for each place, then a word that is 1 if a place was written twice
  W* first;                ///< writer of each place; computed only if a place was written twice
  std::int64_t n, places, words;
  Faults faults;

  CVL_DEVICE void put(std::int64_t e) const {
    const std::int64_t place = targets.checked(e, faults);
    if (place < 0) return;
    const std::uint32_t bit = std::uint32_t{1} << (place % 32);
    if ((atomic_or(written + place / 32, bit) & bit) != 0) store_racing(written + words, std::uint32_t{1});
    store_racing(to + place, source[e]);
  }
  /// If a place was written twice, reports all but its first writer. One block does this, in three passes over all
  /// elements: after a fault speed does not matter.
  CVL_DEVICE void report_second_writers(Block& block) const {
    if (written[words] == 0) return;
    const ScatterOnce self = *this;
    block.for_each(places, [=](std::int64_t place) { self.first[place] = static_cast<W>(self.n); });
    block.for_each(n, [=](std::int64_t e) {
      const std::int64_t place = self.targets.of(e);
      if (place >= 0) atomic_min(self.first + place, static_cast<W>(e));
    });
    block.for_each(n, [=](std::int64_t e) {
      const std::int64_t place = self.targets.of(e);
      if (place >= 0 && self.first[place] != static_cast<W>(e))
        self.faults.report(FaultKind::kDuplicateTarget, e, self.targets.indices[e]);
    });
  }
};

template <class T, class I, class W>
void scatter_once(const Context& context, const Scatter& scatter, Result result) {
  Executor& executor = context.executor;
  const std::int64_t n = scatter.source.length, places = result.length, words = (places + 31) / 32;
  Scratch<std::uint32_t> bits(context.pool(), words + 1);
  Scratch<W> first_writers(context.pool(), places);
  const ScatterOnce<T, I, W> work{Targets<I>(scatter),
                                  static_cast<const T*>(scatter.source.data),
                                  static_cast<T*>(result.data),
                                  bits.data(),
                                  first_writers.data(),
                                  n,
                                  places,
                                  words,
                                  context.faults};
  const bool leaves_gaps = scatter.flags != nullptr;
  if (n <= kShort && places <= kShort)
    return executor.template folds<int>(1, [=] CVL_DEVICE(Block & block) {
      block.for_each(work.words + 1, [=](std::int64_t word) { work.written[word] = 0; });
      if (leaves_gaps) block.for_each(work.places, [=](std::int64_t place) { work.to[place] = T(0); });
      block.for_each(work.n, [=](std::int64_t e) { work.put(e); });
      work.report_second_writers(block);
    });
  executor.fill_zero(bits.data(), static_cast<std::size_t>(words + 1) * sizeof(std::uint32_t));
  if (leaves_gaps) executor.fill_zero(result.data, static_cast<std::size_t>(places) * sizeof(T));
  executor.for_each(n, [=] CVL_DEVICE(std::int64_t e) { work.put(e); });
  executor.template folds<int>(1, [=] CVL_DEVICE(Block & block) { work.report_second_writers(block); });
}

/// A scatter over defaults: the last of several writes to a place wins. W holds numbers of elements.
template <class T, class I, class W>
struct ScatterLast {
  Targets<I> targets;
  const T* source;
  T* to;
  W* last;  ///< writer of each place, from 1 on
  Faults faults;

  CVL_DEVICE void claim(std::int64_t e) const {
    const std::int64_t place = targets.checked(e, faults);
    if (place >= 0) atomic_max(last + place, static_cast<W>(e + 1));
  }
  CVL_DEVICE void put(std::int64_t e) const {
    const std::int64_t place = targets.of(e);
    if (place >= 0 && last[place] == static_cast<W>(e + 1)) to[place] = source[e];
  }
};

template <class T, class I, class W>
void scatter_last(const Context& context, const Scatter& scatter, Result result) {
  Executor& executor = context.executor;
  const std::int64_t n = scatter.source.length, places = result.length;
  Scratch<W> writers(context.pool(), places);
  const ScatterLast<T, I, W> work{Targets<I>(scatter), static_cast<const T*>(scatter.source.data),
                                  static_cast<T*>(result.data), writers.data(), context.faults};
  const T* const defaults = static_cast<const T*>(scatter.defaults->data);
  if (n <= kShort && places <= kShort)
    return executor.template folds<int>(1, [=] CVL_DEVICE(Block & block) {
      block.for_each(places, [=](std::int64_t place) {
        work.last[place] = 0;
        if (defaults != work.to) work.to[place] = defaults[place];
      });
      block.for_each(n, [=](std::int64_t e) { work.claim(e); });
      block.for_each(n, [=](std::int64_t e) { work.put(e); });
    });
  executor.fill_zero(work.last, static_cast<std::size_t>(places) * sizeof(W));
  if (defaults != work.to) executor.copy(work.to, defaults, static_cast<std::size_t>(places) * sizeof(T));
  executor.for_each(n, [=] CVL_DEVICE(std::int64_t e) { work.claim(e); });
  executor.for_each(n, [=] CVL_DEVICE(std::int64_t e) { work.put(e); });
}

template <class T, class I>
struct Replace {
  PerSegment<I> indices;
  PerSegment<T> values;
  T* to;
  Segments segments;
  Faults faults;

  CVL_DEVICE void put(std::int64_t k) const {
    const std::int64_t at = indices[k], length = segments.length(k);
    if (at >= 0 && at < length)
      to[segments.start(k) + at] = values[k];
    else if (length > 0)
      faults.report(FaultKind::kIndexRange, k, at, length);
  }
};

template <class T, class I>
void replace_as(const Context& context, Operand a, Operand i, Operand v, const SegmentMap& map, Result result) {
  Executor& executor = context.executor;
  const Replace<T, I> work{PerSegment<I>(i), PerSegment<T>(v), static_cast<T*>(result.data), Segments(map),
                           context.faults};
  const T* const from = static_cast<const T*>(a.data);
  const std::int64_t n = a.length, segments = map.segments;
  if (from != work.to && n <= kShort && segments <= kShort)
    return executor.template folds<int>(1, [=] CVL_DEVICE(Block & block) {
      block.for_each(n, [=](std::int64_t e) { work.to[e] = from[e]; });
      block.for_each(segments, [=](std::int64_t k) { work.put(k); });
    });
  if (from != work.to) executor.copy(work.to, from, static_cast<std::size_t>(n) * sizeof(T));
  executor.for_each(segments, [=] CVL_DEVICE(std::int64_t k) { work.put(k); });
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
