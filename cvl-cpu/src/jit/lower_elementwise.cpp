#include "jit/lower_elementwise.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "kernels/function_kernels.h"
#include "vcode/arith.h"
#include "vcode/op_semantics.h"

namespace cvl::cpu {
namespace {

using vcode::Op;

/// Operands of an operation, named as in ops.def, and functions that append instructions on them.
struct Lowering {
  LlvmText& text;
  const LaneValue &a, &b, &c;
  ElemType result;

  LaneValue binary(std::string_view instruction, const LaneValue& x, const LaneValue& y) const {
    return text.define(x.type, fmt::format("{} {} {}, {}", instruction, text.type(x.type), x.text, y.text));
  }
  LaneValue arithmetic(std::string_view of_ints, std::string_view of_floats) const {
    return binary(LlvmText::is_float(a.type) ? of_floats : of_ints, a, b);
  }
  LaneValue compare(std::string_view predicate, const LaneValue& x, const LaneValue& y) const {
    return text.define(ElemType::kB8, fmt::format("{} {} {}, {}", predicate, text.type(x.type), x.text, y.text));
  }
  LaneValue compare(std::string_view of_ints, std::string_view of_floats) const {
    return compare(LlvmText::is_float(a.type) ? of_floats : of_ints, a, b);
  }
  LaneValue select(const LaneValue& flags, const LaneValue& x, const LaneValue& y) const {
    return text.define(x.type, fmt::format("select {} {}, {} {}, {} {}", text.type(ElemType::kB8), flags.text,
                                           text.type(x.type), x.text, text.type(x.type), y.text));
  }
  LaneValue convert(std::string_view instruction, const LaneValue& x, ElemType to) const {
    return text.define(to, fmt::format("{} {} {} to {}", instruction, text.type(x.type), x.text, text.type(to)));
  }
  LaneValue intrinsic(std::string_view name, const LaneValue& x) const {
    const std::string t = text.type(x.type);
    return {text.call(t, fmt::format("llvm.{}.{}", name, text.overload(x.type)), t, fmt::format("{} {}", t, x.text)),
            x.type};
  }
  LaneValue copy_sign(const LaneValue& x, const LaneValue& sign) const {
    const std::string t = text.type(x.type);
    return {text.call(t, "llvm.copysign." + text.overload(x.type), t + ", " + t,
                      fmt::format("{} {}, {} {}", t, x.text, t, sign.text)),
            x.type};
  }
  LaneValue all(ElemType t, std::int64_t number) const { return text.splat_int(t, number); }
  LaneValue both(const LaneValue& x, const LaneValue& y) const { return binary("and", x, y); }
  LaneValue either(const LaneValue& x, const LaneValue& y) const { return binary("or", x, y); }
};

/// Calls a function of vcode/functions.h for one register of doubles at a time, whatever the type of the elements.
LaneValue function(const Lowering& l, std::string_view name, bool has_two = false) {
  const bool rounded = l.result == ElemType::kF32;
  const int width = l.text.target().register_bytes / static_cast<int>(sizeof(double)), lanes = l.text.lanes();
  const std::string t = l.text.type(ElemType::kF64, width), stored = l.text.type(l.result, width);
  const std::string callee = vector_function_name(l.text.target().simd, name, rounded);
  const auto doubles = [&](const LaneValue& x, int first) {
    const LaneValue part = l.text.part(x, first, width);
    if (!rounded) return fmt::format("{} {}", t, part.text);
    return fmt::format("{} {}", t, l.text.define(fmt::format("fpext {} {} to {}", stored, part.text, t)));
  };
  std::vector<LaneValue> parts;
  for (int first = 0; first < lanes; first += width) {
    std::string arguments = doubles(l.a, first);
    if (has_two) arguments += ", " + doubles(l.b, first);
    const std::string y = l.text.call(t, callee, has_two ? t + ", " + t : t, arguments);
    parts.push_back({rounded ? l.text.define(fmt::format("fptrunc {} {} to {}", t, y, stored)) : y, l.result});
  }
  return l.text.joined(std::move(parts), width);
}

// --- integer division ---

LaneValue is_zero(const Lowering& l) { return l.compare("icmp eq", l.b, l.all(l.b.type, 0)); }
LaneValue is_minus_one(const Lowering& l) { return l.compare("icmp eq", l.b, l.all(l.b.type, -1)); }

/// a / b where b is neither 0 nor -1; any value elsewhere. A truncated quotient of doubles is exact for 32 bits.
LaneValue plain_quotient(const Lowering& l) {
  const LaneValue divisor = l.select(l.either(is_zero(l), is_minus_one(l)), l.all(l.b.type, 1), l.b);
  if (l.a.type == ElemType::kI64) return l.binary("sdiv", l.a, divisor);
  const LaneValue quotient =
      l.binary("fdiv", l.convert("sitofp", l.a, ElemType::kF64), l.convert("sitofp", divisor, ElemType::kF64));
  return l.convert("fptosi", quotient, ElemType::kI32);
}

/// a / b; any value where b is 0.
LaneValue quotient_by_reciprocal(const Lowering& l) {
  const LaneValue product =
      l.binary("fmul", l.convert("sitofp", l.a, ElemType::kF64), {l.b.reciprocal, ElemType::kF64});
  const LaneValue sign{l.b.sign, l.b.type};
  return l.binary("sub", l.binary("xor", l.convert("fptosi", product, l.b.type), sign), sign);
}

LaneValue quotient(const Lowering& l) {
  if (LlvmText::is_float(l.a.type)) return l.binary("fdiv", l.a, l.b);
  if (!l.b.reciprocal.empty()) return quotient_by_reciprocal(l);
  return l.select(is_minus_one(l), l.binary("sub", l.all(l.a.type, 0), l.a), plain_quotient(l));
}

LaneValue remainder(const Lowering& l) {
  if (!l.b.reciprocal.empty()) return l.binary("sub", l.a, l.binary("mul", quotient_by_reciprocal(l), l.b));
  const LaneValue rest = l.binary("sub", l.a, l.binary("mul", plain_quotient(l), l.b));
  return l.select(l.either(is_zero(l), is_minus_one(l)), l.all(l.a.type, 0), rest);
}

LaneValue divide_faults(const Lowering& l) {
  const std::int64_t least =
      l.a.type == ElemType::kI64 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int32_t>::min();
  return l.either(is_zero(l), l.both(is_minus_one(l), l.compare("icmp eq", l.a, l.all(l.a.type, least))));
}

// --- shifts ---

std::int64_t bits(const Lowering& l) { return static_cast<std::int64_t>(8 * elem_size(l.b.type)); }

LaneValue shift(const Lowering& l, std::string_view instruction) {
  return l.binary(instruction, l.a, l.both(l.b, l.all(l.b.type, bits(l) - 1)));
}

LaneValue shift_faults(const Lowering& l) { return l.compare("icmp uge", l.b, l.all(l.b.type, bits(l))); }

// --- floats to integers ---

/// Computes vcode::round_half_away.
LaneValue round_half_away(const Lowering& l) {
  const LaneValue whole = l.intrinsic("trunc", l.a);
  const LaneValue rest = l.intrinsic("fabs", l.binary("fsub", l.a, whole));
  const LaneValue away = l.binary("fadd", whole, l.copy_sign(l.text.splat(l.a.type, 1.0), l.a));
  return l.select(l.compare("fcmp oge", rest, l.text.splat(l.a.type, 0.5)), away, whole);
}

/// Computes vcode::fits_int of a float that is already rounded.
LaneValue fits_int(const Lowering& l, const LaneValue& rounded, ElemType to) {
  const double upper = std::ldexp(1.0, static_cast<int>(8 * elem_size(to)) - 1);
  return l.both(l.compare("fcmp oge", rounded, l.text.splat(rounded.type, -upper)),
                l.compare("fcmp olt", rounded, l.text.splat(rounded.type, upper)));
}

LaneValue int_of(const Lowering& l, const LaneValue& rounded) {
  const LaneValue faultless = l.select(fits_int(l, rounded, l.result), rounded, l.text.splat(rounded.type, 0.0));
  return l.convert("fptosi", faultless, l.result);
}

LaneValue opposite(const Lowering& l, const LaneValue& flags) {
  return l.binary("xor", flags, l.all(ElemType::kB8, 1));
}

LaneValue misfits(const Lowering& l, const LaneValue& rounded) { return opposite(l, fits_int(l, rounded, l.result)); }

/// Computes vcode::float_hash.
LaneValue float_hash(const Lowering& l) {
  const bool is_long = l.a.type == ElemType::kF64;
  const ElemType bits_type = is_long ? ElemType::kI64 : ElemType::kI32;
  const LaneValue zero = l.text.splat(l.a.type, 0.0), is_nan = l.compare("fcmp uno", l.a, l.a);
  const LaneValue number = l.select(is_nan, zero, l.binary("fadd", l.a, zero));
  LaneValue bits = l.convert("bitcast", number, bits_type);
  if (is_long) {
    const LaneValue upper = l.convert("trunc", l.binary("lshr", bits, l.all(bits_type, 32)), ElemType::kI32);
    bits = l.binary("add", l.binary("mul", upper, l.all(ElemType::kI32, static_cast<std::int32_t>(0x9e3779b1))),
                    l.convert("trunc", bits, ElemType::kI32));
  }
  bits = l.select(is_nan, l.all(ElemType::kI32, 0x7fc00000), bits);
  return l.result == ElemType::kI64 ? l.convert("sext", bits, ElemType::kI64) : bits;
}

// --- the rows of ops.def ---

/// An operation without a specialization below does not compile.
template <Op op>
LaneValue value_of(const Lowering& l) = delete;
template <Op op>
LaneValue faults_of(const Lowering& l) = delete;

#define VALUE(Name, expression)                        \
  template <>                                          \
  LaneValue value_of<Op::k##Name>(const Lowering& l) { \
    return expression;                                 \
  }
#define FAULTS(Name, expression)                        \
  template <>                                           \
  LaneValue faults_of<Op::k##Name>(const Lowering& l) { \
    return expression;                                  \
  }

