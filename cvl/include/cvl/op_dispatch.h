#pragma once

/// Translates run-time monoids and rows of operations to template arguments, as dispatch.h does for element types.

#include "cvl/dispatch.h"
#include "vcode/op_semantics.h"

namespace cvl {

/// True if scans and reductions by this monoid exist for this storage: logical monoids take INT and BOOL, the others
/// INT and FLOAT, and none BYTE.
constexpr bool monoid_takes(Monoid monoid, ElemType type) {
  for (const vcode::OpInfo& row : vcode::kOpRows)
    if (row.op_class == vcode::OpClass::kReduce && row.monoid == monoid) {
      if (type == ElemType::kB8) return row.takes(vcode::Suffix::kBool);
      if (type == ElemType::kU8) return row.takes(vcode::Suffix::kByte);
      if (type == ElemType::kF32 || type == ElemType::kF64) return row.takes(vcode::Suffix::kFloat);
    }
  return true;
}

/// f<M, T>() for a monoid and storage that go together (monoid_takes).
template <class F>
void with_monoid(Monoid monoid, ElemType type, F&& f) {
  VC_CHECK(monoid_takes(monoid, type));
  with_type(type, [&]<class T>() {
    switch (monoid) {
#define VC_MONOID(Name, ...)                                            \
  case Monoid::k##Name:                                                 \
    if constexpr (monoid_takes(Monoid::k##Name, vcode::kElemTypeOf<T>)) \
      f.template operator()<vcode::monoids::Name, T>();                 \
    break;
#include "vcode/ops.def"
    }
  });
}

/// Calls visit.template operator()<arity, result, a, b, c>() for each storage that the suffixes of an elementwise row
/// and the widths of INT and FLOAT give its result and operands; missing operands repeat the one before.
template <class Row, class Visit>
constexpr void for_each_storage(Visit&& visit) {
  constexpr const vcode::OpInfo& row = vcode::row_of(Row::kOp);
  vcode::for_each_suffix<row.suffix_set>([&]<vcode::Suffix suffix>() {
    vcode::for_each_widths([&]<ElemType int_type, ElemType float_type>() {
      constexpr const vcode::Signature& sig = row.signature;
      constexpr vcode::Widths widths{int_type, float_type};
      constexpr int arity = sig.operand_count;
      constexpr ElemType r = vcode::role_type(sig.results[0], suffix, widths);
      constexpr ElemType a = vcode::role_type(sig.operands[0], suffix, widths);
      constexpr ElemType b = arity > 1 ? vcode::role_type(sig.operands[1], suffix, widths) : a;
      constexpr ElemType c = arity > 2 ? vcode::role_type(sig.operands[2], suffix, widths) : b;
      visit.template operator()<arity, r, a, b, c>();
    });
  });
}

}  // namespace cvl
