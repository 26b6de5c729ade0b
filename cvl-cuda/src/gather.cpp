#include "cvl/dispatch.h"
#include "operations.h"
#include "per_segment.h"
#include "segments.h"

namespace cvl::cuda {
namespace {

template <class T, class I>
void gather_as(const Context& context, const Gather& gather, Result result) {
  const T* const source = static_cast<const T*>(gather.source.data);
  const I* const indices = static_cast<const I*>(gather.indices.data);
  const bool* const flags = gather.flags == nullptr ? nullptr : static_cast<const bool*>(gather.flags->data);
  T* const to = static_cast<T*>(result.data);
  const Segments from(gather.from), over(gather.to);
  const Faults faults = context.faults;
  context.executor.for_each(result.length, [=] CVL_DEVICE(std::int64_t e) {
    const std::int64_t i = indices[e];
    T x = T(0);
    if (flags == nullptr || flags[e]) {
      const std::int64_t k = over.of(e), length = from.length(k);
      if (i >= 0 && i < length)
        x = source[from.start(k) + i];
      else
        faults.report(FaultKind::kIndexRange, e, i, length);
    }
    to[e] = x;
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
