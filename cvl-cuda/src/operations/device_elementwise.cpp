#include "cvl/dispatch.h"
#include "operations/device_operations.h"
#include "operations/load_store.h"
#include "vcode/check.h"

namespace cvl::cuda {
namespace {

/// Computes one element of an elementwise row of ops.def.
template <class Row, int arity, class R, class A, class B, class C>
struct Apply {
  const A* a;
  const B* b;
  const C* c;
  Faults faults;

  VC_HD R operator()(std::int64_t e) const {
    if constexpr (arity == 1)
      return of(e, a[e]);
    else if constexpr (arity == 2)
      return of(e, a[e], b[e]);
    else
      return of(e, a[e], b[e], c[e]);
  }

 private:
  template <class... X>
  VC_HD R of(std::int64_t e, X... x) const {
    if constexpr (Row::kCanFault) {
      const FaultKind kind = Row::template fault<R>(x...);
      if (kind != FaultKind::kNone) faults.report(kind, e, value_of(x...));
    }
    return Row::template eval<R>(x...);
  }
  VC_HD static std::int64_t value_of(A x) { return vcode::int_of<std::int64_t>(double(x)); }
  VC_HD static std::int64_t value_of(A, B y) { return std::int64_t(y); }
};

using Launch = void (*)(const Context& context, const Operand* operands, Result result);

template <class Row, int arity, class R, class A, class B, class C>
void launch(const Context& context, const Operand* o, Result result) {
  auto data = [&](int k) { return k < arity ? o[k].data : nullptr; };
  const Apply<Row, arity, R, A, B, C> apply{static_cast<const A*>(data(0)), static_cast<const B*>(data(1)),
                                            static_cast<const C*>(data(2)), context.faults};
  context.executor.template map<R>(result.length, apply, StoreTo<R>{static_cast<R*>(result.data)});
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
