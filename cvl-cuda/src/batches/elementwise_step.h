#pragma once

#include <utility>

#include "batches/any_vector.h"
#include "batches/compact_code.h"
#include "cvl/dispatch.h"
#include "cvl/op_dispatch.h"
#include "executor/blocks.h"
#include "operations/apply.h"
#include "operations/per_segment.h"
#include "vcode/arith.h"
#include "vcode/op_semantics.h"

namespace cvl::cuda {

struct Types {
  int arity;
  ElemType result, a, b, c;
};

/// The types that the operands and the result of an elementwise row may have, each once.
struct TypesOfRow {
  int count = 0;
  Types at[12] = {};

  constexpr void add(const Types& types) {
    for (int k = 0; k < count; ++k)
      if (at[k].result == types.result && at[k].c == types.c) return;
    at[count++] = types;
  }
};

template <class Row>
constexpr TypesOfRow types_of() {
  TypesOfRow types;
  for_each_storage<Row>([&]<int arity, ElemType r, ElemType a, ElemType b, ElemType c>() {
    types.add({arity, r, a, b, c});
  });
  return types;
}

/// The numbers of these types, as template arguments.
template <class Row>
using AllTypesOf = std::make_integer_sequence<int, types_of<Row>().count>;

/// The operands of one element, as bits.
struct ElementOperands {
  std::uint64_t a, b, c;
};
/// The result of one element, as bits; if it is at fault, also the value that a message shows.
struct ElementResult {
  std::uint64_t result = 0;
  FaultKind fault = FaultKind::kNone;
  std::int64_t culprit = 0;
};

/// A vector of one element, as an operand of Apply.
template <class T>
struct OnlyElement {
  T value;
  VC_HD T operator[](std::int64_t) const { return value; }
};

template <class Row, int k>
CVL_DEVICE void compute_as(const Step& step, const ElementOperands& bits, ElementResult& r) {
  using vcode::Storage;
  constexpr Types types = types_of<Row>().at[k];
  if (step.type != types.c || step.result != types.result) return;
  using R = Storage<types.result>;
  using A = Storage<types.a>;
  using B = Storage<types.b>;
  using C = Storage<types.c>;
  const Apply<Row, types.arity, R, OnlyElement<A>, OnlyElement<B>, OnlyElement<C>> apply{
      {from_bits<A>(bits.a)}, {from_bits<B>(bits.b)}, {from_bits<C>(bits.c)}, {}};
  r.result = to_bits<R>(apply.eval(0));
  if constexpr (Row::kCanFault) {
    r.fault = apply.fault(0);
    if (r.fault != FaultKind::kNone) r.culprit = apply.culprit(0);
  }
}
template <class Row, int... k>
CVL_DEVICE void compute_row(const Step& step, const ElementOperands& bits, ElementResult& r,
                            std::integer_sequence<int, k...>) {
  (compute_as<Row, k>(step, bits, r), ...);
}

/// Whether an operation makes INTs of FLOATs: few batches have one, and its code is long.
constexpr bool rounds_to_int(ElemType operand, ElemType result) {
  return (operand == ElemType::kF32 || operand == ElemType::kF64) &&
         (result == ElemType::kI32 || result == ElemType::kI64);
}
template <class Row>
inline constexpr bool kRoundsToInt = rounds_to_int(types_of<Row>().at[0].c, types_of<Row>().at[0].result);

/// One element of a step whose row is no function.
template <bool has_rare>
CVL_DEVICE ElementResult compute(const Step& step, const ElementOperands& bits) {
  ElementResult r;
  switch (step.op) {
#define VC_ELEMENTWISE(Name, ...)                                                                             \
  case Op::k##Name:                                                                                           \
    if constexpr (!vcode::row_of(Op::k##Name).is_function() && (has_rare || !kRoundsToInt<vcode::ops::Name>)) \
      compute_row<vcode::ops::Name>(step, bits, r, AllTypesOf<vcode::ops::Name>{});                           \
    break;
#include "vcode/ops.def"
    default:
      break;
  }
  return r;
}

/// Functions such as SIN need many registers, and call others, for which registers are saved: each has a loop of its
/// own, one element after the other, and is called while the kernel has next to nothing in registers.
template <class Row, int k>
CVL_CALLED void run_function_as(const WideBlock block, const Step& step) {
  using vcode::Storage;
  constexpr Types types = types_of<Row>().at[k];
  using R = Storage<types.result>;
  using A = PerSegment<Storage<types.a>>;
  using B = PerSegment<Storage<types.b>>;
  using C = PerSegment<Storage<types.c>>;
  const Apply<Row, types.arity, R, A, B, C> apply{A(step.operands[0]), B(step.operands[1]), C(step.operands[2]), {}};
  R* const to = static_cast<R*>(step.to);
  block.for_each(step.length, [&](std::int64_t e) { to[e] = apply.eval(e); });
}
template <class Row, int... k>
CVL_DEVICE void run_function(const WideBlock& block, const Step& step, std::integer_sequence<int, k...>) {
  ((step.type == types_of<Row>().at[k].c ? run_function_as<Row, k>(block, step) : void()), ...);
}
CVL_DEVICE inline void run_function(const WideBlock& block, const Step& step) {
  switch (step.op) {
#define VC_ELEMENTWISE(Name, ...)                                                  \
  case Op::k##Name:                                                                \
    if constexpr (vcode::row_of(Op::k##Name).is_function())                        \
      run_function<vcode::ops::Name>(block, step, AllTypesOf<vcode::ops::Name>{}); \
    break;
#include "vcode/ops.def"
    default:
      break;
  }
}

/// The first of several operands of an element at fault, which are INTs.
CVL_DEVICE inline std::int64_t bound_of(const Step& step, const ElementOperands& bits) {
  if (step.bytes[1] == 0) return 0;
  return step.bytes[0] == 8 ? static_cast<std::int64_t>(bits.a) : static_cast<std::int32_t>(bits.a);
}

template <bool has_rare>
CVL_DEVICE void run_elementwise(const WideBlock& block, const Step& step, const Faults& faults) {
  if constexpr (has_rare)
    if (step.is_function) return run_function(block, step);
  const AnyVector a(step, 0), b(step, 1), c(step, 2);
  const AnyResult to(step);
  block.template load_ahead<ElementOperands>(
      static_cast<int>(step.length),
      [&](std::int64_t e) {
        return ElementOperands{a[e], b[e], c[e]};
      },
      [&](std::int64_t e, const ElementOperands& bits) {
        const ElementResult r = compute<has_rare>(step, bits);
        if (r.fault != FaultKind::kNone) faults.report(r.fault, e, r.culprit, bound_of(step, bits));
        to[e] = r.result;
      });
}

}  // namespace cvl::cuda
