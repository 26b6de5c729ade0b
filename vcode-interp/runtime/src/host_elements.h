#pragma once

#include "cvl/operands.h"

namespace runtime {

/// The elements of a vector on the host.
template <class T>
const T* in(const cvl::Operand& operand) {
  return static_cast<const T*>(operand.data);
}
template <class T>
T* out(const cvl::Result& result) {
  return static_cast<T*>(result.data);
}

}  // namespace runtime
