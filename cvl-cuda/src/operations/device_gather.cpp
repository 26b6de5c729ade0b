#include "cvl/dispatch.h"
#include "operations/device_operations.h"
#include "operations/device_segments.h"
#include "operations/per_segment.h"

namespace cvl::cuda {
namespace {

/// An element as it was read. A fault is reported when the element is stored, so that it does not hold up other loads.
template <class T>
struct Found {
  T element;
  bool in_range;
};

template <class T, class I>
void gather_as(const Context& context, const Gather& gather, Result result) {
  const T* const source = static_cast<const T*>(gather.source.data);
  const I* const indices = static_cast<const I*>(gather.indices.data);
  const bool* const flags = gather.flags == nullptr ? nullptr : static_cast<const bool*>(gather.flags->data);
  T* const to = static_cast<T*>(result.data);
  const Segments from(gather.from), over(gather.to);
  const Faults faults = context.faults;
  context.executor.template map<Found<T>>(
      result.length,
      [=] CVL_DEVICE(std::int64_t e) {
        if (flags != nullptr && !flags[e]) return Found<T>{T(0), true};
        const std::int64_t i = indices[e], k = over.of(e);
        const bool in_range = i >= 0 && i < from.length(k);
        return Found<T>{in_range ? source[from.start(k) + i] : T(0), in_range};
      },
      [=] CVL_DEVICE(std::int64_t e, Found<T> found) {
        // Even if the result takes the place of the indices, indices[e] is intact until to[e] is written.
        if (!found.in_range) faults.report(FaultKind::kIndexRange, e, indices[e], from.length(over.of(e)));
        to[e] = found.element;
      });
}

template <class T, class I>
void extract_as(const Context& context, Operand a, Operand i, const SegmentMap& map, Result result) {
  const T* const source = static_cast<const T*>(a.data);
  const PerSegment<I> indices(i);
  T* const to = static_cast<T*>(result.data);
  const Segments segments(map);
  const Faults faults = context.faults;
  context.executor.for_each(result.length, [=] CVL_DEVICE(std::int64_t k) {
    const std::int64_t at = indices[k], length = segments.length(k);
    T x = T(0);
    if (at >= 0 && at < length)
      x = source[segments.start(k) + at];
    else
      faults.report(FaultKind::kIndexRange, k, at, length);
    to[k] = x;
  });
}

}  // namespace

void gather(const Context& context, const Gather& gather, Result result) {
  with_size(result.type, [&]<class T>() {
    with_int(gather.indices.type, [&]<class I>() { gather_as<T, I>(context, gather, result); });
  });
}

void extract(const Context& context, Operand a, Operand i, const SegmentMap& map, Result result) {
  with_size(result.type,
            [&]<class T>() { with_int(i.type, [&]<class I>() { extract_as<T, I>(context, a, i, map, result); }); });
}

}  // namespace cvl::cuda
