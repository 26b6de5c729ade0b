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

/// Whether the operation with these suffixes in its VC_LINK row is a link of chains of T.
template <class T>
constexpr bool is_link_of(vcode::SuffixSet set) {
  return (set & vcode::suffixes::one(std::is_floating_point_v<T> ? vcode::Suffix::kFloat : vcode::Suffix::kInt)) != 0;
}

/// Computes with the value and the block of operands at y. As part of run() x stays in registers; a call would pass it
/// through memory (a chain of 20 additions took twice the time).
template <class T>
[[gnu::always_inline]] inline void compute(ChainOp op, bool uniform, Vector<T>* x, const T* y) {
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
#define CHAIN_CASE(Op, computes, expression)                                                                    \
  case static_cast<int>(ChainOp::Op) * 2:                                                                       \
    if constexpr (computes) return each([]([[maybe_unused]] V a, [[maybe_unused]] V b) { return expression; }); \
    break;                                                                                                      \
  case static_cast<int>(ChainOp::Op) * 2 + 1:                                                                   \
    if constexpr (computes) return all([]([[maybe_unused]] V a, [[maybe_unused]] V b) { return expression; });  \
    break;
#define VC_LINK(Name, set)                                                                        \
  CHAIN_CASE(k##Name, is_link_of<T>(vcode::suffixes::set), vcode::ops::Name::eval<V>(a, b))       \
  CHAIN_CASE(k##Name##From, is_link_of<T>(vcode::suffixes::set), vcode::ops::Name::eval<V>(b, a)) \
  CHAIN_CASE(k##Name##Self, is_link_of<T>(vcode::suffixes::set), vcode::ops::Name::eval<V>(a, a))
    CHAIN_CASE(kTake, true, b)
#include "vcode/ops.def"
#undef CHAIN_CASE
  }
  VC_CHECK(!"a link of this type that computes");
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
[[gnu::always_inline]] inline void keep(const ChainLink& link, int64_t e, Vector<T>* x) {
  T* to = static_cast<T*>(link.to) + e;
  switch (link.op) {
#define VC_MONOID(Name, ...)                                            \
  case ChainOp::kScan##Name:                                            \
    if constexpr (monoid_takes(Monoid::k##Name, vcode::kElemTypeOf<T>)) \
      return scan_block<vcode::monoids::Name, T>(x, link.to);           \
    break;                                                              \
  case ChainOp::kFold##Name:                                            \
    if constexpr (monoid_takes(Monoid::k##Name, vcode::kElemTypeOf<T>)) \
      return fold_block<vcode::monoids::Name, T>(x, link.to);           \
    break;
#include "vcode/ops.def"
    case ChainOp::kStore:
      for (int k = 0; k < kBlock; ++k) store(to + k * kLanes<T>, x[k]);
      return;
    case ChainOp::kStream:
      for (int k = 0; k < kBlock; ++k) stream_line(to + k * kLanes<T>, &x[k]);
      return;
    default:
      break;
  }
  VC_CHECK(!"a link of this type that keeps the value");
}

/// Whether keep() is what does it; compute() does the others.
inline bool keeps(ChainOp op) { return op >= scan_link(Monoid{}); }

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
#define VC_MONOID(Name, ...)                                            \
  case ChainOp::kScan##Name:                                            \
    if constexpr (monoid_takes(Monoid::k##Name, vcode::kElemTypeOf<T>)) \
      return scan_part<vcode::monoids::Name, T>(vectors, n, link.to);   \
    break;                                                              \
  case ChainOp::kFold##Name:                                            \
    if constexpr (monoid_takes(Monoid::k##Name, vcode::kElemTypeOf<T>)) \
      return fold_part<vcode::monoids::Name>(x, n, link.to);            \
    break;
#include "vcode/ops.def"
    case ChainOp::kStore:
    case ChainOp::kStream:
      std::memcpy(static_cast<T*>(link.to) + e, x, static_cast<std::size_t>(n) * sizeof(T));
      return;
    default:
      break;
  }
  VC_CHECK(!"a link of this type that keeps the value");
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
  };
  add(std::type_identity<std::int32_t>());
  add(std::type_identity<std::int64_t>());
  add(std::type_identity<float>());
  add(std::type_identity<double>());
  for_each_monoid([&]<class M, class T>() {
    if constexpr (has_chains(vcode::kElemTypeOf<T>)) {
      kernels.chain.begin_fold.at(M::kMonoid, vcode::kElemTypeOf<T>) = begin_fold<M, T>;
      kernels.chain.end_fold.at(M::kMonoid, vcode::kElemTypeOf<T>) = end_fold<M, T>;
    }
  });
}

}  // namespace cvl::cpu::CVL_ISA
