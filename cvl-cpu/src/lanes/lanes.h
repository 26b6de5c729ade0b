#pragma once

/// A type with which the expressions of ops.def and the functions of vcode/arith.h append LLVM assembly: each operator
/// is an instruction, and the functions that are not written with operators have overloads at the end.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "lanes/llvm_text.h"
#include "vcode/arith.h"

namespace cvl::cpu {

/// A LaneValue whose elements have the storage type T.
template <class T>
class Lanes {
 public:
  using Element = T;
  static constexpr ElemType kType = vcode::kElemTypeOf<T>;
  static constexpr bool kIsFloat = std::is_floating_point_v<T>;

  /// The same number in all lanes.
  Lanes(T number = T()) {
    if constexpr (kIsFloat)
      value_ = LlvmText::splat(kType, static_cast<double>(number));
    else
      value_ = LlvmText::splat_int(kType, static_cast<std::int64_t>(number));
  }
  Lanes(LlvmText& text, LaneValue value) : text_(&text), value_(std::move(value)) { VC_CHECK(value_.type == kType); }
  /// Converts numbers, or truth values to 0 and 1. Floats must be integral, and fit.
  template <class From>
  explicit Lanes(const Lanes<From>& x) : Lanes(x.template convert<T>(conversion_from<From>())) {}

  /// The text to which operations on these lanes append; of a constant there is none.
  LlvmText& text() const {
    VC_CHECK(text_ != nullptr);
    return *text_;
  }
  const LaneValue& value() const { return value_; }

  /// The lanes as another type, by one of LLVM's instructions for conversions.
  template <class To>
  Lanes<To> convert(std::string_view instruction) const {
    return {text(), text().define(Lanes<To>::kType, fmt::format("{} {} {} to {}", instruction, text().type(kType),
                                                                value_.text, text().type(Lanes<To>::kType)))};
  }
  /// An instruction with two operands. At most one may be a constant.
  template <class Result = T>
  static Lanes<Result> instruction(std::string_view name, const Lanes& x, const Lanes& y) {
    LlvmText& text = x.text_ != nullptr ? x.text() : y.text();
    return {text, text.define(Lanes<Result>::kType,
                              fmt::format("{} {} {}, {}", name, text.type(kType), x.value_.text, y.value_.text))};
  }
  static Lanes<bool> comparison(std::string_view of_ints, std::string_view of_floats, const Lanes& x, const Lanes& y) {
    return instruction<bool>(kIsFloat ? of_floats : of_ints, x, y);
  }

  friend Lanes operator+(const Lanes& x, const Lanes& y) { return instruction(kIsFloat ? "fadd" : "add", x, y); }
  friend Lanes operator-(const Lanes& x, const Lanes& y) { return instruction(kIsFloat ? "fsub" : "sub", x, y); }
  friend Lanes operator*(const Lanes& x, const Lanes& y) { return instruction(kIsFloat ? "fmul" : "mul", x, y); }
  friend Lanes operator&(const Lanes& x, const Lanes& y) { return instruction("and", x, y); }
  friend Lanes operator|(const Lanes& x, const Lanes& y) { return instruction("or", x, y); }
  friend Lanes operator^(const Lanes& x, const Lanes& y) { return instruction("xor", x, y); }
  friend Lanes operator<<(const Lanes& x, const Lanes& y) { return instruction("shl", x, y); }
  friend Lanes operator>>(const Lanes& x, const Lanes& y) { return instruction("ashr", x, y); }
  Lanes operator~() const { return *this ^ vcode::all_ones<T>(); }
  Lanes operator!() const {
    static_assert(std::is_same_v<T, bool>);
    return ~*this;
  }

  friend Lanes<bool> operator<(const Lanes& x, const Lanes& y) { return comparison("icmp slt", "fcmp olt", x, y); }
  friend Lanes<bool> operator<=(const Lanes& x, const Lanes& y) { return comparison("icmp sle", "fcmp ole", x, y); }
  friend Lanes<bool> operator>(const Lanes& x, const Lanes& y) { return comparison("icmp sgt", "fcmp ogt", x, y); }
  friend Lanes<bool> operator>=(const Lanes& x, const Lanes& y) { return comparison("icmp sge", "fcmp oge", x, y); }
  friend Lanes<bool> operator==(const Lanes& x, const Lanes& y) { return comparison("icmp eq", "fcmp oeq", x, y); }
  friend Lanes<bool> operator!=(const Lanes& x, const Lanes& y) { return comparison("icmp ne", "fcmp une", x, y); }

 private:
  template <class From>
  static constexpr std::string_view conversion_from() {
    static_assert(!kIsFloat || !std::is_floating_point_v<From>);
    if (std::is_unsigned_v<From>) return "zext";  // BOOL and BYTE
    if (std::is_floating_point_v<From>) return "fptosi";
    return kIsFloat ? "sitofp" : sizeof(From) < sizeof(T) ? "sext" : "trunc";
  }

  LlvmText* text_ = nullptr;
  LaneValue value_;
};

// --- Overloads of functions of vcode/arith.h ---

template <class T>
Lanes<T> select(const Lanes<bool>& flags, const Lanes<T>& a, const Lanes<T>& b) {
  return {flags.text(), masked(flags.text(), a.value(), flags.value().text, b.value())};
}

/// Of lanes only whether they are at fault is computed, not by which fault.
inline Lanes<bool> fault_if(const Lanes<bool>& flags, vcode::FaultKind) { return flags; }

template <class I, class F>
Lanes<bool> fits_int(const Lanes<F>& v) {
  constexpr F upper = vcode::int_upper<typename I::Element, F>();
  return (v >= -upper) & (v < upper);
}

/// Calls an intrinsic function of LLVM, whose result has the type of its parameters.
template <class T, class... More>
Lanes<T> intrinsic(LlvmText& text, std::string_view name, const Lanes<T>& x, const More&... more) {
  const std::string type = text.type(x.kType);
  std::string parameters = type, arguments = type + " " + x.value().text;
  ((parameters += ", " + type, arguments += ", " + type + " " + more.value().text), ...);
  return {text,
          {text.call(type, fmt::format("llvm.{}.{}", name, text.overload(x.kType)), parameters, arguments), x.kType}};
}
#define INTRINSIC(name)                   \
  template <class F>                      \
  Lanes<F> name##_of(const Lanes<F>& a) { \
    return intrinsic(a.text(), #name, a); \
  }
VC_STANDARD_FUNCTIONS(INTRINSIC)
#undef INTRINSIC
template <class F>
Lanes<F> copysign_of(const Lanes<F>& a, const Lanes<F>& sign) {
  return intrinsic(sign.text(), "copysign", a, sign);
}

}  // namespace cvl::cpu

template <class T>
inline constexpr int vcode::kBitsOf<cvl::cpu::Lanes<T>> = vcode::kBitsOf<T>;

template <class T>
struct std::numeric_limits<cvl::cpu::Lanes<T>> : std::numeric_limits<T> {};
