#pragma once

#include <cstdint>
#include <cstring>

#include "cvl/backend.h"
#include "vcode/arith.h"

namespace cvl::cuda {

/// The address of an operand on the device, or the bytes of its only element if the operand is on the host.
struct Source {
  const void* data = nullptr;
  std::uint64_t only = 0;  ///< bytes of the only element, if there is no address
};

inline Source source_of(const Operand& v) {
  Source source;
  if (v.on_host)
    memcpy(&source.only, v.data, elem_size(v.type));
  else
    source.data = v.data;
  return source;
}

/// An operand with an element for each segment. If its only element is on the host, the element is a kernel argument.
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
