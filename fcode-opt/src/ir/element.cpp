#include "element.h"

#include <cmath>

#include "base/check.h"
#include "vcode/op_semantics.h"

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
    return {.kind = std::is_same_v<T, std::uint8_t> ? Kind::kByte : Kind::kInt, .i = static_cast<std::int64_t>(value)};
}

template <class Row, Suffix suffix, Widths widths>
ElementResult run(const Element* operands) {
  constexpr const Signature& kSignature = row_of(Row::kOp).signature;
  using R = Storage<role_type(kSignature.results[0], suffix, widths)>;
  auto apply = [&]<std::size_t... i>(std::index_sequence<i...>)->ElementResult {
    return {
        make(Row::template eval<R>(get<Storage<role_type(kSignature.operands[i], suffix, widths)>>(operands[i])...)),
        Row::template fault<R>(get<Storage<role_type(kSignature.operands[i], suffix, widths)>>(operands[i])...)};
  };
  return apply(std::make_index_sequence<static_cast<std::size_t>(kSignature.operand_count)>());
}

/// Functions compiled from an operation's rows of the table, for one suffix and one choice of widths.
struct ElementRow {
  ElementResult (*run)(const Element* operands) = nullptr;
  bool (*risk)(const Element& last) = nullptr;
  Element (*right_identity)() = nullptr;  ///< the VC_RIGHT_IDENTITY row; null if there is none
};

template <class Row, Suffix suffix, Widths widths>
constexpr ElementRow element_row() {
  constexpr const Signature& kSignature = row_of(Row::kOp).signature;
  using Last = Storage<role_type(kSignature.operands[kSignature.operand_count - 1], suffix, widths)>;
  ElementRow row{run<Row, suffix, widths>,
                 [](const Element& last) { return ops::Faults<Row::kOp>::risk(get<Last>(last)); }};
  if constexpr (ops::RightIdentity<Row::kOp>::kHas)
    row.right_identity = [] { return make(ops::RightIdentity<Row::kOp>::template value<Last>()); };
  return row;
}

constexpr int kWidths = 4;
constexpr int index_of(Widths widths) {
  return (widths.int_type == ElemType::kI64 ? 1 : 0) + (widths.float_type == ElemType::kF32 ? 2 : 0);
}

struct ElementRows {
  ElementRow of[kOps][kSuffixes][kWidths] = {};

  const ElementRow& at(Op op, Suffix suffix, Widths widths) const {
    const ElementRow& row = of[static_cast<int>(op)][static_cast<int>(suffix)][index_of(widths)];
    VC_CHECK(row.run != nullptr);
    return row;
  }
};

template <class Row>
constexpr void enter(ElementRows& rows) {
  for_each_suffix<row_of(Row::kOp).suffix_set>([&]<Suffix suffix>() {
    for_each_widths([&]<ElemType int_type, ElemType float_type>() {
      constexpr Widths kThese{int_type, float_type};
      rows.of[static_cast<int>(Row::kOp)][static_cast<int>(suffix)][index_of(kThese)] =
          element_row<Row, suffix, kThese>();
    });
  });
}

constexpr ElementRows kRows = [] {
  ElementRows rows;
#define VC_ELEMENTWISE(Name, ...) enter<ops::Name>(rows);
#include "vcode/ops.def"
  return rows;
}();

template <class M, class T>
bool is_identity_of(const Element& element) {
  const T value = get<T>(element);
  for (T reduced : {M::template identity<T>(), M::combine(value, M::template identity<T>()), M::combine(value, value)})
    if (!is_same(make(reduced), element)) return false;
  return true;
}

template <Op op, class M>
bool is_identity_in(Suffix suffix, Widths widths, const Element& element) {
  bool result = false;
  for_each_suffix<row_of(op).suffix_set>([&]<Suffix candidate>() {
    for_each_widths([&]<ElemType int_type, ElemType float_type>() {
      constexpr Widths kThese{int_type, float_type};
      using T = Storage<role_type(row_of(op).signature.results[0], candidate, kThese)>;
      if (suffix == candidate && widths == kThese) result = is_identity_of<M, T>(element);
    });
  });
  return result;
}

}  // namespace

bool is_identity(Op reduction, Suffix suffix, Widths widths, const Element& element) {
  VC_CHECK(info(reduction).op_class == OpClass::kReduce);
#define VC_REDUCE(Name, text, set, M, ...) \
  if (reduction == Op::k##Name) return is_identity_in<Op::k##Name, monoids::M>(suffix, widths, element);
#include "vcode/ops.def"
  return false;
}

ElementResult evaluate(Op op, Suffix suffix, Widths widths, const Element* operands) {
  return kRows.at(op, suffix, widths).run(operands);
}

std::optional<Element> find_right_identity(Op op, Suffix suffix, Widths widths) {
  const ElementRow& row = kRows.at(op, suffix, widths);
  return row.right_identity == nullptr ? std::nullopt : std::optional(row.right_identity());
}

bool is_risk(Op op, Suffix suffix, Widths widths, const Element& last) {
  return info(op).can_fault(suffix) && kRows.at(op, suffix, widths).risk(last);
}

bool is_same(const Element& a, const Element& b) {
  bool same_float = std::isnan(a.f) ? std::isnan(b.f) : a.f == b.f && std::signbit(a.f) == std::signbit(b.f);
  return a.kind == b.kind && a.i == b.i && a.b == b.b && same_float;
}

}  // namespace vcode::letform
