#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "vcode/arith.h"
#include "vcode/functions.h"
#include "vcode/signature.h"
#include "vcode/types.h"

namespace vcode {

/// Every instruction that has a row in ops.def.
enum class Op : std::uint8_t {
#define VC_ELEMENTWISE(Name, ...) k##Name,
#define VC_SCAN(Name, ...) k##Name,
#define VC_REDUCE(Name, ...) k##Name,
#define VC_ARG_REDUCE(Name, ...) k##Name,
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
enum class OpClass : std::uint8_t { kElementwise, kScan, kReduce, kArgReduce, kVector, kSystem };

/// Which suffixes an operation takes, as a set of 1 << Suffix.
using SuffixSet = std::uint8_t;
namespace suffixes {
constexpr SuffixSet one(Suffix s) { return static_cast<SuffixSet>(1u << static_cast<int>(s)); }
inline constexpr SuffixSet kNone = one(Suffix::kNone);
inline constexpr SuffixSet kIntOnly = one(Suffix::kInt);
inline constexpr SuffixSet kFloatOnly = one(Suffix::kFloat);
inline constexpr SuffixSet kNumber = kIntOnly | kFloatOnly;
inline constexpr SuffixSet kLogical = kIntOnly | one(Suffix::kBool);
inline constexpr SuffixSet kAny = kNumber | kLogical;
inline constexpr SuffixSet kPrintable = kAny | one(Suffix::kSegdes) | one(Suffix::kChar);
}  // namespace suffixes

/// What ops.def says of an operation in its column `facts`.
using FactSet = std::uint8_t;
namespace facts {
inline constexpr FactSet kPlain = 0;
inline constexpr FactSet kCommutes = 1;     ///< the two operands may be exchanged
inline constexpr FactSet kDraws = 2;        ///< consumes random numbers
inline constexpr FactSet kFunction = 4;     ///< one of functions.h, which are much code
inline constexpr FactSet kSelects = 8;      ///< of a monoid: combining gives one of the two elements
inline constexpr FactSet kExtension = 16;   ///< not in the VCODE of 1995
inline constexpr FactSet kReadsClock = 32;  ///< what stands before and behind it is computed before and after
inline constexpr FactSet kChecks = 64;      ///< what stands behind it may rely on what it has checked
inline constexpr FactSet kCancels = 128;    ///< two equal INTs, or BOOLs, give the same whatever they are
}  // namespace facts

/// A row of ops.def.
struct OpInfo {
  Op op;
  OpClass op_class;
  std::string_view name;  ///< the enumerator, without its k
  std::string_view text;  ///< the mnemonic
  SuffixSet suffix_set;
  Signature signature;
  std::string_view signature_text;
  Monoid monoid;  ///< of scans, reductions and arg-reductions
  int flops;      ///< arithmetic operations per element
  FactSet facts;
  SuffixSet faulting;  ///< suffixes under which the data of the operands can be at fault
  std::string_view doc;

