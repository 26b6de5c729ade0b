#pragma once

#include <initializer_list>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cvl/backend.h"

namespace device_check {

using cvl::ElemType;
using cvl::Monoid;
using cvl::Op;
using cvl::Operand;
using cvl::Result;
using cvl::SegmentDescriptor;

/// Thrown if the library has no memory for a vector, or for the working memory of an operation.
struct NoMemory : std::runtime_error {
  NoMemory() : std::runtime_error("there is not enough memory") {}
};

inline Operand operand(const Result& vector) { return {vector.type, vector.length, vector.data}; }

/// Vectors in the memory of a library, made and compared there by its own operations, so that only single numbers reach
/// the host. They live as long as this object. A fault is thrown as std::runtime_error, exhausted memory as NoMemory.
class DeviceVectors {
 public:
  explicit DeviceVectors(cvl::Backend& backend) : backend_(backend) {}
  ~DeviceVectors();
  DeviceVectors(const DeviceVectors&) = delete;
  DeviceVectors& operator=(const DeviceVectors&) = delete;

  cvl::Backend& backend() { return backend_; }

  Result make(ElemType type, std::int64_t n);
  /// x, n times.
  template <class T>
  Operand constant(std::int64_t n, T x) {
    const Result result = make(vcode::kElemTypeOf<T>, n);
    backend_.run(cvl::Dist{scalar(x), SegmentDescriptor::single(n), result});
    return operand(result);
  }
  /// x, n times, as an INT of this type.
  Operand ints(ElemType type, std::int64_t n, std::int64_t x);
  /// start, start + stride, … as INTs of this type.
  Operand sequence(ElemType type, std::int64_t n, std::int64_t start, std::int64_t stride);
  /// Square roots of random integers in [0, 2^20).
  Operand roots(ElemType type, std::int64_t n);

  Operand elementwise(Op op, ElemType type, std::initializer_list<Operand> operands);
  Operand scan(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor);
  Operand reduce(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor);
  Operand permute(const Operand& source, const Operand& indices);
  Operand gather(const Operand& source, const Operand& indices);
  Operand rank(bool descending, const Operand& a, ElemType type);
  /// The elements whose flag is true.
  Operand pack(const Operand& a, const Operand& flags, ElemType int_type);
  /// The descriptor of segments of these lengths, expanded if the library wants that.
  SegmentDescriptor segments(const Operand& lengths);

  /// The first element.
  template <class T>
  T first(const Operand& a) {
    T x{};
    check_faults();
    backend_.download(&x, a.data, sizeof x);
    return x;
  }
  /// Whether two vectors have the same numbers; NaN equals nothing.
  bool same(const Operand& a, const Operand& b);
  /// Throws if an earlier operation has failed.
  void check_faults();

 private:
  template <class T>
  Operand scalar(const T& x) const {
    return {vcode::kElemTypeOf<T>, 1, &x, !backend_.unified_memory()};
  }

  cvl::Backend& backend_;
  std::uint64_t drawn_ = 0;
  std::vector<std::pair<void*, std::size_t>> blocks_;
};

}  // namespace device_check
