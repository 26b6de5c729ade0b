#include "cvl/dispatch.h"
#include "operations.h"
#include "per_segment.h"
#include "segments.h"

namespace cvl::cuda {
namespace {

template <class T>
void dist_as(const Context& context, Operand v, const SegmentMap& map, Result result) {
  const PerSegment<T> values(v);
  T* const to = static_cast<T*>(result.data);
  const Segments segments(map);
  context.executor.for_each(result.length, [=] CVL_DEVICE(std::int64_t e) { to[e] = values[segments.of(e)]; });
}

template <class I>
void index_as(const Context& context, Operand start, Operand stride, const SegmentMap& map, Result result) {
  const PerSegment<I> starts(start), strides(stride);
  I* const to = static_cast<I*>(result.data);
  const Segments segments(map);
  context.executor.for_each(result.length, [=] CVL_DEVICE(std::int64_t e) {
    const std::int64_t k = segments.of(e);
    const I steps = static_cast<I>(e - segments.start(k));
    to[e] = vcode::wrap_add(starts[k], vcode::wrap_mul(steps, strides[k]));
  });
}

}  // namespace

void dist(const Context& context, Operand v, const SegmentMap& map, Result result) {
  with_size(result.type, [&]<class T>() { dist_as<T>(context, v, map, result); });
}

void index(const Context& context, Operand start, Operand stride, const SegmentMap& map, Result result) {
  with_int(result.type, [&]<class I>() { index_as<I>(context, start, stride, map, result); });
}

}  // namespace cvl::cuda
