#include "lanes/lower_elementwise.h"

#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "cvl/op_dispatch.h"
#include "kernels/function_kernels.h"
#include "lanes/lanes.h"
#include "tuning/kernel_tuning.h"
#include "vcode/op_semantics.h"

namespace cvl::cpu {

using vcode::Op;
using vcode::Storage;

// The expressions of ops.def find these overloads by the namespace of their arguments, so that it must have a name.

// --- functions of vcode/functions.h ---

/// Calls a function for one register of doubles at a time, whatever the type of the elements.
template <class F, class... More>
Lanes<F> call_function(std::string_view name, const Lanes<F>& a, const More&... more) {
  constexpr bool kRounded = std::is_same_v<F, float>;
  LlvmText& text = a.text();
  const int width = text.target().register_bytes / static_cast<int>(sizeof(double)), lanes = text.lanes();
  const std::string type = text.type(ElemType::kF64, width), stored = text.type(a.kType, width);
  const std::string callee = vector_function_name(text.target().simd, name, kRounded);
  const auto doubles = [&](const Lanes<F>& x, int first) {
    const LaneValue part = text.part(x.value(), first, width);
    if (!kRounded) return fmt::format("{} {}", type, part.text);
    return fmt::format("{} {}", type, text.define(fmt::format("fpext {} {} to {}", stored, part.text, type)));
  };
  std::vector<LaneValue> parts;
  for (int first = 0; first < lanes; first += width) {
    std::string parameters = type, arguments = doubles(a, first);
    ((parameters += ", " + type, arguments += ", " + doubles(more, first)), ...);
    const std::string y = text.call(type, callee, parameters, arguments);
    parts.push_back({kRounded ? text.define(fmt::format("fptrunc {} {} to {}", type, y, stored)) : y, a.kType});
  }
  return {text, text.joined(std::move(parts), width)};
}

#define FUNCTION(Row, name)               \
  template <class F>                      \
  Lanes<F> name##_of(const Lanes<F>& a) { \
    return call_function(#name, a);       \
  }
#define FUNCTION2(Row, name)                                 \
  template <class F>                                         \
  Lanes<F> name##_of(const Lanes<F>& a, const Lanes<F>& b) { \
    return call_function(#name, a, b);                       \
  }
VC_FUNCTIONS(FUNCTION, FUNCTION2)
#undef FUNCTION
#undef FUNCTION2

// --- division of floats ---

/// Dividends and divisors of these sizes have quotients, and rests of dividends, that are far from overflows and from
/// numbers of fewer digits.
constexpr double kLeastDivisor = 0x1p-256, kLeastDividend = 0x1p-512, kDividendBound = 0x1p512;

template <class F>
Lanes<F> negative(const Lanes<F>& a) {
  return {a.text(), a.text().define(a.kType, fmt::format("fneg {} {}", a.text().type(a.kType), a.value().text))};
}

/// a * b + c, rounded once.
template <class F>
Lanes<F> fused(const Lanes<F>& a, const Lanes<F>& b, const Lanes<F>& c) {
  return intrinsic(a.text(), "fma", a, b, c);
}

/// a / b by what lower_divisor() has computed, or by a division if a lane of `a` is too large or too small, or none of
/// the numbers that this serves. The reciprocal with its error has twice the digits of a number, so that the product is
/// one of the two numbers beside the quotient; by the rest, which has no error, it is rounded as the quotient is
/// (Markstein's theorem).
template <class F>
Lanes<F> rounded_quotient(const Lanes<F>& a, const Lanes<F>& b) {
  LlvmText& text = a.text();
  const auto of_divisor = [&](const std::string& lanes) { return Lanes<F>(text, {lanes, b.kType}); };
  const Lanes<F> size = fabs_of(a), reciprocal = of_divisor(b.value().reciprocal);
  const Lanes<bool> serves = (size >= Lanes<F>(F(kLeastDividend))) & (size < of_divisor(b.value().bound));
  const std::string bits = text.type(ElemType::kB8), type = text.type(b.kType);
  const std::string all = text.call("i1", fmt::format("llvm.vector.reduce.and.v{}i1", text.lanes()), bits,
                                    fmt::format("{} {}", bits, serves.value().text));
  const int number = text.next_number();
  text.line(fmt::format("br i1 {0}, label %times.{1}, label %divide.{1}", all, number));
  text.label(fmt::format("times.{}", number));
  const Lanes<F> product = fused(a, reciprocal, a * of_divisor(b.value().error));
  const Lanes<F> quotient =
      fused(fused(negative(product), Lanes<F>(text, {b.value().text, b.kType}), a), reciprocal, product);
  text.line(fmt::format("br label %divided.{}", number));
  text.label(fmt::format("divide.{}", number));
  const Lanes<F> divided = Lanes<F>::instruction("fdiv", a, b);
  text.line(fmt::format("br label %divided.{}", number));
  text.label(fmt::format("divided.{}", number));
  return {text, text.define(b.kType, fmt::format("phi {0} [ {1}, %times.{3} ], [ {2}, %divide.{3} ]", type,
                                                 quotient.value().text, divided.value().text, number))};
}

template <class F>
requires std::is_floating_point_v<F> Lanes<F>
operator/(const Lanes<F>& a, const Lanes<F>& b) {
  if constexpr (sizeof(F) == 8)
    if (!b.value().reciprocal.empty()) return rounded_quotient(a, b);
  return Lanes<F>::instruction("fdiv", a, b);
}

// --- division of integers ---

/// a / b where b is neither 0 nor -1; any value elsewhere. A truncated quotient of doubles is exact for 32 bits.
template <class I>
Lanes<I> plain_quotient(const Lanes<I>& a, const Lanes<I>& b) {
  const Lanes<I> divisor = select((b == 0) | (b == -1), Lanes<I>(1), b);
  if constexpr (sizeof(I) == 8)
    return Lanes<I>::instruction("sdiv", a, divisor);
  else
    return Lanes<I>(Lanes<double>(a) / Lanes<double>(divisor));
}

/// a / b by what lower_divisor() has computed; any value where b is 0.
template <class I>
Lanes<I> quotient_by_reciprocal(const Lanes<I>& a, const Lanes<I>& b) {
  const Lanes<I> sign(a.text(), {b.value().sign, a.kType});
  const Lanes<double> reciprocal(a.text(), {b.value().reciprocal, ElemType::kF64});
  return (Lanes<I>(Lanes<double>(a) * reciprocal) ^ sign) - sign;
}

template <class I>
requires std::is_integral_v<I> Lanes<I>
operator/(const Lanes<I>& a, const Lanes<I>& b) {
  if (!b.value().reciprocal.empty()) return quotient_by_reciprocal(a, b);
  return select(b == -1, 0 - a, plain_quotient(a, b));
}

template <class I>
Lanes<I> remainder(const Lanes<I>& a, const Lanes<I>& b) {
  if (!b.value().reciprocal.empty()) return a - quotient_by_reciprocal(a, b) * b;
  return select((b == 0) | (b == -1), Lanes<I>(0), a - plain_quotient(a, b) * b);
}

template <class I>
Lanes<bool> divide_fault(const Lanes<I>& a, const Lanes<I>& b) {
  return (b == 0) | ((b == -1) & (a == std::numeric_limits<I>::min()));
}

// --- bits of floats ---

template <class R, class F>
R float_hash(const Lanes<F>& a) {
  using Word = Lanes<std::int32_t>;
  const Lanes<bool> is_number = a == a;
  const Lanes<F> number = select(is_number, a + F(0), Lanes<F>());
  const auto hash = [&](const Word& bits) { return select(is_number, bits, Word(0x7fc00000)); };
  if constexpr (sizeof(F) == 8) {
    using Bits = Lanes<std::int64_t>;
    const Bits bits = number.template convert<std::int64_t>("bitcast");
    const Word upper(Bits::instruction("lshr", bits, 32));
    return R(hash(upper * static_cast<std::int32_t>(0x9e3779b1) + Word(bits)));
  } else {
    return R(hash(number.template convert<std::int32_t>("bitcast")));
  }
}

namespace {

/// Evaluates the row for operands of these types.
template <class Row>
LoweredOperation lower(LlvmText& text, vcode::Suffix suffix, ElemType result, const std::array<LaneValue, 3>& x) {
  LoweredOperation lowered;
  for_each_storage<Row>([&]<int arity, ElemType r, ElemType a, ElemType b, ElemType c>() {
    const bool fits = result == r && x[0].type == a && (arity < 2 || x[1].type == b) && (arity < 3 || x[2].type == c);
    if (!fits || !lowered.value.text.empty()) return;
    using R = Lanes<Storage<r>>;
    using B = Lanes<Storage<b>>;
    using C = Lanes<Storage<c>>;
    const Lanes<Storage<a>> first(text, x[0]);
    const B second = arity < 2 ? B() : B(text, x[1]);
    const C third = arity < 3 ? C() : C(text, x[2]);
    lowered.value = Row::template eval<R>(first, second, third).value();
    if constexpr (Row::kCanFault)
      if (vcode::info(Row::kOp).can_fault(suffix))
        lowered.faults = Row::template fault<R>(first, second, third).value().text;
  });
  VC_CHECK(!lowered.value.text.empty());
  return lowered;
}

}  // namespace

LaneValue lower_combination(LlvmText& text, vcode::Monoid monoid, const LaneValue& element, const LaneValue& before) {
  LaneValue combined;
  with_monoid(monoid, element.type, [&]<class M, class T>() {
    combined = M::combine(Lanes<T>(text, element), Lanes<T>(text, before)).value();
  });
  return combined;
}

LaneValue identity_lanes(vcode::Monoid monoid, ElemType type) {
  LaneValue identity;
  with_monoid(monoid, type, [&]<class M, class T>() { identity = Lanes<T>(M::template identity<T>()).value(); });
  return identity;
}

LaneValue empty_value_lanes(vcode::Monoid monoid, ElemType type) {
  LaneValue value;
  with_monoid(monoid, type, [&]<class M, class T>() { value = Lanes<T>(M::template empty_value<T>()).value(); });
  return value;
}

bool divides_by_reciprocal(Op op, ElemType type, const NativeTarget& target) {
  if (type == ElemType::kF64) return op == Op::kDivide && target.register_bytes >= kReciprocalRegisterBytes;
  return (op == Op::kDivide || op == Op::kRemainder) && type == ElemType::kI32;
}

/// The reciprocal of an INT's size is slightly too large, as in cvl-cpu/src/isa/division.h; that of 0 is 1.
void lower_divisor(LlvmText& text, LaneValue& divisor) {
  if (divisor.type == ElemType::kF64) {
    using Float = Lanes<double>;
    const Float b(text, divisor), size = fabs_of(b), reciprocal = Float(1.0) / b;
    const Float rest = fused(negative(b), reciprocal, Float(1.0));
    const Lanes<bool> serves = (size >= Float(kLeastDivisor)) & (size <= Float(1.0 / kLeastDivisor));
    divisor.error = (rest * reciprocal).value().text;
    divisor.bound = select(serves, Float(kDividendBound), Float()).value().text;
    divisor.reciprocal = reciprocal.value().text;
    return;
  }
  using Int = Lanes<std::int32_t>;
  const Int b(text, divisor);
  const Lanes<double> number(select(b == 0, Int(1), b));
  divisor.sign = (b >> 31).value().text;
  divisor.reciprocal = (Lanes<double>(1.0) / fabs_of(number) * (1.0 + 0x1p-51)).value().text;
}

LoweredOperation lower_elementwise(LlvmText& text, Op op, vcode::Suffix suffix, ElemType result,
                                   const std::array<LaneValue, 3>& operands) {
  switch (op) {
#define VC_ELEMENTWISE(Name, ...) \
  case Op::k##Name:               \
    return lower<vcode::ops::Name>(text, suffix, result, operands);
#include "vcode/ops.def"
    default:
      VC_CHECK(!"an elementwise operation");
      return {};
  }
}

}  // namespace cvl::cpu
