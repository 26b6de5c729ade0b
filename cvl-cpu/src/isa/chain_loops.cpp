/// Chains of elementwise operations, folds, scans and stores, a block of vectors at a time in registers. A link costs a
/// jump that is always the same, and so foreseen, a load from the first-level cache, and the operation; what loads from
/// farther away overlaps with it. The sums of a fold lie in the first-level cache: they are loaded and stored once in a
/// block, which takes less time than the block's elements take from memory.

#include "isa/group_scan.h"

#include "vcode/check.h"

namespace cvl::cpu::CVL_ISA {
namespace {

/// Vectors of a block: as many as leave registers for sums and operands.
#if defined(__AVX512F__)
constexpr int kBlock = 8;
#else
constexpr int kBlock = 4;
#endif
constexpr int kSums = 4;  ///< see vector_fold.h
static_assert(kBlock * kVectorBytes <= ChainKernels::kUniform * 4 && kBlock % kSums == 0);

/// Only of floats.
template <class T>
inline Vector<T> quotient(Vector<T> a, [[maybe_unused]] Vector<T> b) {
  if constexpr (std::is_floating_point_v<T>)
    return a / b;
  else
    return a;
}

/// Computes with the value and the block of operands at y.
template <class T>
inline void compute(ChainOp op, bool uniform, Vector<T>* x, const T* y) {
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
    case static_cast<int>(ChainOp::kDouble) * 2 + 1:
      for (int k = 0; k < kBlock; ++k) x[k] = x[k] + x[k];
      return;
    case static_cast<int>(ChainOp::kSquare) * 2:
    case static_cast<int>(ChainOp::kSquare) * 2 + 1:
      for (int k = 0; k < kBlock; ++k) x[k] = x[k] * x[k];
      return;
  }
}

template <class M, class T>
inline void fold_block(const Vector<T>* x, void* to) {
  auto* sums = static_cast<Vector<T>*>(to);
  for (int k = 0; k < kBlock; ++k) sums[k % kSums] = M::template combine<Vector<T>>(x[k], sums[k % kSums]);
}

template <class M, class T>
inline void scan_block(Vector<T>* x, void* to) {
  auto& scan = *static_cast<ChainScan*>(to);
  GroupScan<M, T> group(from_slot<T>(scan.before));
  for (int k = 0; k < kBlock; ++k) x[k] = group.next(x[k]);
  scan.before = to_slot(group.carry());
  if (scan.begins) x[0][0] = M::template identity<T>();
  scan.begins = false;
}

/// Scans, folds or stores a block, which begins with element e.
template <class T>
inline void keep(const ChainLink& link, int64_t e, Vector<T>* x) {
  T* to = static_cast<T*>(link.to) + e;
  switch (link.op) {
    case ChainOp::kScanSum:
      return scan_block<vcode::monoids::Sum, T>(x, link.to);
    case ChainOp::kScanMax:
      return scan_block<vcode::monoids::Max, T>(x, link.to);
    case ChainOp::kScanMin:
      return scan_block<vcode::monoids::Min, T>(x, link.to);
    case ChainOp::kFoldSum:
      return fold_block<vcode::monoids::Sum, T>(x, link.to);
    case ChainOp::kFoldMax:
      return fold_block<vcode::monoids::Max, T>(x, link.to);
    case ChainOp::kFoldMin:
      return fold_block<vcode::monoids::Min, T>(x, link.to);
    case ChainOp::kStore:
      for (int k = 0; k < kBlock; ++k) store(to + k * kLanes<T>, x[k]);
      return;
    default:
      VC_CHECK(link.op == ChainOp::kStream);
      for (int k = 0; k < kBlock; ++k) stream_line(to + k * kLanes<T>, &x[k]);
  }
}

inline bool keeps(ChainOp op) { return op >= ChainOp::kScanSum; }

template <class T>
inline const T* operand(const ChainLink& link, int64_t e) {
  return static_cast<const T*>(link.operand) + (link.uniform ? 0 : e);
}

/// Folds n elements, fewer than a block.
template <class M, class T>
void fold_part(const T* x, int64_t n, void* to) {
  auto* sums = static_cast<Vector<T>*>(to);
  constexpr int64_t kStep = kLanes<T>;
  for (int k = 0; n > 0; ++k, n -= kStep, x += kStep) {
    const Vector<T> v = n < kStep ? load_part<M>(x, n) : load<Vector<T>>(x);
    sums[k % kSums] = M::template combine<Vector<T>>(v, sums[k % kSums]);
  }
}

template <class M, class T>
void scan_part(Vector<T>* x, int64_t n, void* to) {
  T* values = reinterpret_cast<T*>(x);
  for (int64_t k = n; k < kBlock * kLanes<T>; ++k) values[k] = M::template neutral<T>();
  scan_block<M, T>(x, to);
}

/// As keep, n elements, fewer than a block.
template <class T>
void keep_part(const ChainLink& link, int64_t e, Vector<T>* vectors, int64_t n) {
  const T* x = reinterpret_cast<const T*>(vectors);
  switch (link.op) {
    case ChainOp::kScanSum:
      return scan_part<vcode::monoids::Sum, T>(vectors, n, link.to);
    case ChainOp::kScanMax:
      return scan_part<vcode::monoids::Max, T>(vectors, n, link.to);
    case ChainOp::kScanMin:
      return scan_part<vcode::monoids::Min, T>(vectors, n, link.to);
    case ChainOp::kFoldSum:
      return fold_part<vcode::monoids::Sum>(x, n, link.to);
    case ChainOp::kFoldMax:
      return fold_part<vcode::monoids::Max>(x, n, link.to);
    case ChainOp::kFoldMin:
      return fold_part<vcode::monoids::Min>(x, n, link.to);
    default:
      VC_CHECK(link.op == ChainOp::kStore || link.op == ChainOp::kStream);
      std::memcpy(static_cast<T*>(link.to) + e, x, static_cast<std::size_t>(n) * sizeof(T));
  }
}

/// The last n elements, fewer than a block, from e on.
template <class T>
[[gnu::noinline]] void last_block(const ChainLink* links, int count, int64_t e, int64_t n) {
  constexpr int64_t kAll = kBlock * kLanes<T>;
  Vector<T> x[kBlock] = {};
  for (int i = 0; i < count; ++i) {
    if (keeps(links[i].op)) {
      keep_part<T>(links[i], e, x, n);
    } else {
      alignas(kVectorBytes) T y[kAll] = {};
      if (links[i].operand != nullptr) std::memcpy(y, operand<T>(links[i], e), static_cast<std::size_t>(n) * sizeof(T));
      compute<T>(links[i].op, false, x, y);
    }
  }
}

template <class T>
void run(const ChainLink* links, int count, int64_t n) {
  using V = Vector<T>;
  constexpr int64_t kStep = kLanes<T>, kAll = kBlock * kStep;
  bool asks = false;
  for (int i = 0; i < count; ++i) asks = asks || links[i].ahead != 0;
  int64_t e = 0;
  for (; e + kAll <= n; e += kAll) {
    for (int i = 0; asks && i < count; ++i)
      if (links[i].ahead != 0) {
        const char* next = reinterpret_cast<const char*>(operand<T>(links[i], e)) + links[i].ahead;
        for (int k = 0; k < kBlock; ++k) __builtin_prefetch(next + k * kVectorBytes);
      }
    V x[kBlock];
    const T* first = operand<T>(links[0], e);
    for (int k = 0; k < kBlock; ++k) x[k] = load<V>(first + k * kStep);
    for (int i = 1; i < count; ++i)
      if (keeps(links[i].op))
        keep<T>(links[i], e, x);
      else
        compute<T>(links[i].op, links[i].uniform, x, operand<T>(links[i], e));
  }
  if (e < n) last_block<T>(links, count, e, n - e);
}

template <class M, class T>
void begin_fold(ChainSums& sums) {
  for (int k = 0; k < kSums; ++k) store(sums.vectors + k * kVectorBytes, splat<T>(M::template neutral<T>()));
}

template <class M, class T>
Slot end_fold(const ChainSums& sums) {
  return to_slot(fold_lanes<M, T>(combine_sums<M, T>(reinterpret_cast<const Vector<T>*>(sums.vectors))));
}

}  // namespace

void add_chain(Kernels& kernels) {
  auto add = [&]<class T>(std::type_identity<T>) {
    constexpr ElemType t = vcode::kElemTypeOf<T>;
    kernels.chain.run[static_cast<int>(t)] = run<T>;
    auto fold = [&]<class M>(std::type_identity<M>) {
      kernels.chain.begin_fold.at(M::kMonoid, t) = begin_fold<M, T>;
      kernels.chain.end_fold.at(M::kMonoid, t) = end_fold<M, T>;
    };
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
