#pragma once

/// From run-time element types and monoids to template arguments: each function calls
/// f.template operator()<…>() for the types named.

#include <cstdint>

#include "base/check.h"
#include "cvl/backend.h"

namespace cvl {

/// f<I>() for INT storage.
template <class F>
decltype(auto) with_int(ElemType type, F&& f) {
  VC_CHECK(type == ElemType::kI32 || type == ElemType::kI64);
  return type == ElemType::kI32 ? f.template operator()<std::int32_t>() : f.template operator()<std::int64_t>();
}

/// f<T>() for INT and FLOAT storage.
template <class F>
decltype(auto) with_number(ElemType type, F&& f) {
  switch (type) {
    case ElemType::kF32:
      return f.template operator()<float>();
    case ElemType::kF64:
      return f.template operator()<double>();
    default:
      return with_int(type, static_cast<F&&>(f));
  }
}

/// f<T>() for any storage.
template <class F>
decltype(auto) with_type(ElemType type, F&& f) {
  return type == ElemType::kB8 ? f.template operator()<bool>() : with_number(type, static_cast<F&&>(f));
}

/// f<T>() for an unsigned integer as wide as the elements, for operations that only move them.
template <class F>
decltype(auto) with_size(ElemType type, F&& f) {
  switch (elem_size(type)) {
    case 1:
      return f.template operator()<std::uint8_t>();
    case 4:
      return f.template operator()<std::uint32_t>();
    default:
      VC_CHECK(elem_size(type) == 8);
      return f.template operator()<std::uint64_t>();
  }
}

/// True if scans and reductions with this monoid exist for this storage: the logical ones take INT and
/// BOOL, the others INT and FLOAT.
constexpr bool monoid_takes(Monoid monoid, ElemType type) {
  for (const vcode::OpInfo& row : vcode::all_ops())
    if (row.op_class == vcode::OpClass::kReduce && row.monoid == monoid) {
      if (type == ElemType::kB8) return row.takes(vcode::Suffix::kBool);
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
  constexpr const vcode::OpInfo& row = vcode::info(Row::kOp);
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

/// Element k of a vector that the host can read; a FLOAT is truncated as far as that is defined.
inline std::int64_t integer_at(const Operand& v, std::int64_t k) {
  return with_type(v.type, [&]<class T>() {
    const T x = static_cast<const T*>(v.data)[k];
    if constexpr (std::is_floating_point_v<T>)
      return vcode::int_of<std::int64_t>(x);
    else
      return static_cast<std::int64_t>(x);
  });
}

}  // namespace cvl
