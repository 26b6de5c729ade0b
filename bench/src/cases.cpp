#include "cases.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

namespace bench {
namespace {

using cvl::Op;

template <class T>
bool same(const T* a, const T* b, std::int64_t n) {
  return std::equal(a, a + n, b);
}

/// True if equal up to rounding: sums of a million floats in two orders, or two implementations of exp.
template <class T>
bool close(const T* a, const T* b, std::int64_t n) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kTolerance = sizeof(T) == 4 ? T(2e-3) : T(1e-10);
    for (std::int64_t e = 0; e < n; ++e)
      if (!(std::abs(a[e] - b[e]) <= kTolerance * (1 + std::abs(b[e])))) return false;
    return true;
  } else {
    return same(a, b, n);
  }
}

/// Calls make.operator()<T>() for the C++ type of `type`.
template <class F>
Prepared with_type(ElemType type, F&& make) {
  switch (type) {
    case ElemType::kI32:
      return make.template operator()<std::int32_t>();
    case ElemType::kF32:
      return make.template operator()<float>();
    default:
      return make.template operator()<double>();
  }
}

/// The indices of a permutation of each segment.
std::int32_t* permutation(Workspace& w, bool random) {
  std::int32_t* i = w.vector<std::int32_t>(w.elements());
  for (std::int64_t k = 0; k < w.segments(); ++k) {
    std::int32_t *first = i + w.descriptor().start(k), *last = i + w.descriptor().start(k + 1);
    std::iota(first, last, 0);
    if (random) std::shuffle(first, last, w.random());
  }
  return i;
}

template <class T, class Peer>
Prepared elementwise_one(Workspace& w, Op op, Peer peer) {
  const std::int64_t n = w.elements();
  const T* a = w.numbers<T>(n);
  T *r = w.vector<T>(n), *p = w.vector<T>(n);
  return {[=, &w] {
            const cvl::Operand operands[] = {operand(a, n)};
            w.backend().run(cvl::Elementwise{op, operands, result(r, n)});
          },
          [=, &w] { peer(w.team(), a, p, n); }, [=] { return close(r, p, n); }, n * std::int64_t(2 * sizeof(T))};
}

template <class T, class R, class Peer>
Prepared elementwise_two(Workspace& w, Op op, Peer peer) {
  const std::int64_t n = w.elements();
  const T *a = w.numbers<T>(n), *b = w.numbers<T>(n);
  R *r = w.vector<R>(n), *p = w.vector<R>(n);
  return {[=, &w] {
            const cvl::Operand operands[] = {operand(a, n), operand(b, n)};
            w.backend().run(cvl::Elementwise{op, operands, result(r, n)});
          },
          [=, &w] { peer(w.team(), a, b, p, n); }, [=] { return same(r, p, n); },
          n * std::int64_t(2 * sizeof(T) + sizeof(R))};
}

Prepared prepare_add(Workspace& w, ElemType type) {
  return with_type(type, [&]<class T>() { return elementwise_two<T, T>(w, Op::kAdd, peers::add<T>); });
}

Prepared prepare_less(Workspace& w, ElemType type) {
  return with_type(type, [&]<class T>() { return elementwise_two<T, bool>(w, Op::kLess, peers::less<T>); });
}

Prepared prepare_sqrt(Workspace& w, ElemType type) {
  return type == ElemType::kF32 ? elementwise_one<float>(w, Op::kSqrt, peers::square_root<float>)
                                : elementwise_one<double>(w, Op::kSqrt, peers::square_root<double>);
}

Prepared prepare_exp(Workspace& w, ElemType type) {
  return type == ElemType::kF32 ? elementwise_one<float>(w, Op::kExp, peers::exponential<float>)
                                : elementwise_one<double>(w, Op::kExp, peers::exponential<double>);
}

Prepared prepare_select(Workspace& w, ElemType type) {
  return with_type(type, [&]<class T>() -> Prepared {
    const std::int64_t n = w.elements();
    const bool* f = w.flags(n);
    const T *a = w.numbers<T>(n), *b = w.numbers<T>(n);
    T *r = w.vector<T>(n), *p = w.vector<T>(n);
    return {[=, &w] {
              const cvl::Operand operands[] = {operand(f, n), operand(a, n), operand(b, n)};
              w.backend().run(cvl::Elementwise{Op::kSelect, operands, result(r, n)});
            },
            [=, &w] { peers::select(w.team(), f, a, b, p, n); }, [=] { return same(r, p, n); },
            n * std::int64_t(3 * sizeof(T) + 1)};
  });
}

