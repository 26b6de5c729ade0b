#include "cvl/dispatch.h"
#include "operations/device_operations.h"
#include "operations/per_segment.h"
#include "operations/tile_heads.h"

namespace cvl::cuda {
namespace {

/// An element as it was read. A fault is reported when the element is stored, so that it does not hold up other loads.
template <class T>
struct Found {
  T element;
  bool in_range;
};

template <class T, class I, Starts starts>
struct Gathering {
  const T* source;
  const I* indices;
  const bool* flags;  ///< or null
  T* to;
  Segments from;
  Faults faults;

  CVL_DEVICE Found<T> find(std::int64_t e, std::int64_t k) const {
    if (flags != nullptr && !flags[e]) return {T(0), true};
    const std::int64_t i = indices[e];
    const bool in_range = i >= 0 && i < from.length<starts>(k);
    return {in_range ? source[from.start<starts>(k) + i] : T(0), in_range};
  }
  CVL_DEVICE void put(std::int64_t e, std::int64_t k, const Found<T>& found) const {
    // Even if the result takes the place of the indices, indices[e] is intact until to[e] is written.
    if (!found.in_range) faults.report(FaultKind::kIndexRange, e, indices[e], from.length<starts>(k));
    to[e] = found.element;
  }
};

template <Lookup lookup, Starts starts, class T, class I>
void gather_as(const Context& context, const Gather& gather, const Segments& from, const Segments& over,
               Result result) {
  const bool* const flags = gather.flags == nullptr ? nullptr : static_cast<const bool*>(gather.flags->data);
  const Gathering<T, I, starts> work{static_cast<const T*>(gather.source.data),
                                     static_cast<const I*>(gather.indices.data),
                                     flags,
                                     static_cast<T*>(result.data),
                                     from,
                                     context.faults};
  map_segments<lookup, Found<T>>(
      context.executor, over, [=] CVL_DEVICE(std::int64_t e, std::int64_t k) { return work.find(e, k); },
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k, const Found<T>& found) { work.put(e, k, found); });
}

template <Starts starts, class T, class I>
void extract_as(const Context& context, Operand a, Operand i, const Segments& segments, Result result) {
  const T* const source = static_cast<const T*>(a.data);
  const PerSegment<I> indices(i);
  T* const to = static_cast<T*>(result.data);
  const Faults faults = context.faults;
  context.executor.template map<Found<T>>(
      result.length,
      [=] CVL_DEVICE(std::int64_t k) {
        const std::int64_t at = indices[k];
        const bool in_range = at >= 0 && at < segments.length<starts>(k);
        return Found<T>{in_range ? source[segments.start<starts>(k) + at] : T(0), in_range};
      },
      [=] CVL_DEVICE(std::int64_t k, const Found<T>& found) {
        if (!found.in_range) faults.report(FaultKind::kIndexRange, k, indices[k], segments.length<starts>(k));
        to[k] = found.element;
      });
}

}  // namespace

void gather(const Context& context, const Gather& gather, Result result) {
  const Segments from(gather.from), over(gather.to);
  with_size(result.type, [&]<class T>() {
    with_int(gather.indices.type, [&]<class I>() {
      with_lookup(over, from, [&]<Lookup lookup, Starts starts>() {
        gather_as<lookup, starts, T, I>(context, gather, from, over, result);
      });
    });
  });
}

void extract(const Context& context, Operand a, Operand i, const SegmentMap& map, Result result) {
  const Segments segments(map);
  with_size(result.type, [&]<class T>() {
    with_int(i.type, [&]<class I>() {
      with_starts(segments, [&]<Starts starts>() { extract_as<starts, T, I>(context, a, i, segments, result); });
    });
  });
}

}  // namespace cvl::cuda