  constexpr bool takes(Suffix s) const { return (suffix_set & suffixes::one(s)) != 0; }
  constexpr bool can_fault(Suffix s) const { return (faulting & suffixes::one(s)) != 0; }
  constexpr bool commutes() const { return (facts & facts::kCommutes) != 0; }
  constexpr bool cancels(Suffix s) const { return (facts & facts::kCancels) != 0 && s != Suffix::kFloat; }
  constexpr bool draws() const { return (facts & facts::kDraws) != 0; }
  constexpr bool selects() const { return (facts & facts::kSelects) != 0; }
  constexpr bool is_extension() const { return (facts & facts::kExtension) != 0; }
  constexpr bool reads_clock() const { return (facts & facts::kReadsClock) != 0; }
  constexpr bool checks() const { return (facts & facts::kChecks) != 0; }
  constexpr bool is_function() const { return (facts & facts::kFunction) != 0; }
};

namespace detail {
/// The suffixes of the elementwise operation's VC_FAULT row; none if it has none.
template <Op op>
inline constexpr SuffixSet kFaulting = 0;
#define VC_FAULT(Name, set, ...) \
  template <>                    \
  inline constexpr SuffixSet kFaulting<Op::k##Name> = suffixes::set;
#include "vcode/ops.def"

/// The column `facts` of the monoid's row.
template <Monoid monoid>
inline constexpr FactSet kMonoidFacts = facts::kPlain;
#define VC_MONOID(Name, known, ...) \
  template <>                       \
  inline constexpr FactSet kMonoidFacts<Monoid::k##Name> = facts::known;
#include "vcode/ops.def"

/// Of a vector operation: all its suffixes if an operand is checked.
constexpr SuffixSet faulting_by_operands(const Signature& signature, SuffixSet set) {
  for (const Role& role : signature.operands)
    if (role.checked) return set;
  return 0;
}

#define VC_SCAN_SIG "a:T(n) s:seg(m,n) -> T(n)"
#define VC_REDUCE_SIG "a:T(n) s:seg(m,n) -> T(m)"
#define VC_ARG_REDUCE_SIG "a:T(n) s:seg(m,n) -> int(m)"
inline constexpr OpInfo kOpTable[] = {
#define VC_ELEMENTWISE(Name, text, set, sig, known, flops, doc, ...) \
  {Op::k##Name,                                                      \
   OpClass::kElementwise,                                            \
   #Name,                                                            \
   text,                                                             \
   suffixes::set,                                                    \
   parse_signature(sig),                                             \
   sig,                                                              \
   Monoid::kSum,                                                     \
   flops,                                                            \
   [] {                                                              \
     using namespace facts;                                          \
     return FactSet(known);                                          \
   }(),                                                              \
   kFaulting<Op::k##Name>,                                           \
   doc},
#define VC_SCAN(Name, text, set, M, doc) \
  {Op::k##Name,                          \
   OpClass::kScan,                       \
   #Name,                                \
   text,                                 \
   suffixes::set,                        \
   parse_signature(VC_SCAN_SIG),         \
   VC_SCAN_SIG,                          \
   Monoid::k##M,                         \
   1,                                    \
   kMonoidFacts<Monoid::k##M>,           \
   0,                                    \
   doc},
#define VC_REDUCE(Name, text, set, M, doc) \
  {Op::k##Name,                            \
   OpClass::kReduce,                       \
   #Name,                                  \
   text,                                   \
   suffixes::set,                          \
   parse_signature(VC_REDUCE_SIG),         \
   VC_REDUCE_SIG,                          \
   Monoid::k##M,                           \
   1,                                      \
   kMonoidFacts<Monoid::k##M>,             \
   0,                                      \
   doc},
#define VC_ARG_REDUCE(Name, text, set, M, doc)     \
  {Op::k##Name,                                    \
   OpClass::kArgReduce,                            \
   #Name,                                          \
   text,                                           \
   suffixes::set,                                  \
   parse_signature(VC_ARG_REDUCE_SIG),             \
   VC_ARG_REDUCE_SIG,                              \
   Monoid::k##M,                                   \
   2,                                              \
   kMonoidFacts<Monoid::k##M> | facts::kExtension, \
   0,                                              \
   doc},
#define VC_VECTOR(Name, text, set, sig, known, doc)           \
  {Op::k##Name,                                               \
   OpClass::kVector,                                          \
   #Name,                                                     \
   text,                                                      \
   suffixes::set,                                             \
   parse_signature(sig),                                      \
   sig,                                                       \
   Monoid::kSum,                                              \
   0,                                                         \
   facts::known,                                              \
   faulting_by_operands(parse_signature(sig), suffixes::set), \
   doc},
#define VC_SYSTEM(Name, text, set, sig, known, doc) \
  {Op::k##Name,                                     \
   OpClass::kSystem,                                \
   #Name,                                           \
   text,                                            \
   suffixes::set,                                   \
   parse_signature(sig),                            \
   sig,                                             \
   Monoid::kSum,                                    \
   0,                                               \
   [] {                                             \
     using namespace facts;                         \
     return FactSet(known);                         \
   }(),                                             \
   suffixes::set,                                   \
   doc},
#include "vcode/ops.def"
};
#undef VC_SCAN_SIG
#undef VC_REDUCE_SIG
#undef VC_ARG_REDUCE_SIG
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
/// What can be wrong with the operands of an elementwise operation: nothing, unless it has a VC_FAULT row.
template <Op op>
struct Faults {
  template <class R, class A, class B, class C>
  VC_HD static constexpr FaultKind fault(A, B, C) {
    return FaultKind::kNone;
  }
  template <class B>
  VC_HD static constexpr bool risk(B) {
    return false;
  }
};
#define VC_FAULT(Name, set, risk_expr, ...)                                                                    \
  template <>                                                                                                  \
  struct Faults<Op::k##Name> {                                                                                 \
    template <class R, class A, class B, class C>                                                              \
    VC_HD static constexpr FaultKind fault([[maybe_unused]] A a, [[maybe_unused]] B b, [[maybe_unused]] C c) { \
      return __VA_ARGS__;                                                                                      \
    }                                                                                                          \
    template <class B>                                                                                         \
    VC_HD static constexpr bool risk([[maybe_unused]] B b) {                                                   \
      return risk_expr;                                                                                        \
    }                                                                                                          \
  };
#include "vcode/ops.def"

/// The VC_NEUTRAL row of an elementwise operation; kHas is false if it has none.
template <Op op>
struct Neutral {
  static constexpr bool kHas = false;
};
#define VC_NEUTRAL(Name, ...)             \
  template <>                             \
  struct Neutral<Op::k##Name> {           \
    static constexpr bool kHas = true;    \
    template <class T>                    \
    static constexpr T value() {          \
      return static_cast<T>(__VA_ARGS__); \
    }                                     \
  };
#include "vcode/ops.def"

#define VC_ELEMENTWISE(Name, text, set, sig, known, flops, doc, ...)                                              \
  struct Name {                                                                                                   \
    static constexpr Op kOp = Op::k##Name;                                                                        \
    template <class R, class A, class B = A, class C = A>                                                         \
    VC_HD static constexpr R eval([[maybe_unused]] A a, [[maybe_unused]] B b = B(), [[maybe_unused]] C c = C()) { \
      return R(__VA_ARGS__);                                                                                      \
    }                                                                                                             \
    template <class R, class A, class B = A, class C = A>                                                         \
    VC_HD static constexpr FaultKind fault([[maybe_unused]] A a, [[maybe_unused]] B b = B(),                      \
                                           [[maybe_unused]] C c = C()) {                                          \
      return Faults<kOp>::template fault<R>(a, b, c);                                                             \
    }                                                                                                             \
    /** False if fault() is the constant kNone. */                                                                \
    static constexpr bool kCanFault = info(kOp).faulting != 0;                                                    \
  };
#include "vcode/ops.def"
}  // namespace ops

/// The monoids of the table as C++: combine an element with the accumulation so far.
namespace monoids {
#define VC_MONOID(Name, known, neutral_expr, identity_expr, ...)                             \
  struct Name {                                                                              \
    static constexpr Monoid kMonoid = Monoid::k##Name;                                       \
    static constexpr bool kSelects = (detail::kMonoidFacts<kMonoid> & facts::kSelects) != 0; \
    template <class T>                                                                       \
    VC_HD static constexpr T neutral() {                                                     \
      return neutral_expr;                                                                   \
    }                                                                                        \
    template <class T>                                                                       \
    VC_HD static constexpr T identity() {                                                    \
      return identity_expr;                                                                  \
    }                                                                                        \
    template <class T>                                                                       \
    VC_HD static constexpr T combine(T a, T b) {                                             \
      return __VA_ARGS__;                                                                    \
    }                                                                                        \
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
