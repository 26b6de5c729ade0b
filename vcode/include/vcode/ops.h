#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "vcode/arith.h"
#include "vcode/signature.h"
#include "vcode/types.h"

namespace vcode {

/// Every instruction that has a row in ops.def.
enum class Op : std::uint8_t {
#define VC_ELEMENTWISE(Name, ...) k##Name,
#define VC_SCAN(Name, ...) k##Name,
#define VC_REDUCE(Name, ...) k##Name,
#define VC_VECTOR(Name, ...) k##Name,
#define VC_SYSTEM(Name, ...) k##Name,
#include "vcode/ops.def"
};

/// The associative operations of scans and reductions.
enum class Monoid : std::uint8_t {
#define VC_MONOID(Name, ...) k##Name,
#include "vcode/ops.def"
};

/// The section of ops.def an operation comes from.
enum class OpClass : std::uint8_t { kElementwise, kScan, kReduce, kVector, kSystem };

/// Which suffixes an operation takes, as a set of 1 << Suffix.
using SuffixSet = std::uint8_t;
namespace suffixes {
constexpr SuffixSet one(Suffix s) { return static_cast<SuffixSet>(1u << static_cast<int>(s)); }
inline constexpr SuffixSet kNone = one(Suffix::kNone);
inline constexpr SuffixSet kIntOnly = one(Suffix::kInt);
inline constexpr SuffixSet kNumber = kIntOnly | one(Suffix::kFloat);
inline constexpr SuffixSet kLogical = kIntOnly | one(Suffix::kBool);
inline constexpr SuffixSet kAny = kNumber | kLogical;
inline constexpr SuffixSet kPrintable = kAny | one(Suffix::kSegdes) | one(Suffix::kChar);
}  // namespace suffixes

/// A row of ops.def.
struct OpInfo {
  Op op;
  OpClass op_class;
  std::string_view name;  ///< the enumerator, without its k
  std::string_view text;  ///< the mnemonic
  SuffixSet suffix_set;
  Signature signature;
  std::string_view signature_text;
  Monoid monoid;  ///< of scans and reductions
  int flops;      ///< arithmetic operations per element
  std::string_view doc;

