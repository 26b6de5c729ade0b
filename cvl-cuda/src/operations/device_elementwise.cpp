#include "base/check.h"
#include "cvl/dispatch.h"
#include "cvl/op_dispatch.h"
#include "operations/apply.h"
#include "operations/device_operations.h"
#include "operations/load_store.h"
#include "vcode/op_semantics.h"

namespace cvl::cuda {
namespace {

using Launch = void (*)(const Context& context, const Operand* operands, Result result);

template <class Row, int arity, class R, class A, class B, class C>
void launch(const Context& context, const Operand* o, Result result) {
  auto data = [&](int k) { return k < arity ? o[k].data : nullptr; };
  using F = Apply<Row, arity, R, const A*, const B*, const C*>;
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

void run(const Context& context, const Elementwise& elementwise) {
  const auto last = static_cast<int>(elementwise.operands.back().type);
  const Launch launch_row =
      table().at[static_cast<int>(elementwise.op)][last][static_cast<int>(elementwise.result.type)];
  VC_CHECK(launch_row != nullptr);
  launch_row(context, elementwise.operands.data(), elementwise.result);
}

}  // namespace cvl::cuda
