#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vcode/types.h"

namespace cvl::conformance {

/// A vector in host memory, whose element type is known at run time.
struct HostVector {
  vcode::ElemType type = vcode::ElemType::kI32;
  std::int64_t length = 0;
  std::vector<std::byte> bytes = {};

  HostVector() = default;
  HostVector(vcode::ElemType t, std::int64_t n)
      : type(t), length(n), bytes(static_cast<std::size_t>(n) * vcode::elem_size(t)) {}

  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(bytes.data()), static_cast<std::size_t>(length)};
  }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes.data()), static_cast<std::size_t>(length)};
  }
};

}  // namespace cvl::conformance