  constexpr bool takes(Suffix s) const { return (suffix_set & suffixes::one(s)) != 0; }
};

namespace detail {
#define VC_SCAN_SIG "a:T(n) s:seg(m,n) -> T(n)"
#define VC_REDUCE_SIG "a:T(n) s:seg(m,n) -> T(m)"
inline constexpr OpInfo kOpTable[] = {
#define VC_ELEMENTWISE(Name, text, set, sig, fault, flops, doc, ...) \
  {Op::k##Name, OpClass::kElementwise, #Name, text, suffixes::set, parse_signature(sig), sig, Monoid::kSum, flops, doc},
#define VC_SCAN(Name, text, set, M, doc)                                                  \
  {Op::k##Name, OpClass::kScan, #Name, text, suffixes::set, parse_signature(VC_SCAN_SIG), \
   VC_SCAN_SIG, Monoid::k##M,   1,     doc},
#define VC_REDUCE(Name, text, set, M, doc)                                                      \
  {Op::k##Name,   OpClass::kReduce, #Name, text, suffixes::set, parse_signature(VC_REDUCE_SIG), \
   VC_REDUCE_SIG, Monoid::k##M,     1,     doc},
#define VC_VECTOR(Name, text, set, sig, doc) \
  {Op::k##Name, OpClass::kVector, #Name, text, suffixes::set, parse_signature(sig), sig, Monoid::kSum, 0, doc},
#define VC_SYSTEM(Name, text, set, sig, doc) \
  {Op::k##Name, OpClass::kSystem, #Name, text, suffixes::set, parse_signature(sig), sig, Monoid::kSum, 0, doc},
#include "vcode/ops.def"
};
#undef VC_SCAN_SIG
#undef VC_REDUCE_SIG
}  // namespace detail

inline constexpr int kOps = sizeof(detail::kOpTable) / sizeof(detail::kOpTable[0]);

/// All rows, in the order of Op.
constexpr const OpInfo (&all_ops())[kOps] { return detail::kOpTable; }
/// The row of an operation.
constexpr const OpInfo& info(Op op) { return detail::kOpTable[static_cast<int>(op)]; }
/// True of an operand that is not gone through from end to end but looked into: at as many places as the operation
/// has results (gathers and the like).
constexpr bool is_looked_into(const OpInfo& row, int operand) {
  const Role& role = row.signature.operands[operand];
  if (row.op_class != OpClass::kVector || role.type == RoleType::kSegdes) return false;
  for (int o = 0; o < row.signature.operand_count; ++o) {
    const Role& other = row.signature.operands[o];
    if (o != operand && other.type != RoleType::kSegdes && other.length == role.length) return false;
  }
  for (int r = 0; r < row.signature.result_count; ++r) {
    const Role& result = row.signature.results[r];
    if (result.length == role.length || (result.type == RoleType::kSegdes && result.segments == role.length))
      return false;
  }
  return true;
}

/// The operation spelled `text`, if there is one.
std::optional<Op> find_op(std::string_view text);

/// The expressions of the table as C++: ops::Add::eval<R>(a, b), ops::Add::fault<R>(a, b).
namespace ops {
#define VC_ELEMENTWISE(Name, text, set, sig, fault_expr, flops, doc, ...)                                       \
  struct Name {                                                                                                 \
    static constexpr Op kOp = Op::k##Name;                                                                      \
    template <class R, class A, class B = A, class C = A>                                                       \
    VC_HD static constexpr R eval([[maybe_unused]] A a, [[maybe_unused]] B b = {}, [[maybe_unused]] C c = {}) { \
      return R(__VA_ARGS__);                                                                                    \
    }                                                                                                           \
    template <class R, class A, class B = A, class C = A>                                                       \
    VC_HD static constexpr FaultKind fault([[maybe_unused]] A a, [[maybe_unused]] B b = {},                     \
                                           [[maybe_unused]] C c = {}) {                                         \
      return fault_expr;                                                                                        \
    }                                                                                                           \
    /** False if fault() is the constant kNone. */                                                              \
    static constexpr bool kCanFault = std::string_view(#fault_expr) != "FaultKind::kNone";                      \
  };
#include "vcode/ops.def"
}  // namespace ops

/// The monoids of the table as C++: combine an element with the accumulation so far.
namespace monoids {
#define VC_MONOID(Name, neutral_expr, identity_expr, ...) \
  struct Name {                                           \
    static constexpr Monoid kMonoid = Monoid::k##Name;    \
    template <class T>                                    \
    VC_HD static constexpr T neutral() {                  \
      return neutral_expr;                                \
    }                                                     \
    template <class T>                                    \
    VC_HD static constexpr T identity() {                 \
      return identity_expr;                               \
    }                                                     \
    template <class T>                                    \
    VC_HD static constexpr T combine(T a, T b) {          \
      return __VA_ARGS__;                                 \
    }                                                     \
  };
#include "vcode/ops.def"
}  // namespace monoids

/// Storage of operand or result `role` of an instruction in a run with these widths.
constexpr ElemType role_type(const Role& role, Suffix suffix, Widths widths) {
  return widths.of(Signature::kind(role, suffix));
}

/// Calls f.template operator()<Suffix>() for every suffix in `set`, at compile time.
template <SuffixSet set, class F>
constexpr void for_each_suffix(F&& f) {
  [&]<int... s>(std::integer_sequence<int, s...>) {
    (
        [&] {
          if constexpr ((set >> s) & 1) f.template operator()<static_cast<Suffix>(s)>();
        }(),
        ...);
  }
  (std::make_integer_sequence<int, kSuffixes>{});
}

/// Calls f.template operator()<Widths{…}>() for the four choices of INT and FLOAT storage.
template <class F>
constexpr void for_each_widths(F&& f) {
  f.template operator()<ElemType::kI32, ElemType::kF64>();
  f.template operator()<ElemType::kI64, ElemType::kF64>();
  f.template operator()<ElemType::kI32, ElemType::kF32>();
  f.template operator()<ElemType::kI64, ElemType::kF32>();
}

}  // namespace vcode
