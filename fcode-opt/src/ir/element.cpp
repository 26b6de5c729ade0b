#include "element.h"

#include <cmath>
#include <limits>

namespace vcode::letform {
namespace {

template <class T>
T get(const Element& element) {
  if constexpr (std::is_same_v<T, bool>)
    return element.b;
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(element.f);
  else
    return static_cast<T>(element.i);
}

template <class T>
Element make(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return {.kind = Kind::kBool, .b = value};
  else if constexpr (std::is_floating_point_v<T>)
    return {.kind = Kind::kFloat, .f = static_cast<double>(value)};
  else
    return {.kind = Kind::kInt, .i = static_cast<std::int64_t>(value)};
}

template <class Row, Suffix suffix, Widths widths>
ElementResult run(const Element* operands) {
  constexpr const Signature& kSignature = info(Row::kOp).signature;
  using R = Storage<role_type(kSignature.results[0], suffix, widths)>;
  auto apply = [&]<std::size_t... i>(std::index_sequence<i...>)->ElementResult {
    return {
        make(Row::template eval<R>(get<Storage<role_type(kSignature.operands[i], suffix, widths)>>(operands[i])...)),
        Row::template fault<R>(get<Storage<role_type(kSignature.operands[i], suffix, widths)>>(operands[i])...)};
  };
  return apply(std::make_index_sequence<static_cast<std::size_t>(kSignature.operand_count)>());
}

constexpr int kWidths = 4;
constexpr int index_of(Widths widths) {
  return (widths.int_type == ElemType::kI64 ? 1 : 0) + (widths.float_type == ElemType::kF32 ? 2 : 0);
}

using Run = ElementResult (*)(const Element*);
struct Runs {
  Run of[kOps][kSuffixes][kWidths] = {};
};

template <class Row>
constexpr void enter(Runs& runs) {
  for_each_suffix<info(Row::kOp).suffix_set>([&]<Suffix suffix>() {
    for_each_widths([&]<ElemType int_type, ElemType float_type>() {
      constexpr Widths kThese{int_type, float_type};
      runs.of[static_cast<int>(Row::kOp)][static_cast<int>(suffix)][index_of(kThese)] = run<Row, suffix, kThese>;
    });
  });
}

constexpr Runs kRuns = [] {
  Runs runs;
#define VC_ELEMENTWISE(Name, ...) enter<ops::Name>(runs);
#include "vcode/ops.def"
  return runs;
}();

template <class M, class T>
bool is_identity_of(const Element& element) {
  const T value = get<T>(element);
  for (T reduced : {M::template identity<T>(), M::combine(value, M::template neutral<T>()), M::combine(value, value)})
    if (!is_same(make(reduced), element)) return false;
  return true;
}

template <Op op, class M>
bool is_identity_in(Suffix suffix, Widths widths, const Element& element) {
  bool result = false;
  for_each_suffix<info(op).suffix_set>([&]<Suffix candidate>() {
    for_each_widths([&]<ElemType int_type, ElemType float_type>() {
      constexpr Widths kThese{int_type, float_type};
      using T = Storage<role_type(info(op).signature.results[0], candidate, kThese)>;
      if (suffix == candidate && widths == kThese) result = is_identity_of<M, T>(element);
    });
  });
  return result;
}

}  // namespace

bool is_identity(Op reduction, Suffix suffix, Widths widths, const Element& element) {
#define VC_REDUCE(Name, text, set, M, ...) \
  if (reduction == Op::k##Name) return is_identity_in<Op::k##Name, monoids::M>(suffix, widths, element);
#include "vcode/ops.def"
  return false;
}

ElementResult evaluate(Op op, Suffix suffix, Widths widths, const Element* operands) {
  return kRuns.of[static_cast<int>(op)][static_cast<int>(suffix)][index_of(widths)](operands);
}

bool is_same(const Element& a, const Element& b) {
  bool same_float = std::isnan(a.f) ? std::isnan(b.f) : a.f == b.f && std::signbit(a.f) == std::signbit(b.f);
  return a.kind == b.kind && a.i == b.i && a.b == b.b && same_float;
}

std::vector<Element> sample_elements(Kind kind, Widths widths) {
  std::vector<Element> all;
  if (kind == Kind::kBool) {
    for (bool b : {false, true}) all.push_back(make(b));
  } else if (kind == Kind::kInt) {
    const int unused = widths.int_type == ElemType::kI32 ? 32 : 0;
    using Limits = std::numeric_limits<std::int64_t>;
    for (std::int64_t i : {0, 1, -1, 6, -45, 1000}) all.push_back(make(i));
    for (std::int64_t i : {Limits::min(), Limits::max()}) all.push_back(make(i >> unused));
  } else {
    using Limits = std::numeric_limits<double>;
    const double large = widths.float_type == ElemType::kF32 ? std::numeric_limits<float>::max() : Limits::max();
    for (double f : {0.0, -0.0, 1.0, -1.0, 0.5, -7.25, large, -large, Limits::infinity(), -Limits::infinity(),
                     Limits::quiet_NaN()})
      all.push_back(make(f));
  }
  return all;
}

}  // namespace vcode::letform