VALUE(Add, l.arithmetic("add", "fadd"))
VALUE(Subtract, l.arithmetic("sub", "fsub"))
VALUE(Multiply, l.arithmetic("mul", "fmul"))
VALUE(Divide, quotient(l))
VALUE(Remainder, remainder(l))
VALUE(Less, l.compare("icmp slt", "fcmp olt"))
VALUE(LessEqual, l.compare("icmp sle", "fcmp ole"))
VALUE(Greater, l.compare("icmp sgt", "fcmp ogt"))
VALUE(GreaterEqual, l.compare("icmp sge", "fcmp oge"))
VALUE(Equal, l.compare("icmp eq", "fcmp oeq"))
VALUE(NotEqual, l.compare("icmp ne", "fcmp une"))
VALUE(ShiftLeft, shift(l, "shl"))
VALUE(ShiftRight, shift(l, "ashr"))
VALUE(Not, l.binary("xor", l.a, l.all(l.a.type, l.a.type == ElemType::kB8 ? 1 : -1)))
VALUE(And, l.binary("and", l.a, l.b))
VALUE(Or, l.binary("or", l.a, l.b))
VALUE(Xor, l.binary("xor", l.a, l.b))
VALUE(Select, l.select(l.a, l.b, l.c))
VALUE(Floor, int_of(l, l.intrinsic("floor", l.a)))
VALUE(Ceil, int_of(l, l.intrinsic("ceil", l.a)))
VALUE(Trunc, int_of(l, l.intrinsic("trunc", l.a)))
VALUE(Round, int_of(l, round_half_away(l)))
VALUE(Sqrt, l.intrinsic("sqrt", l.a))
#define FUNCTION(Name, name) VALUE(Name, function(l, #name))
#define FUNCTION2(Name, name) VALUE(Name, function(l, #name, true))
VC_FUNCTIONS(FUNCTION, FUNCTION2)
VALUE(FloatHash, float_hash(l))
VALUE(IntToFloat, l.convert("sitofp", l.a, l.result))
VALUE(IntToBool, l.compare("icmp ne", l.a, l.all(l.a.type, 0)))
VALUE(BoolToInt, l.convert("zext", l.a, l.result))
VALUE(Assert, l.a)
VALUE(Require, l.b)
VALUE(Bound, l.b)

