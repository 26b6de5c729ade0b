#pragma once

#include "base/check.h"
#include "cvl/op_dispatch.h"
#include "operations/monoid.h"
#include "operations/scans/scan_with_monoid.h"
#include "operations/tiled.h"

namespace cvl::cuda {

template <class M, class T>
void scan_as(const Context& context, Operand a, const SegmentMap& map, Result result) {
  const Segments segments(map);
  const T* const from = static_cast<const T*>(a.data);
  T* const to = static_cast<T*>(result.data);
  const T neutral = M::template neutral<T>(), first = M::template identity<T>();
  const CombineBy<M, T> combine;
  const PartOf<M, T> part;
  if (segments.segments == 1)
    scan_flat(context.executor, from, a.length, a.length, to, neutral, first, combine, part);
  else
    scan_segments(context.executor, segments, from, to, neutral, first, combine, part);
}

template <class M>
void scan_with_monoid(const Context& context, Operand a, const SegmentMap& map, Result result) {
  VC_CHECK(monoid_takes(M::kMonoid, a.type));
  with_type(a.type, [&]<class T>() {
    if constexpr (monoid_takes(M::kMonoid, vcode::kElemTypeOf<T>)) scan_as<M, T>(context, a, map, result);
  });
}

}  // namespace cvl::cuda
