#pragma once

#include <cstdint>

#include "base/device_faults.h"
#include "vcode/arith.h"

namespace cvl::cuda {

/// A computed result and whether its element is at fault. Faults are reported when the result is stored, so that
/// reports do not delay other loads.
template <class R>
struct Computed {
  R result;
  bool is_good;
};

/// Computes one element of an elementwise row of ops.def. A, B and C are indexed by elements: pointers, or PerSegment.
template <class Row, int arity, class R, class A, class B, class C>
struct Apply {
  A a;
  B b;
  C c;
  Faults faults;

  VC_HD R eval(std::int64_t e) const {
    return on(e, [](auto... x) { return Row::template eval<R>(x...); });
  }
  VC_HD FaultKind fault(std::int64_t e) const {
    return on(e, [](auto... x) { return Row::template fault<R>(x...); });
  }
  VC_HD Computed<R> compute(std::int64_t e) const { return {eval(e), fault(e) == FaultKind::kNone}; }
  /// Requires that the operands are intact: a result computed in place must not have been stored yet.
  VC_HD void report(std::int64_t e) const { faults.report(fault(e), e, culprit(e), bound(e)); }
  /// The value that a message about a fault of the element shows.
  VC_HD std::int64_t culprit(std::int64_t e) const {
    return on(e, [](auto... x) { return value_of(x...); });
  }
  /// The bound that a message shows: the first of several operands, an INT in all rows that can be at fault.
  VC_HD std::int64_t bound([[maybe_unused]] std::int64_t e) const {
    if constexpr (arity == 1)
      return 0;
    else
      return std::int64_t(a[e]);
  }

 private:
  template <class F>
  VC_HD auto on(std::int64_t e, F f) const {
    if constexpr (arity == 1)
      return f(a[e]);
    else if constexpr (arity == 2)
      return f(a[e], b[e]);
    else
      return f(a[e], b[e], c[e]);
  }
  template <class X>
  VC_HD static std::int64_t value_of(X x) {
    return vcode::int_of<std::int64_t>(double(x));
  }
  template <class X, class Y, class... Z>
  VC_HD static std::int64_t value_of(X, Y y, Z...) {
    return std::int64_t(y);
  }
};

template <class F, class R>
struct Evaluate {
  F apply;
  VC_HD R operator()(std::int64_t e) const { return apply.eval(e); }
};
template <class F, class R>
struct Compute {
  F apply;
  VC_HD Computed<R> operator()(std::int64_t e) const { return apply.compute(e); }
};
template <class F, class R>
struct StoreComputed {
  F apply;
  R* to;
  VC_HD void operator()(std::int64_t e, const Computed<R>& x) const {
    if (!x.is_good) apply.report(e);
    to[e] = x.result;
  }
};

}  // namespace cvl::cuda
