#pragma once

/// The semantics of operations as C++, from all of ops.def: the rows for constant expressions, ops::, monoids::.
/// Whoever needs the operations and facts about them, but computes nothing with them, includes op.h instead.

#include <iterator>

#include "vcode/arith.h"
#include "vcode/functions.h"
#include "vcode/op.h"

namespace vcode {

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
#define VC_MONOID(Name, function, operation, known, ...) \
  template <>                                            \
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
#define VC_ACCUMULATE_SIG "a:T(n) !i:int(n) d:T(k) s1:seg(m,n) s2:seg(m,k) -> T(k)"
}  // namespace detail

/// All rows, in the order of Op, for constant expressions; all_ops() is for run time.
inline constexpr OpInfo kOpRows[] = {
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
   detail::kFaulting<Op::k##Name>,                                   \
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
   detail::kMonoidFacts<Monoid::k##M>,   \
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
   detail::kMonoidFacts<Monoid::k##M>,     \
   0,                                      \
   doc},
#define VC_ARG_REDUCE(Name, text, set, M, doc)             \
  {Op::k##Name,                                            \
   OpClass::kArgReduce,                                    \
   #Name,                                                  \
   text,                                                   \
   suffixes::set,                                          \
   parse_signature(VC_ARG_REDUCE_SIG),                     \
   VC_ARG_REDUCE_SIG,                                      \
   Monoid::k##M,                                           \
   2,                                                      \
   detail::kMonoidFacts<Monoid::k##M> | facts::kExtension, \
   0,                                                      \
   doc},
#define VC_ACCUMULATE(Name, text, set, M, doc)             \
  {Op::k##Name,                                            \
   OpClass::kAccumulate,                                   \
   #Name,                                                  \
   text,                                                   \
   suffixes::set,                                          \
   parse_signature(VC_ACCUMULATE_SIG),                     \
   VC_ACCUMULATE_SIG,                                      \
   Monoid::k##M,                                           \
   1,                                                      \
   detail::kMonoidFacts<Monoid::k##M> | facts::kExtension, \
   suffixes::set,                                          \
   doc},
#define VC_VECTOR(Name, text, set, sig, known, doc)                   \
  {Op::k##Name,                                                       \
   OpClass::kVector,                                                  \
   #Name,                                                             \
   text,                                                              \
   suffixes::set,                                                     \
   parse_signature(sig),                                              \
   sig,                                                               \
   Monoid::kSum,                                                      \
   0,                                                                 \
   [] {                                                               \
     using namespace facts;                                           \
     return FactSet(known);                                           \
   }(),                                                               \
   detail::faulting_by_operands(parse_signature(sig), suffixes::set), \
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
#undef VC_ACCUMULATE_SIG

/// All rows of VC_MONOID, in the order of Monoid.
inline constexpr MonoidInfo kMonoidRows[] = {
#define VC_MONOID(Name, function, operation, ...) \
  {Monoid::k##Name, function, Op::k##operation, (detail::kMonoidFacts<Monoid::k##Name> & facts::kSelects) != 0},
#include "vcode/ops.def"
};

static_assert(static_cast<int>(std::size(kOpRows)) == kOps);

/// The row of an operation, for constant expressions; info() is for values of run time.
constexpr const OpInfo& row_of(Op op) { return kOpRows[static_cast<int>(op)]; }

/// The expressions of the table as C++: ops::Add::eval<R>(a, b), ops::Add::fault<R>(a, b).
namespace ops {
/// The VC_FAULT row of an elementwise operation. Without one no element is at fault.
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
#define VC_FAULT(Name, set, risk_expr, ...)                                                               \
  template <>                                                                                             \
  struct Faults<Op::k##Name> {                                                                            \
    template <class R, class A, class B, class C>                                                         \
    VC_HD static constexpr auto fault([[maybe_unused]] A a, [[maybe_unused]] B b, [[maybe_unused]] C c) { \
      return __VA_ARGS__;                                                                                 \
    }                                                                                                     \
    template <class B>                                                                                    \
    VC_HD static constexpr bool risk([[maybe_unused]] B b) {                                              \
      return risk_expr;                                                                                   \
    }                                                                                                     \
  };
#include "vcode/ops.def"

/// The VC_RIGHT_IDENTITY row of an elementwise operation; kHas is false if it has none.
template <Op op>
struct RightIdentity {
  static constexpr bool kHas = false;
};
#define VC_RIGHT_IDENTITY(Name, ...)      \
  template <>                             \
  struct RightIdentity<Op::k##Name> {     \
    static constexpr bool kHas = true;    \
    template <class T>                    \
    static constexpr T value() {          \
      return static_cast<T>(__VA_ARGS__); \
    }                                     \
  };
#include "vcode/ops.def"

#define VC_ELEMENTWISE(Name, text, set, sig, known, flops, doc, ...)                                                  \
  struct Name {                                                                                                       \
    static constexpr Op kOp = Op::k##Name;                                                                            \
    template <class R, class A, class B = A, class C = A>                                                             \
    VC_HD static constexpr R eval([[maybe_unused]] A a, [[maybe_unused]] B b = B(), [[maybe_unused]] C c = C()) {     \
      return R(__VA_ARGS__);                                                                                          \
    }                                                                                                                 \
    template <class R, class A, class B = A, class C = A>                                                             \
    VC_HD static constexpr auto fault([[maybe_unused]] A a, [[maybe_unused]] B b = B(), [[maybe_unused]] C c = C()) { \
      return Faults<kOp>::template fault<R>(a, b, c);                                                                 \
    }                                                                                                                 \
    /** False if fault() is the constant kNone. */                                                                    \
    static constexpr bool kCanFault = row_of(kOp).faulting != 0;                                                      \
  };
#include "vcode/ops.def"
}  // namespace ops

/// The monoids of the table as C++: combine an element with the accumulation so far.
namespace monoids {
#define VC_MONOID(Name, function, operation, known, identity_expr, empty_value_expr, ...)    \
  struct Name {                                                                              \
    static constexpr Monoid kMonoid = Monoid::k##Name;                                       \
    static constexpr Op kOperation = Op::k##operation;                                       \
    static constexpr bool kSelects = (detail::kMonoidFacts<kMonoid> & facts::kSelects) != 0; \
    template <class T>                                                                       \
    VC_HD static constexpr T identity() {                                                    \
      return identity_expr;                                                                  \
    }                                                                                        \
    template <class T>                                                                       \
    VC_HD static constexpr T empty_value() {                                                 \
      return empty_value_expr;                                                               \
    }                                                                                        \
    template <class T>                                                                       \
    VC_HD static constexpr T combine(T a, T b) {                                             \
      return __VA_ARGS__;                                                                    \
    }                                                                                        \
  };
#include "vcode/ops.def"
}  // namespace monoids

/// An element `a` combined with `b`, an element or a combination of several. Unlike M::combine(), whose `b` begins with
/// the identity, this ignores a NaN in `b` where M selects.
template <class M, class T>
VC_HD constexpr T accumulate(T a, T b) {
  if constexpr (M::kSelects)
    if (b != b) return a;
  return M::combine(a, b);
}

/// The `b` with which accumulate<M>(a, b) is `a` to the last bit.
template <class M, class T>
VC_HD constexpr T accumulation_identity() {
  if constexpr (std::is_floating_point_v<T> && M::kSelects) return std::numeric_limits<T>::quiet_NaN();
  if constexpr (std::is_floating_point_v<T> && M::kMonoid == Monoid::kSum) return -T(0);
  return M::template identity<T>();
}

}  // namespace vcode
