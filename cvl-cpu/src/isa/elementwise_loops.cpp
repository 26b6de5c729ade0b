/// Elementwise rows of ops.def, each as one loop that the compiler vectorises.
///
/// Bytes moved per element: the operands once, the result once (twice for a large result that is not streamed, as its
/// cache lines are read before they are written). The floor is the machine's copy bandwidth.

#include <algorithm>
#include <type_traits>

#include "cvl/op_dispatch.h"
#include "isa/division.h"
#include "isa/isa.h"
#include "isa/vector_math.h"
#include "tuning/loop_tuning.h"
#include "vcode/arith.h"
#include "vcode/op_semantics.h"

namespace cvl::cpu::CVL_ISA {
namespace {

/// Element e. Truth values are loaded as bytes, since the compiler vectorizes only byte loads.
template <class T>
inline T at(const T* p, int64_t e) {
  if constexpr (std::is_same_v<T, bool>)
    return reinterpret_cast<const std::uint8_t*>(p)[e] != 0;
  else
    return p[e];
}

template <class Row, int arity, class R, class A, class B, class C>
struct Loop {
  const A* a;
  const B* b;
  const C* c;
  static constexpr int64_t kBuffer =
      kElementwiseBufferBytes / int64_t(std::max({sizeof(A), sizeof(B), sizeof(C), sizeof(R)}));

  /// result[e] = row(a[begin + e], …) for n elements, where row is a row of ops.def. True if an element is at fault.
  bool apply(R* result, int64_t begin, int64_t n) const {
    const A* x = a + begin;
    [[maybe_unused]] const B* y = b + begin;
    [[maybe_unused]] const C* z = c + begin;
    unsigned faults = 0;
    if constexpr (kIsFunction<Row>) {
      if constexpr (arity == 1)
        apply_function<Row, 0>(result, x, x, n);
      else
        apply_function<Row, 0>(result, x, y, n);
    } else if constexpr (kDivides<Row, A>) {
      return apply_division<Row, 0>(result, x, y, n);
    } else {
      CVL_INDEPENDENT
      for (int64_t e = 0; e < n; ++e) {
        if constexpr (arity == 1) {
          if constexpr (Row::kCanFault) faults |= unsigned(Row::template fault<R>(at(x, e)));
          result[e] = Row::template eval<R>(at(x, e));
        } else if constexpr (arity == 2) {
          if constexpr (Row::kCanFault) faults |= unsigned(Row::template fault<R>(at(x, e), at(y, e)));
          result[e] = Row::template eval<R>(at(x, e), at(y, e));
        } else {
          if constexpr (Row::kCanFault) faults |= unsigned(Row::template fault<R>(at(x, e), at(y, e), at(z, e)));
          result[e] = Row::template eval<R>(at(x, e), at(y, e), at(z, e));
        }
      }
    }
    return faults != 0;
  }

  /// The first fault among n elements from `begin` on. The value of the fault is the second operand, or the only one,
  /// as an integer; its bound is the first of several operands.
  ElementFault find(int64_t begin, int64_t n) const {
    for (int64_t e = begin; e < begin + n; ++e) {
      const FaultKind kind = arity == 1   ? Row::template fault<R>(a[e])
                             : arity == 2 ? Row::template fault<R>(a[e], b[e])
                                          : Row::template fault<R>(a[e], b[e], c[e]);
      if (kind == FaultKind::kNone) continue;
      if constexpr (arity == 1)
        return {kind, e, vcode::int_of<int64_t>(static_cast<double>(a[e])), 0};
      else
        return {kind, e, int64_t(b[e]), int64_t(a[e])};
    }
    return {};
  }
};

template <class Row, int arity, class R, class A, class B, class C>
ElementFault run(const void* const* operands, void* result, int64_t begin, int64_t end, bool stream) {
  VC_CHECK(begin % 64 == 0);
  const Loop<Row, arity, R, A, B, C> loop{static_cast<const A*>(operands[0]), static_cast<const B*>(operands[1]),
                                          static_cast<const C*>(operands[2])};
  R* out = static_cast<R*>(result);
  if (!stream && !Row::kCanFault) {
    loop.apply(out + begin, begin, end - begin);
    return {};
  }
  // A fault is located before the strip is written, as the result may overwrite an operand.
  constexpr int64_t kBuffer = loop.kBuffer;
  static_assert(kBuffer * sizeof(R) % 64 == 0, "chunks are streamed in whole lines");
  alignas(64) R buffer[kBuffer];
  for (int64_t e = begin; e < end; e += kBuffer) {
    const int64_t n = end - e < kBuffer ? end - e : kBuffer;
    if (loop.apply(buffer, e, n)) {
      if constexpr (Row::kCanFault) return loop.find(e, n);
    }
    if (stream)
      stream_copy(out + e, buffer, n * sizeof(R));
    else
      std::memcpy(out + e, buffer, n * sizeof(R));
  }
  if (stream) stream_fence();
  return {};
}

template <class Row>
void add_row(ElementwiseKernels& table) {
  for_each_storage<Row>([&]<int arity, ElemType r, ElemType a, ElemType b, ElemType c>() {
    table.at(Row::kOp, c, r) = run<Row, arity, Storage<r>, Storage<a>, Storage<b>, Storage<c>>;
  });
}

}  // namespace

void add_elementwise(Kernels& kernels) {
#define VC_ELEMENTWISE(Name, ...) add_row<vcode::ops::Name>(kernels.elementwise);
#include "vcode/ops.def"
}

}  // namespace cvl::cpu::CVL_ISA
