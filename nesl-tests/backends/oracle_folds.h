#pragma once

#include <vector>

#include "cvl/fold_order.h"
#include "oracle_elements.h"
#include "oracle_memory.h"
#include "vcode/op_semantics.h"

/// Folds and scans of segments.
namespace cvl::conformance {

/// Calls f.template operator()<M, T>() for a monoid and a type that it takes.
template <class F>
void visit_monoid(Monoid monoid, ElemType type, F&& f) {
  bool done = false;
#define VC_SCAN(Name, text, set, M, doc)                                                          \
  if (monoid == Monoid::k##M && !done) {                                                          \
    vcode::for_each_suffix<vcode::suffixes::set>([&]<vcode::Suffix s>() {                         \
      vcode::for_each_widths([&]<ElemType int_type, ElemType float_type>() {                      \
        constexpr ElemType kType = vcode::Widths{int_type, float_type}.of(vcode::suffix_kind(s)); \
        if (done || kType != type) return;                                                        \
        f.template operator()<vcode::monoids::M, vcode::Storage<kType>>();                        \
        done = true;                                                                              \
      });                                                                                         \
    });                                                                                           \
  }
#include "vcode/ops.def"
  if (!done) misuse("no such monoid for this element type");
}

/// The elements of segment k.
template <class T>
std::vector<T> segment(const Operand& operand, const SegmentDescriptor& descriptor, std::int64_t k) {
  std::vector<T> elements;
  for (std::int64_t e = descriptor.start(k); e < descriptor.start(k + 1); ++e) elements.push_back(load<T>(operand, e));
  return elements;
}

template <class M, class T>
T fold_segment(const Operand& a, const SegmentDescriptor& descriptor, std::int64_t k) {
  const std::vector<T> elements = segment<T>(a, descriptor, k);
  if (elements.empty()) return M::template empty_value<T>();
  if constexpr (kRounds<M, T>) {
    return fold_in_order<M>(elements.data(), std::ssize(elements));
  } else {
    T sum = M::template identity<T>();
    for (const T element : elements) sum = M::template combine<T>(element, sum);
    return sum;
  }
}

template <class M, class T>
void scan_segment(const Operand& a, const SegmentDescriptor& descriptor, std::int64_t k, const Result& result) {
  std::vector<T> elements = segment<T>(a, descriptor, k);
  if constexpr (kRounds<M, T>) {
    scan_in_order<M>(elements.data(), std::ssize(elements), elements.data());
  } else {
    T sum = M::template identity<T>();
    for (std::size_t j = 0; j < elements.size(); ++j) {
      const T element = elements[j];
      elements[j] = j == 0 ? M::template empty_value<T>() : sum;
      sum = M::template combine<T>(element, sum);
    }
  }
  for (std::size_t j = 0; j < elements.size(); ++j)
    store<T>(result, descriptor.start(k) + static_cast<std::int64_t>(j), elements[j]);
}

}  // namespace cvl::conformance