FAULTS(Divide, divide_faults(l))
FAULTS(Remainder, is_zero(l))
FAULTS(ShiftLeft, shift_faults(l))
FAULTS(ShiftRight, shift_faults(l))
FAULTS(Floor, misfits(l, l.intrinsic("floor", l.a)))
FAULTS(Ceil, misfits(l, l.intrinsic("ceil", l.a)))
FAULTS(Trunc, misfits(l, l.intrinsic("trunc", l.a)))
FAULTS(Round, misfits(l, round_half_away(l)))
FAULTS(Assert, opposite(l, l.a))
FAULTS(Require, opposite(l, l.c))
FAULTS(Bound, l.binary("or", l.compare("icmp slt", l.b, l.all(l.b.type, 0)), l.compare("icmp sge", l.b, l.a)))

#undef VALUE
#undef FUNCTION
#undef FUNCTION2
#undef FAULTS

LaneValue value(Op op, const Lowering& l) {
  switch (op) {
#define VC_ELEMENTWISE(Name, ...) \
  case Op::k##Name:               \
    return value_of<Op::k##Name>(l);
#include "vcode/ops.def"
    default:
      VC_CHECK(!"an elementwise operation");
      return {};
  }
}

LaneValue faults(Op op, const Lowering& l) {
  switch (op) {
#define VC_FAULT(Name, ...) \
  case Op::k##Name:         \
    return faults_of<Op::k##Name>(l);
#include "vcode/ops.def"
    default:
      VC_CHECK(!"an elementwise operation whose elements can be at fault");
      return {};
  }
}

