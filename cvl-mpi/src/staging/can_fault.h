#pragma once

#include <type_traits>

#include "cvl/vector_op.h"
#include "vcode/op.h"

namespace cvl::mpi {

/// Whether the data of an operation can be at fault.
template <class T>
bool can_fault(const T& op) {
  if constexpr (std::is_same_v<T, Elementwise>)
    return vcode::info(op.op).faulting != 0;
  else
    return !(std::is_same_v<T, Scan> || std::is_same_v<T, Reduce> || std::is_same_v<T, ArgReduce> ||
             std::is_same_v<T, Dist> || std::is_same_v<T, Index> || std::is_same_v<T, Rank> ||
             std::is_same_v<T, Count> || std::is_same_v<T, Pack> || std::is_same_v<T, MakeOffsets>);
}

}  // namespace cvl::mpi
