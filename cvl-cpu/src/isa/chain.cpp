/// Chains of elementwise operations, a block of vectors at a time in registers. A link costs a jump that is always the
/// same, and so foreseen, a load from the first-level cache, and the operation; what loads from farther away overlaps
/// with it.

#include "fold.h"

namespace cvl::cpu::CVL_ISA {
namespace {

/// Vectors of a block: as many as leave registers for sums and operands.
#if defined(__AVX512F__)
constexpr int kBlock = 8;
#else
constexpr int kBlock = 4;
#endif
constexpr int kSums = 4;  ///< see fold.h
static_assert(kBlock * kVectorBytes <= ChainKernels::kUniform * 4 && kBlock % kSums == 0);

/// Folds nothing.
struct NoMonoid {
  template <class T>
  static constexpr T neutral() {
    return T(0);
  }
  template <class V>
  static V combine(V, V before) {
    return before;
  }
};

/// Only of floats.
template <class T>
inline Vector<T> quotient(Vector<T> a, [[maybe_unused]] Vector<T> b) {
  if constexpr (std::is_floating_point_v<T>)
    return a / b;
  else
    return a;
}

template <class T>
inline void apply(ChainOp op, bool uniform, Vector<T>* x, const T* y) {
  using V = Vector<T>;
  constexpr int kStep = kLanes<T>;
  const auto each = [&](auto&& f) {
    for (int k = 0; k < kBlock; ++k) x[k] = f(x[k], load<V>(y + k * kStep));
  };
  const auto all = [&](auto&& f) {
    const V b = load<V>(y);
    for (int k = 0; k < kBlock; ++k) x[k] = f(x[k], b);
  };
  // One jump for both.
  switch (static_cast<int>(op) * 2 + uniform) {
#define CHAIN_OP(Op, expression)                                       \
  case static_cast<int>(ChainOp::Op) * 2:                              \
    return each([]([[maybe_unused]] V a, V b) { return expression; }); \
  case static_cast<int>(ChainOp::Op) * 2 + 1:                          \
    return all([]([[maybe_unused]] V a, V b) { return expression; });
    CHAIN_OP(kTake, b)
    CHAIN_OP(kAdd, a + b)
    CHAIN_OP(kSubtract, a - b)
    CHAIN_OP(kSubtractFrom, b - a)
    CHAIN_OP(kMultiply, a * b)
    CHAIN_OP(kDivide, quotient<T>(a, b))
    CHAIN_OP(kDivideInto, quotient<T>(b, a))
#undef CHAIN_OP
    case static_cast<int>(ChainOp::kDouble) * 2:
      for (int k = 0; k < kBlock; ++k) x[k] = x[k] + x[k];
      return;
    case static_cast<int>(ChainOp::kSquare) * 2:
      for (int k = 0; k < kBlock; ++k) x[k] = x[k] * x[k];
      return;
  }
}

template <class T>
inline const T* operand(const ChainLink& link, int64_t e) {
  return static_cast<const T*>(link.operand) + (link.uniform ? 0 : e);
}

/// The last n elements, fewer than a block, from e on; the rest of x means nothing.
template <class T>
[[gnu::noinline]] void last_block(const ChainLink* links, int count, int64_t e, int64_t n, T* x) {
  using V = Vector<T>;
  constexpr int64_t kAll = kBlock * kLanes<T>;
  V values[kBlock] = {};
  for (int i = 0; i < count; ++i) {
    alignas(kVectorBytes) T y[kAll] = {};
    std::memcpy(y, operand<T>(links[i], e), static_cast<std::size_t>(n) * sizeof(T));
    apply<T>(links[i].op, false, values, y);
  }
  std::memcpy(x, values, sizeof values);
}

template <class M, class T>
Slot run(const ChainLink* links, int count, int64_t n, void* to, ChainResult mode) {
  using V = Vector<T>;
  constexpr int64_t kStep = kLanes<T>, kAll = kBlock * kStep;
  T* result = static_cast<T*>(to);
  V sums[kSums];
  for (V& s : sums) s = splat<T>(M::template neutral<T>());
  bool asks = false;
  for (int i = 0; i < count; ++i) asks = asks || links[i].ahead != 0;
  int64_t e = 0;
  for (; e + kAll <= n; e += kAll) {
    V x[kBlock];
    for (int i = 0; asks && i < count; ++i)
      if (links[i].ahead != 0) {
        const char* next = reinterpret_cast<const char*>(operand<T>(links[i], e)) + links[i].ahead;
        for (int k = 0; k < kBlock; ++k) __builtin_prefetch(next + k * kVectorBytes);
      }
    const T* first = operand<T>(links[0], e);
    for (int k = 0; k < kBlock; ++k) x[k] = load<V>(first + k * kStep);
    for (int i = 1; i < count; ++i) apply<T>(links[i].op, links[i].uniform, x, operand<T>(links[i], e));
    for (int k = 0; k < kBlock; ++k) sums[k % kSums] = M::template combine<V>(x[k], sums[k % kSums]);
    if (mode == ChainResult::kStored)
      for (int k = 0; k < kBlock; ++k) store(result + e + k * kStep, x[k]);
    else if (mode == ChainResult::kStreamed)
      for (int k = 0; k < kBlock; ++k) stream_line(result + e + k * kStep, &x[k]);
  }
  if (e < n) {
    alignas(kVectorBytes) T x[kAll];
    last_block(links, count, e, n - e, x);
    if (mode != ChainResult::kNone) std::memcpy(result + e, x, static_cast<std::size_t>(n - e) * sizeof(T));
    int64_t j = 0;
    int k = 0;
    for (; e + j + kStep <= n; j += kStep, ++k)
      sums[k % kSums] = M::template combine<V>(load<V>(x + j), sums[k % kSums]);
    if constexpr (!std::is_same_v<M, NoMonoid>)
      if (e + j < n) sums[k % kSums] = M::template combine<V>(load_part<M>(x + j, n - e - j), sums[k % kSums]);
  }
  if constexpr (std::is_same_v<M, NoMonoid>)
    return 0;
  else
    return to_slot(fold_lanes<M, T>(combine_sums<M, T>(sums)));
}

}  // namespace

void add_chain(Kernels& kernels) {
  auto add = [&]<class T>(std::type_identity<T>) {
    constexpr ElemType t = vcode::kElemTypeOf<T>;
    kernels.chain.run[static_cast<int>(t)] = run<NoMonoid, T>;
    auto fold = [&]<class M>(std::type_identity<M>) { kernels.chain.fold.at(M::kMonoid, t) = run<M, T>; };
    fold(std::type_identity<vcode::monoids::Sum>());
    fold(std::type_identity<vcode::monoids::Max>());
    fold(std::type_identity<vcode::monoids::Min>());
  };
  add(std::type_identity<std::int32_t>());
  add(std::type_identity<std::int64_t>());
  add(std::type_identity<float>());
  add(std::type_identity<double>());
}

}  // namespace cvl::cpu::CVL_ISA
