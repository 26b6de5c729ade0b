#pragma once

/// Translates run-time element types to template arguments: each function calls f.template operator()<…>() for the
/// types that its comment names. The same for monoids and rows of operations is in op_dispatch.h.

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
  switch (type) {
    case ElemType::kB8:
      return f.template operator()<bool>();
    case ElemType::kU8:
      return f.template operator()<std::uint8_t>();
    default:
      return with_number(type, static_cast<F&&>(f));
  }
}

/// f<T>() for an unsigned integer of the elements' width, for operations that only move elements.
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

}  // namespace cvl
