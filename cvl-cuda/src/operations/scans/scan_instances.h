#pragma once

#include "base/check.h"
#include "cvl/op_dispatch.h"
#include "operations/monoid.h"
#include "operations/scans/scan_with_monoid.h"
#include "operations/tiled.h"

namespace cvl::cuda {

template <class M, class T>
void scan_as(const Context& context, Operand a, const SegmentDescriptor& descriptor, Result result) {
  const Segments segments(descriptor);
  const T* const from = static_cast<const T*>(a.data);
  T* const to = static_cast<T*>(result.data);
  const T identity = M::template identity<T>(), first = M::template empty_value<T>();
  const CombineBy<M, T> combine;
  const PartOf<M, T> part;
  if (segments.segments == 1)
    scan_flat(context.executor, from, a.length, a.length, to, identity, first, combine, part);
  else
    scan_segments(context.executor, segments, from, to, identity, first, combine, part);
}

template <class M>
void scan_with_monoid(const Context& context, Operand a, const SegmentDescriptor& descriptor, Result result) {
  VC_CHECK(monoid_takes(M::kMonoid, a.type));
  with_type(a.type, [&]<class T>() {
    if constexpr (monoid_takes(M::kMonoid, vcode::kElemTypeOf<T>)) scan_as<M, T>(context, a, descriptor, result);
  });
}

}  // namespace cvl::cuda
