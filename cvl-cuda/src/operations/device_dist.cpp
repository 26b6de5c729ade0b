#include "cvl/dispatch.h"
#include "operations/device_operations.h"
#include "operations/per_segment.h"
#include "operations/tile_heads.h"
#include "vcode/arith.h"

namespace cvl::cuda {
namespace {

template <Lookup lookup, class T>
void dist_as(const Context& context, Operand v, const Segments& segments, Result result) {
  const PerSegment<T> values(v);
  T* const to = static_cast<T*>(result.data);
  map_segments<lookup, T>(
      context.executor, segments, [=] CVL_DEVICE(std::int64_t, std::int64_t k) { return values[k]; },
      [=] CVL_DEVICE(std::int64_t e, std::int64_t, T x) { to[e] = x; });
}

template <Lookup lookup, Starts starts, class I>
void index_as(const Context& context, Operand start, Operand stride, const Segments& segments, Result result) {
  const PerSegment<I> firsts(start), strides(stride);
  I* const to = static_cast<I*>(result.data);
  map_segments<lookup, I>(
      context.executor, segments,
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k) {
        const I steps = static_cast<I>(e - segments.start<starts>(k));
        return vcode::wrap_add(firsts[k], vcode::wrap_mul(steps, strides[k]));
      },
      [=] CVL_DEVICE(std::int64_t e, std::int64_t, I x) { to[e] = x; });
}

}  // namespace

void run(const Context& context, const Dist& dist) {
  const Segments segments(dist.descriptor), none(SegmentDescriptor::single(0));
  with_size(dist.result.type, [&]<class T>() {
    with_lookup(segments, none,
                [&]<Lookup lookup, Starts>() { dist_as<lookup, T>(context, dist.v, segments, dist.result); });
  });
}

void run(const Context& context, const Index& index) {
  const Segments segments(index.descriptor);
  with_int(index.result.type, [&]<class I>() {
    with_lookup(segments, segments, [&]<Lookup lookup, Starts starts>() {
      index_as<lookup, starts, I>(context, index.start, index.stride, segments, index.result);
    });
  });
}

}  // namespace cvl::cuda
