#pragma once

#include <cstdint>
#include <cstring>

#include "cvl/backend.h"
#include "vcode/arith.h"

namespace cvl::cuda {

/// Where an operand is: on the device, or, if its only element is on the host, here.
struct Source {
  const void* data = nullptr;
  std::uint64_t only = 0;  ///< if there is no address: the bytes of the only element
};

inline Source source_of(const Operand& v) {
  Source source;
  if (v.on_host)
    memcpy(&source.only, v.data, elem_size(v.type));
  else
    source.data = v.data;
  return source;
}

/// An operand with an element for each segment. If its only element is on the host, it is an argument of the kernel.
template <class T>
class PerSegment {
 public:
  explicit PerSegment(const Operand& v) : PerSegment(source_of(v)) {}
  VC_HD explicit PerSegment(const Source& v) : data_(static_cast<const T*>(v.data)) {
    memcpy(&only_, &v.only, sizeof only_);
  }
  VC_HD T operator[](std::int64_t k) const { return data_ != nullptr ? data_[k] : only_; }

 private:
  const T* data_;
  T only_;
};

}  // namespace cvl::cuda
