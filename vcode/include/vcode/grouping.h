#pragma once

#include "vcode/op.h"
#include "vcode/types.h"

namespace vcode {

/// Whether the result of a scan or a reduction depends on the grouping of elements (docs/vcode.md).
constexpr bool rounds(Monoid monoid, ElemType type) {
  return (type == ElemType::kF32 || type == ElemType::kF64) && (monoid == Monoid::kSum || monoid == Monoid::kProduct);
}

}  // namespace vcode
