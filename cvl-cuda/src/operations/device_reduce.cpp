#include "operations/device_operations.h"
#include "operations/monoid.h"
#include "operations/tiled.h"

namespace cvl::cuda {
namespace {

template <class M, class T>
void reduce_as(const Context& context, Operand a, const SegmentMap& map, Result result) {
  const Segments segments(map);
  T* const to = static_cast<T*>(result.data);
  const T neutral = M::template neutral<T>();
  const CombineBy<M, T> combine;
  const LoadFor<M, T> load{static_cast<const T*>(a.data)};
  if (a.length > 0 && segments.segments == 1)
    return fold(context.executor, a.length, neutral, combine, load, StoreTo<T>{to});
  fold_segments(context.executor, segments, neutral, M::template identity<T>(), combine, load, LoadFrom<T>{to},
                StoreTo<T>{to});
}

}  // namespace

void reduce(const Context& context, Monoid monoid, Operand a, const SegmentMap& map, Result result) {
  with_monoid(monoid, a.type, [&]<class M, class T>() { reduce_as<M, T>(context, a, map, result); });
}

}  // namespace cvl::cuda
