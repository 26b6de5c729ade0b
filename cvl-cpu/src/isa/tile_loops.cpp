/// Elementwise rows of ops.def on tiles: operands are vectors in the first-level cache, or single elements that hold
/// for a whole tile. The loops are bound by loads and stores of that cache, or by arithmetic.

#include <type_traits>

#include "cvl/op_dispatch.h"
#include "isa/division.h"
#include "isa/isa.h"
#include "isa/vector_math.h"
#include "vcode/op_semantics.h"

namespace cvl::cpu::CVL_ISA {
namespace {

/// Element e of a vector, or the single element. Truth values are loaded as bytes, since the compiler vectorizes only
/// that.
template <bool kSingle, class T>
inline T at(const T* p, int64_t e) {
  if constexpr (std::is_same_v<T, bool>)
    return reinterpret_cast<const std::uint8_t*>(p)[kSingle ? 0 : e] != 0;
  else
    return p[kSingle ? 0 : e];
}

template <class Row, int form, int arity, class R, class A, class B, class C>
bool run(const void* const* operands, void* result, int64_t n) {
  const A* a = static_cast<const A*>(operands[0]);
  [[maybe_unused]] const B* b = arity > 1 ? static_cast<const B*>(operands[1]) : nullptr;
  [[maybe_unused]] const C* c = arity > 2 ? static_cast<const C*>(operands[2]) : nullptr;
  R* out = static_cast<R*>(result);
  constexpr bool kOneA = form & 1, kOneB = form & 2, kOneC = form & 4;
  if constexpr (kIsFunction<Row>) {
    if constexpr (arity == 1)
      apply_function<Row, 0>(out, a, a, n);
    else
      apply_function<Row, form>(out, a, b, n);
    return false;
  } else if constexpr (kDivides<Row, A>) {
    return n > 0 && apply_division<Row, form>(out, a, b, n);
  } else {
    // Single elements are loaded before the loop, as the result may overwrite them.
    [[maybe_unused]] const A one_a = at<true>(a, 0);
    [[maybe_unused]] const B one_b = arity > 1 && kOneB ? at<true>(b, 0) : B{};
    [[maybe_unused]] const C one_c = arity > 2 && kOneC ? at<true>(c, 0) : C{};
    unsigned faults = 0;
    CVL_INDEPENDENT
    for (int64_t e = 0; e < n; ++e) {
      const A x = kOneA ? one_a : at<false>(a, e);
      if constexpr (arity == 1) {
        if constexpr (Row::kCanFault) faults |= unsigned(Row::template fault<R>(x));
        out[e] = Row::template eval<R>(x);
      } else if constexpr (arity == 2) {
        const B y = kOneB ? one_b : at<false>(b, e);
        if constexpr (Row::kCanFault) faults |= unsigned(Row::template fault<R>(x, y));
        out[e] = Row::template eval<R>(x, y);
      } else {
        const B y = kOneB ? one_b : at<false>(b, e);
        const C z = kOneC ? one_c : at<false>(c, e);
        if constexpr (Row::kCanFault) faults |= unsigned(Row::template fault<R>(x, y, z));
        out[e] = Row::template eval<R>(x, y, z);
      }
    }
    return faults != 0;
  }
}

/// Enters the loops of a row for each storage and each form, except the form of single elements only.
template <class Row>
void add_row(TileKernels& table) {
  for_each_storage<Row>([&]<int arity, ElemType r, ElemType a, ElemType b, ElemType c>() {
    [&]<int... form>(std::integer_sequence<int, form...>) {
      ((table.at(form, Row::kOp, c, r) = run<Row, form, arity, Storage<r>, Storage<a>, Storage<b>, Storage<c>>), ...);
    }
    (std::make_integer_sequence<int, (1 << arity) - 1>{});
  });
}

void stream(void* to, const void* from, std::size_t bytes) {
  auto* t = static_cast<char*>(to);
  const auto* f = static_cast<const char*>(from);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(t) % kVectorBytes;
  const std::size_t plain = before < bytes ? before : bytes;
  std::memcpy(t, f, plain);
  stream_copy(t + plain, f + plain, bytes - plain);
}

void fence() { stream_fence(); }

}  // namespace

void add_tile(Kernels& kernels) {
#define VC_ELEMENTWISE(Name, ...) add_row<vcode::ops::Name>(kernels.tile);
#include "vcode/ops.def"
  kernels.tile.stream = stream;
  kernels.tile.fence = fence;
}

}  // namespace cvl::cpu::CVL_ISA
