#include "cvl/dispatch.h"
#include "operations/device_operations.h"
#include "operations/device_segments.h"
#include "operations/load_store.h"
#include "operations/per_segment.h"

namespace cvl::cuda {
namespace {

template <class T>
void dist_as(const Context& context, Operand v, const SegmentMap& map, Result result) {
  const PerSegment<T> values(v);
  const Segments segments(map);
  context.executor.template map<T>(
      result.length, [=] CVL_DEVICE(std::int64_t e) { return values[segments.of(e)]; },
      StoreTo<T>{static_cast<T*>(result.data)});
}

template <class I>
void index_as(const Context& context, Operand start, Operand stride, const SegmentMap& map, Result result) {
  const PerSegment<I> starts(start), strides(stride);
  const Segments segments(map);
  context.executor.template map<I>(
      result.length,
      [=] CVL_DEVICE(std::int64_t e) {
        const std::int64_t k = segments.of(e);
        const I steps = static_cast<I>(e - segments.start(k));
        return vcode::wrap_add(starts[k], vcode::wrap_mul(steps, strides[k]));
      },
      StoreTo<I>{static_cast<I*>(result.data)});
}

}  // namespace

void dist(const Context& context, Operand v, const SegmentMap& map, Result result) {
  with_size(result.type, [&]<class T>() { dist_as<T>(context, v, map, result); });
}

void index(const Context& context, Operand start, Operand stride, const SegmentMap& map, Result result) {
  with_int(result.type, [&]<class I>() { index_as<I>(context, start, stride, map, result); });
}

}  // namespace cvl::cuda