Prepared prepare_scan(Workspace& w, ElemType type) {
  return with_type(type, [&]<class T>() -> Prepared {
    const std::int64_t n = w.elements();
    const T* a = w.numbers<T>(n);
    T *r = w.vector<T>(n), *p = w.vector<T>(n);
    return {[=, &w] {
              w.backend().run(cvl::Scan{cvl::Monoid::kSum, operand(a, n), w.descriptor(), result(r, n)});
            },
            [=, &w] { peers::sum_scan(w.team(), a, w.peer_segments(), p); }, [=] { return close(r, p, n); },
            n * std::int64_t(2 * sizeof(T)) + w.descriptor_bytes()};
  });
}

Prepared prepare_reduce(Workspace& w, ElemType type) {
  return with_type(type, [&]<class T>() -> Prepared {
    const std::int64_t n = w.elements(), m = w.segments();
    const T* a = w.numbers<T>(n);
    T *r = w.vector<T>(m), *p = w.vector<T>(m);
    return {[=, &w] {
              w.backend().run(cvl::Reduce{cvl::Monoid::kSum, operand(a, n), w.descriptor(), result(r, m)});
            },
            [=, &w] { peers::sum_reduce(w.team(), a, w.peer_segments(), p); }, [=] { return close(r, p, m); },
            (n + m) * std::int64_t(sizeof(T)) + w.descriptor_bytes()};
  });
}

template <bool random>
Prepared prepare_permute(Workspace& w, ElemType type) {
  return with_type(type, [&]<class T>() -> Prepared {
    const std::int64_t n = w.elements();
    const T* a = w.numbers<T>(n);
    const std::int32_t* i = permutation(w, random);
    T *r = w.vector<T>(n), *p = w.vector<T>(n);
    return {[=, &w] {
              w.backend().run(
                  cvl::Scatter{operand(a, n), operand(i, n), {}, {}, w.descriptor(), w.descriptor(), result(r, n)});
            },
            [=, &w] { peers::permute(w.team(), a, i, w.peer_segments(), p); }, [=] { return same(r, p, n); },
            n * std::int64_t(2 * sizeof(T) + 4) + w.descriptor_bytes()};
  });
}

Prepared prepare_gather(Workspace& w, ElemType type) {
  return with_type(type, [&]<class T>() -> Prepared {
    const std::int64_t n = w.elements();
    const T* a = w.numbers<T>(n);
    const std::int32_t* i = permutation(w, true);
    T *r = w.vector<T>(n), *p = w.vector<T>(n);
    return {
        [=, &w] {
          w.backend().run(cvl::Gather{operand(a, n), operand(i, n), {}, w.descriptor(), w.descriptor(), result(r, n)});
        },
        [=, &w] { peers::gather(w.team(), a, i, w.peer_segments(), p); }, [=] { return same(r, p, n); },
        n * std::int64_t(2 * sizeof(T) + 4) + w.descriptor_bytes()};
  });
}

Prepared prepare_pack(Workspace& w, ElemType type) {
  return with_type(type, [&]<class T>() -> Prepared {
    const std::int64_t n = w.elements(), m = w.segments();
    const T* a = w.numbers<T>(n);
    const bool* f = w.flags(n);
    const std::int64_t kept = std::count(f, f + n, true);
    T *r = w.vector<T>(kept), *p = w.vector<T>(kept);
    std::int32_t *lengths = w.vector<std::int32_t>(m), *peer_lengths = w.vector<std::int32_t>(m);
    return {[=, &w] {
              const auto plan = w.backend().plan_pack(operand(f, n), w.descriptor(), result(lengths, m));
              w.backend().run(cvl::Pack{*plan, operand(a, n), operand(f, n), result(r, plan->kept)});
            },
            [=, &w] { peers::pack(w.team(), a, f, w.peer_segments(), p, peer_lengths); },
            [=] { return same(r, p, kept) && same(lengths, peer_lengths, m); },
            n * std::int64_t(sizeof(T) + 1) + kept * std::int64_t(sizeof(T)) + m * 4 + w.descriptor_bytes()};
  });
}

