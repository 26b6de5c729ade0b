#include "cvl/dispatch.h"
#include "operations/device_operations.h"
#include "operations/load_store.h"
#include "vcode/check.h"

namespace cvl::cuda {
namespace {

/// A result as it was computed. A fault is reported when the result is stored, so that it does not hold up other loads.
template <class R>
struct Computed {
  R result;
  bool is_good;
};

/// Computes one element of an elementwise row of ops.def.
template <class Row, int arity, class R, class A, class B, class C>
struct Apply {
  const A* a;
  const B* b;
  const C* c;
  Faults faults;

  VC_HD R eval(std::int64_t e) const {
    return on(e, [](auto... x) { return Row::template eval<R>(x...); });
  }
  VC_HD FaultKind fault(std::int64_t e) const {
    return on(e, [](auto... x) { return Row::template fault<R>(x...); });
  }
  VC_HD Computed<R> compute(std::int64_t e) const { return {eval(e), fault(e) == FaultKind::kNone}; }
  /// The operands are still there, even if the result takes the place of one.
  VC_HD void report(std::int64_t e) const {
    faults.report(fault(e), e, on(e, [](auto... x) { return value_of(x...); }));
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
  VC_HD static std::int64_t value_of(A x) { return vcode::int_of<std::int64_t>(double(x)); }
  VC_HD static std::int64_t value_of(A, B y) { return std::int64_t(y); }
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

using Launch = void (*)(const Context& context, const Operand* operands, Result result);

template <class Row, int arity, class R, class A, class B, class C>
void launch(const Context& context, const Operand* o, Result result) {
  auto data = [&](int k) { return k < arity ? o[k].data : nullptr; };
  using F = Apply<Row, arity, R, A, B, C>;
  const F apply{static_cast<const A*>(data(0)), static_cast<const B*>(data(1)), static_cast<const C*>(data(2)),
                context.faults};
  R* const to = static_cast<R*>(result.data);
  if constexpr (Row::kCanFault)
    context.executor.template map<Computed<R>>(result.length, Compute<F, R>{apply}, StoreComputed<F, R>{apply, to});
  else
    context.executor.template map<R>(result.length, Evaluate<F, R>{apply}, StoreTo<R>{to});
}

/// Indexed by operation, type of the last operand and type of the result; null where the table has no row.
struct Table {
  Launch at[vcode::kOps][vcode::kElemTypes][vcode::kElemTypes] = {};

  template <class Row>
  void add() {
    for_each_storage<Row>([&]<int arity, ElemType r, ElemType a, ElemType b, ElemType c>() {
      using vcode::Storage;
      at[static_cast<int>(Row::kOp)][static_cast<int>(c)][static_cast<int>(r)] =
          launch<Row, arity, Storage<r>, Storage<a>, Storage<b>, Storage<c>>;
    });
  }
};

const Table& table() {
  static const Table filled = [] {
    Table t;
#define VC_ELEMENTWISE(Name, ...) t.add<vcode::ops::Name>();
#include "vcode/ops.def"
    return t;
  }();
  return filled;
}

}  // namespace

void elementwise(const Context& context, Op op, std::span<const Operand> operands, Result result) {
  const auto last = static_cast<int>(operands.back().type);
  const Launch launch_row = table().at[static_cast<int>(op)][last][static_cast<int>(result.type)];
  VC_CHECK(launch_row != nullptr);
  launch_row(context, operands.data(), result);
}

}  // namespace cvl::cuda
