#pragma once

#include <cstdint>
#include <cstring>

#include "base/atomics.h"
#include "batches/steps.h"
#include "vcode/arith.h"

namespace cvl::cuda {

// Vectors whose type is known only when the step runs, so that the code of a step is compiled once for all types. An
// element is handled as its bits, in the low bytes of a 64-bit word whose other bytes are zero.

template <class T>
VC_HD T from_bits(std::uint64_t bits) {
  T element;
  memcpy(&element, &bits, sizeof element);
  return element;
}
template <class T>
VC_HD std::uint64_t to_bits(T element) {
  std::uint64_t bits = 0;
  memcpy(&bits, &element, sizeof element);
  return bits;
}

/// Operand k of a step. An operand passed by value has its only element at all indices.
class AnyVector {
 public:
  VC_HD AnyVector(const Step& step, int k) : source_(step.operands[k]), bytes_(step.bytes[k]) {}

  VC_HD std::uint64_t operator[](std::int64_t e) const {
    if (source_.data == nullptr) return source_.only;
    if (bytes_ == 4) return static_cast<const std::uint32_t*>(source_.data)[e];
    if (bytes_ == 8) return static_cast<const std::uint64_t*>(source_.data)[e];
    return static_cast<const std::uint8_t*>(source_.data)[e];
  }
  VC_HD const void* data() const { return source_.data; }

 private:
  Source source_;
  int bytes_;
};

/// Operand k of a step, of type INT, which has 4 or 8 bytes, sign-extended.
class AnyInts {
 public:
  VC_HD AnyInts(const Step& step, int k) : source_(step.operands[k]), is_short_(step.bytes[k] == 4) {}
  VC_HD std::int64_t operator[](std::int64_t e) const {
    if (source_.data == nullptr)
      return is_short_ ? static_cast<std::int32_t>(source_.only) : static_cast<std::int64_t>(source_.only);
    if (is_short_) return static_cast<const std::int32_t*>(source_.data)[e];
    return static_cast<const std::int64_t*>(source_.data)[e];
  }

 private:
  Source source_;
  bool is_short_;
};

/// Reference to an element of AnyResult.
struct AnyPosition {
  void* at;
  int bytes;

  VC_HD void operator=(std::uint64_t bits) const {
    if (bytes == 4)
      *static_cast<std::uint32_t*>(at) = static_cast<std::uint32_t>(bits);
    else if (bytes == 8)
      *static_cast<std::uint64_t*>(at) = bits;
    else
      *static_cast<std::uint8_t*>(at) = static_cast<std::uint8_t>(bits);
  }
};
VC_HD inline void store_racing(AnyPosition position, std::uint64_t bits) {
  if (position.bytes == 4)
    store_racing(static_cast<std::uint32_t*>(position.at), static_cast<std::uint32_t>(bits));
  else if (position.bytes == 8)
    store_racing(static_cast<std::uint64_t*>(position.at), bits);
  else
    store_racing(static_cast<std::uint8_t*>(position.at), static_cast<std::uint8_t>(bits));
}

/// The result of a step.
class AnyResult {
 public:
  VC_HD explicit AnyResult(const Step& step)
      : data_(static_cast<char*>(step.to)), bytes_(static_cast<int>(vcode::elem_size(step.result))) {}
  VC_HD AnyPosition operator[](std::int64_t e) const { return {data_ + e * bytes_, bytes_}; }
  VC_HD AnyPosition operator+(std::int64_t e) const { return (*this)[e]; }

 private:
  char* data_;
  int bytes_;
};

}  // namespace cvl::cuda
