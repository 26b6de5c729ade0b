#include "cvl/op_dispatch.h"
#include "operations/device_operations.h"
#include "operations/monoid.h"
#include "operations/tiled.h"

namespace cvl::cuda {
namespace {

template <class M, class T>
void reduce_as(const Context& context, Operand a, const SegmentMap& map, Result result) {
  const Segments segments(map);
  T* const to = static_cast<T*>(result.data);
  const T* const from = static_cast<const T*>(a.data);
  const T neutral = M::template neutral<T>();
  const CombineBy<M, T> combine;
  const PartOf<M, T> part;
  if (a.length > 0 && segments.segments == 1)
    return fold(context.executor, from, a.length, neutral, combine, part, StoreOne<T>{to});
  const T identity = M::template identity<T>();
  const StoreTo<T> store{to};
  // A 64-bit multiplication takes additional registers.
  constexpr int kOfHeads = M::kMonoid == Monoid::kProduct && std::is_same_v<T, std::int64_t> ? 3 : kResident;
  constexpr int kOfSearch = kResidentFor<Lookup::kSearch>;
  if (segments.is_searched())
    fold_segments<Lookup::kSearch, kOfSearch>(context.executor, segments, from, neutral, identity, combine, part,
                                              store);
  else
    fold_segments<Lookup::kHeads, kOfHeads>(context.executor, segments, from, neutral, identity, combine, part, store);
}

}  // namespace

void reduce(const Context& context, Monoid monoid, Operand a, const SegmentMap& map, Result result) {
  with_monoid(monoid, a.type, [&]<class M, class T>() { reduce_as<M, T>(context, a, map, result); });
}

}  // namespace cvl::cuda
