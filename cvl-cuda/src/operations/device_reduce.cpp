#include "cvl/op_dispatch.h"
#include "operations/device_operations.h"
#include "operations/monoid.h"
#include "operations/tiled.h"

namespace cvl::cuda {
namespace {

template <class M, class T>
void reduce_as(const Context& context, Operand a, const SegmentDescriptor& descriptor, Result result) {
  const Segments segments(descriptor);
  T* const to = static_cast<T*>(result.data);
  const T* const from = static_cast<const T*>(a.data);
  const T identity = M::template identity<T>();
  const CombineBy<M, T> combine;
  const PartOf<M, T> part;
  if (a.length > 0 && segments.segments == 1)
    return fold(context.executor, from, a.length, identity, combine, part, StoreOne<T>{to});
  const T empty_value = M::template empty_value<T>();
  const StoreTo<T> store{to};
  // A 64-bit multiplication takes additional registers.
  constexpr int kOfHeads = M::kMonoid == Monoid::kProduct && std::is_same_v<T, std::int64_t> ? 3 : kResident;
  constexpr int kOfSearch = kResidentFor<Lookup::kSearch>;
  if (segments.is_searched())
    fold_segments<Lookup::kSearch, kOfSearch>(context.executor, segments, from, identity, empty_value, combine, part,
                                              store);
  else
    fold_segments<Lookup::kHeads, kOfHeads>(context.executor, segments, from, identity, empty_value, combine, part,
                                            store);
}

}  // namespace

void run(const Context& context, const Reduce& reduce) {
  with_monoid(reduce.monoid, reduce.a.type,
              [&]<class M, class T>() { reduce_as<M, T>(context, reduce.a, reduce.descriptor, reduce.result); });
}

}  // namespace cvl::cuda
