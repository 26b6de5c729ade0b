#include "fold_constants.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/check.h"
#include "element.h"

namespace vcode::letform {
namespace {

/// Largest number of elements for which operations are folded.
constexpr std::size_t kLongest = 16;

constexpr Widths kAllWidths[] = {{ElemType::kI64, ElemType::kF64},
                                 {ElemType::kI32, ElemType::kF64},
                                 {ElemType::kI64, ElemType::kF32},
                                 {ElemType::kI32, ElemType::kF32}};

Element element(const Constant& constant, std::size_t k) {
  VC_CHECK(k < constant.size());
  const Kind kind = suffix_kind(constant.type);
  if (kind == Kind::kFloat) return {.kind = kind, .f = constant.floats[k]};
  if (kind == Kind::kBool) return {.kind = kind, .b = constant.bools[k] != 0};
  VC_CHECK(kind == Kind::kInt || kind == Kind::kByte);
  return {.kind = kind, .i = constant.ints[k]};
}

/// Whether this value can be written as a constant in a program for these widths.
bool is_representable(const Element& e, Widths widths) {
  if (e.kind == Kind::kInt && widths.int_type == ElemType::kI32) return e.i == static_cast<std::int32_t>(e.i);
  if (e.kind == Kind::kFloat)
    return std::isfinite(widths.float_type == ElemType::kF32 ? static_cast<double>(static_cast<float>(e.f)) : e.f);
  return true;
}

/// Whether a constant, read in these widths, is the value that the operation computes there.
bool reads_as(const Element& constant, const Element& value, Widths widths) {
  if (constant.kind != Kind::kFloat) return is_same(constant, value);
  double read = widths.float_type == ElemType::kF32 ? static_cast<double>(static_cast<float>(constant.f)) : constant.f;
  return read == value.f && std::signbit(read) == std::signbit(value.f);
}

std::optional<Element> fold_element(Op op, Suffix suffix, const std::vector<Element>& operands) {
  std::optional<Element> folded;
  for (Widths widths : kAllWidths) {
    for (const Element& e : operands)
      if (!is_representable(e, widths)) return std::nullopt;
    ElementResult result = evaluate(op, suffix, widths, operands.data());
    if (result.fault != FaultKind::kNone) return std::nullopt;
    if (!folded) folded = result.value;
    if (!is_representable(*folded, widths) || !reads_as(*folded, result.value, widths)) return std::nullopt;
  }
  return folded;
}

void append(Constant& constant, const Element& e) {
  if (e.kind == Kind::kFloat)
    constant.floats.push_back(e.f);
  else if (e.kind == Kind::kBool)
    constant.bools.push_back(e.b);
  else
    constant.ints.push_back(e.i);
}

bool is_usable(const Constant& constant) { return !constant.stream && constant.type != Suffix::kSegdes; }

}  // namespace

std::optional<Constant> fold(Op op, Suffix suffix, const std::vector<const Constant*>& operands) {
  const OpInfo& row = info(op);
  if (row.op_class != OpClass::kElementwise) return std::nullopt;
  VC_CHECK(operands.size() == static_cast<std::size_t>(row.signature.operand_count));
  const std::size_t size = operands[0]->size();
  for (const Constant* operand : operands)
    if (!is_usable(*operand) || operand->size() != size || size > kLongest) return std::nullopt;
  Constant result{.type = suffix_of(Signature::kind(row.signature.results[0], suffix))};
  for (std::size_t k = 0; k < size; ++k) {
    std::vector<Element> elements;
    for (const Constant* operand : operands) elements.push_back(element(*operand, k));
    std::optional<Element> value = fold_element(op, suffix, elements);
    if (!value) return std::nullopt;
    append(result, *value);
  }
  return result;
}

bool is_right_identity(Op op, Suffix suffix, std::size_t operand, const Constant& constant) {
  VC_CHECK(constant.size() == 1);
  const OpInfo& row = info(op);
  if (row.op_class != OpClass::kElementwise || !is_usable(constant)) return false;
  if (operand != 1 && !row.commutes()) return false;
  const Element e = element(constant, 0);
  return std::all_of(std::begin(kAllWidths), std::end(kAllWidths), [&](Widths widths) {
    const std::optional<Element> right_identity = find_right_identity(op, suffix, widths);
    return right_identity && is_same(e, *right_identity);
  });
}

bool is_identity(Op reduction, Suffix suffix, const Constant& constant) {
  VC_CHECK(constant.size() == 1);
  if (!is_usable(constant)) return false;
  const Element e = element(constant, 0);
  for (Widths widths : kAllWidths)
    if (!is_representable(e, widths) || !is_identity(reduction, suffix, widths, e)) return false;
  return true;
}

bool can_fault_with(Op op, Suffix suffix, std::size_t operand, const Constant& constant) {
  VC_CHECK(constant.size() == 1);
  const OpInfo& row = info(op);
  const bool is_last = operand + 1 == static_cast<std::size_t>(row.signature.operand_count);
  if (row.op_class != OpClass::kElementwise || !is_last || !is_usable(constant)) return row.can_fault(suffix);
  const Element e = element(constant, 0);
  return std::any_of(std::begin(kAllWidths), std::end(kAllWidths),
                     [&](Widths widths) { return !is_representable(e, widths) || is_risk(op, suffix, widths, e); });
}

}  // namespace vcode::letform