/// The empty value of a monoid if `none`, else its identity element.
template <class M, class T>
constexpr T start_of(bool none) {
  return none ? M::template empty_value<T>() : M::template identity<T>();
}

template <class M>
LaneValue start_lanes(const LlvmText& text, ElemType type, bool none) {
  switch (type) {
    case ElemType::kI32:
      return text.splat_int(type, start_of<M, std::int32_t>(none));
    case ElemType::kI64:
      return text.splat_int(type, start_of<M, std::int64_t>(none));
    case ElemType::kF32:
    case ElemType::kF64:
      // Only for monoids over numbers; logical operations have no floats.
      if constexpr (requires { M::template combine<double>(0.0, 0.0); })
        return text.splat(type, type == ElemType::kF32 ? start_of<M, float>(none) : start_of<M, double>(none));
      break;
    case ElemType::kB8:
      return text.splat_int(type, start_of<M, bool>(none));
  }
  VC_CHECK(!"a monoid over this type");
  return {};
}

LaneValue start_lanes(const LlvmText& text, vcode::Monoid monoid, ElemType type, bool none) {
  switch (monoid) {
#define VC_MONOID(Name, ...)   \
  case vcode::Monoid::k##Name: \
    return start_lanes<vcode::monoids::Name>(text, type, none);
#include "vcode/ops.def"
  }
  VC_CHECK(!"a monoid");
  return {};
}

}  // namespace

LaneValue lower_combination(LlvmText& text, vcode::Monoid monoid, const LaneValue& element, const LaneValue& before) {
  const vcode::MonoidInfo& row = vcode::info(monoid);
  const Lowering l{text, element, before, before, element.type};
  const LaneValue combined = value(row.operation, l);
  return row.selects ? l.select(combined, element, before) : combined;
}

LaneValue identity_lanes(const LlvmText& text, vcode::Monoid monoid, ElemType type) {
  return start_lanes(text, monoid, type, false);
}

LaneValue empty_value_lanes(const LlvmText& text, vcode::Monoid monoid, ElemType type) {
  return start_lanes(text, monoid, type, true);
}

bool divides_by_reciprocal(Op op, ElemType type) {
  return (op == Op::kDivide || op == Op::kRemainder) && type == ElemType::kI32;
}

/// The reciprocal of |divisor| is slightly too large, as in cvl-cpu/src/isa/division.h; that of 0 is 1.
void lower_divisor(LlvmText& text, LaneValue& divisor) {
  const Lowering l{text, divisor, divisor, divisor, divisor.type};
  const LaneValue is_none = is_zero(l);
  const LaneValue sign = l.binary("ashr", divisor, l.all(divisor.type, 31));
  const LaneValue number = l.convert("sitofp", l.select(is_none, l.all(divisor.type, 1), divisor), ElemType::kF64);
  const LaneValue reciprocal = l.binary("fdiv", text.splat(ElemType::kF64, 1.0), l.intrinsic("fabs", number));
  divisor.reciprocal = l.binary("fmul", reciprocal, text.splat(ElemType::kF64, 1.0 + 0x1p-51)).text;
  divisor.sign = sign.text;
}

LoweredOperation lower_elementwise(LlvmText& text, Op op, vcode::Suffix suffix, ElemType result,
                                   const std::array<LaneValue, 3>& operands) {
  const Lowering l{text, operands[0], operands[1], operands[2], result};
  LoweredOperation lowered{value(op, l), ""};
  if (vcode::info(op).can_fault(suffix)) lowered.faults = faults(op, l).text;
  return lowered;
}

}  // namespace cvl::cpu
