#pragma once

#include "executor/cub_scan.h"
#include "operations/monoid.h"
#include "operations/scan_with_monoid.h"
#include "operations/tiled.h"
#include "vcode/check.h"

namespace cvl::cuda {

/// Stores the results of a scan: the first element of a segment gets the monoid's identity.
template <class M, class T>
struct StoreScan {
  T* to;
  Segments segments;

  VC_HD void operator()(std::int64_t e, T sum) const { to[e] = segments.is_head(e) ? M::template identity<T>() : sum; }
  VC_HD void operator()(std::int64_t e, const Run<T>& sum) const { (*this)(e, sum.value); }
};

template <class M, class T>
struct LoadRun {
  LoadFor<M, T> load;
  Segments segments;
  VC_HD Run<T> operator()(std::int64_t e) const { return {load(e), segments.is_head(e)}; }
};

template <class M, class T>
void scan_as(const Context& context, Operand a, const SegmentMap& map, Result result) {
  const Segments segments(map);
  const LoadFor<M, T> load{static_cast<const T*>(a.data)};
  const StoreScan<M, T> store{static_cast<T*>(result.data), segments};
  const T neutral = M::template neutral<T>();
  const CombineBy<M, T> combine;
  if (segments.segments > 1)
    return scan_in_order(context.executor, a.length, Run<T>{neutral, false}, CombineRuns<T, CombineBy<M, T>>{combine},
                         LoadRun<M, T>{load, segments}, store);
  if constexpr (kIsExact<M, T>)
    if (a.length > kTile) return context.executor.scan(a.length, neutral, combine, load, store);
  scan_in_order(context.executor, a.length, neutral, combine, load, store);
}

template <class M>
void scan_with_monoid(const Context& context, Operand a, const SegmentMap& map, Result result) {
  VC_CHECK(monoid_takes(M::kMonoid, a.type));
  with_type(a.type, [&]<class T>() {
    if constexpr (monoid_takes(M::kMonoid, vcode::kElemTypeOf<T>)) scan_as<M, T>(context, a, map, result);
  });
}

}  // namespace cvl::cuda
