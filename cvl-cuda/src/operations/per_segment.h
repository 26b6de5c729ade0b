#pragma once

#include "cvl/backend.h"
#include "vcode/arith.h"

namespace cvl::cuda {

/// An operand with an element for each segment. If its only element is on the host, it is an argument of the kernel.
template <class T>
class PerSegment {
 public:
  explicit PerSegment(const Operand& v)
      : data_(v.on_host ? nullptr : static_cast<const T*>(v.data)),
        only_(v.on_host ? *static_cast<const T*>(v.data) : T()) {}
  VC_HD T operator[](std::int64_t k) const { return data_ != nullptr ? data_[k] : only_; }

 private:
  const T* data_;
  T only_;
};

}  // namespace cvl::cuda