Prepared prepare_dist(Workspace& w, ElemType type) {
  return with_type(type, [&]<class T>() -> Prepared {
    const std::int64_t n = w.elements(), m = w.segments();
    const T* v = w.numbers<T>(m);
    T *r = w.vector<T>(n), *p = w.vector<T>(n);
    return {[=, &w] {
              w.backend().run(cvl::Dist{operand(v, m), w.descriptor(), result(r, n)});
            },
            [=, &w] { peers::dist(w.team(), v, w.peer_segments(), p); }, [=] { return same(r, p, n); },
            (n + m) * std::int64_t(sizeof(T)) + w.descriptor_bytes()};
  });
}

Prepared prepare_index(Workspace& w, ElemType) {
  const std::int64_t n = w.elements(), m = w.segments();
  const std::int32_t *start = w.numbers<std::int32_t>(m), *stride = w.numbers<std::int32_t>(m);
  std::int32_t *r = w.vector<std::int32_t>(n), *p = w.vector<std::int32_t>(n);
  return {[=, &w] {
            w.backend().run(cvl::Index{operand(start, m), operand(stride, m), w.descriptor(), result(r, n)});
          },
          [=, &w] { peers::index(w.team(), start, stride, w.peer_segments(), p); }, [=] { return same(r, p, n); },
          (n + 2 * m) * 4 + w.descriptor_bytes()};
}

/// Keys drawn from [0, range).
template <std::uint64_t range>
Prepared prepare_rank(Workspace& w, ElemType type) {
  return with_type(type, [&]<class T>() -> Prepared {
    const std::int64_t n = w.elements();
    const T* a = w.filled<T>(n, [&] { return w.random()() % range; });
    std::int32_t *r = w.vector<std::int32_t>(n), *p = w.vector<std::int32_t>(n);
    std::uint64_t* scratch = w.vector<std::uint64_t>(4 * n);
    return {[=, &w] {
              w.backend().run(cvl::Rank{false, operand(a, n), w.descriptor(), result(r, n)});
            },
            [=, &w] { peers::rank(w.team(), a, w.peer_segments(), p, scratch); }, [=] { return same(r, p, n); },
            n * std::int64_t(sizeof(T) + 4) + w.descriptor_bytes()};
  });
}

const std::vector<ElemType> kNumbers{ElemType::kI32, ElemType::kF64, ElemType::kF32};
const std::vector<ElemType> kFloats{ElemType::kF64, ElemType::kF32};
const std::vector<ElemType> kInts{ElemType::kI32};
const std::vector<Shape> kFlatOnly{Shape::kFlat};
const std::vector<Shape> kAllShapes{Shape::kFlat, Shape::kShort, Shape::kRegular, Shape::kLong, Shape::kHuge};

const Case kCases[] = {
    {"add", kNumbers, kFlatOnly, prepare_add},
    {"less", kNumbers, kFlatOnly, prepare_less},
    {"sqrt", kFloats, kFlatOnly, prepare_sqrt},
    {"exp", kFloats, kFlatOnly, prepare_exp},
    {"select", kNumbers, kFlatOnly, prepare_select},
    {"scan", kNumbers, kAllShapes, prepare_scan},
    {"reduce", kNumbers, kAllShapes, prepare_reduce},
    {"permute_identity", kNumbers, kFlatOnly, prepare_permute<false>},
    {"permute_random", kNumbers, kAllShapes, prepare_permute<true>},
    {"gather_random", kNumbers, kAllShapes, prepare_gather},
    {"pack", kNumbers, kAllShapes, prepare_pack},
    {"dist", kNumbers, kAllShapes, prepare_dist},
    {"index", kInts, kAllShapes, prepare_index},
    {"rank_100_keys", kInts, kAllShapes, prepare_rank<100>},
    {"rank_30_bits", kNumbers, kAllShapes, prepare_rank<(std::uint64_t(1) << 30)>},
};

}  // namespace

std::span<const Case> all_cases() { return kCases; }

}  // namespace bench
