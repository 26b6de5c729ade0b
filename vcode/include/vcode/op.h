#pragma once

/// The operations and facts about each of them. Their semantics as C++ are in op_semantics.h. This header depends only
/// on the names of the rows of ops.def: changes of other columns do not recompile sources that include only this
/// header.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "vcode/op_names.inc"  // made from ops.def by op_names.cmake
#include "vcode/signature.h"
#include "vcode/types.h"

namespace vcode {

/// Every instruction that has a row in ops.def, in the order of the rows.
enum class Op : std::uint8_t {
#define VC_ENUMERATOR(Name) k##Name,
  VC_OP_NAMES(VC_ENUMERATOR)
};

/// The associative operations of scans and reductions.
enum class Monoid : std::uint8_t { VC_MONOID_NAMES(VC_ENUMERATOR) };
#undef VC_ENUMERATOR

#define VC_PLUS_ONE(Name) +1
inline constexpr int kOps = VC_OP_NAMES(VC_PLUS_ONE);
inline constexpr int kMonoids = VC_MONOID_NAMES(VC_PLUS_ONE);
#undef VC_PLUS_ONE
#undef VC_OP_NAMES
#undef VC_MONOID_NAMES

/// The section of ops.def that an operation is in.
enum class OpClass : std::uint8_t { kElementwise, kScan, kReduce, kArgReduce, kAccumulate, kVector, kSystem };

/// The suffixes that an operation takes, as a set of 1 << Suffix.
using SuffixSet = std::uint8_t;
namespace suffixes {
constexpr SuffixSet one(Suffix s) { return static_cast<SuffixSet>(1u << static_cast<int>(s)); }
inline constexpr SuffixSet kNone = one(Suffix::kNone);
inline constexpr SuffixSet kIntOnly = one(Suffix::kInt);
inline constexpr SuffixSet kFloatOnly = one(Suffix::kFloat);
inline constexpr SuffixSet kNumber = kIntOnly | kFloatOnly;
inline constexpr SuffixSet kLogical = kIntOnly | one(Suffix::kBool);
inline constexpr SuffixSet kByteOnly = one(Suffix::kByte);
inline constexpr SuffixSet kAny = kNumber | kLogical | kByteOnly;
inline constexpr SuffixSet kText = kNone | kByteOnly;
inline constexpr SuffixSet kPrintable = kAny | one(Suffix::kSegdes) | one(Suffix::kChar);
}  // namespace suffixes

/// The column `facts` of ops.def, a set.
using FactSet = std::uint16_t;
namespace facts {
inline constexpr FactSet kPlain = 0;
inline constexpr FactSet kCommutes = 1;     ///< the two operands may be exchanged
inline constexpr FactSet kDraws = 2;        ///< consumes random numbers
inline constexpr FactSet kFunction = 4;     ///< a mathematical function of functions.h, which is much code
inline constexpr FactSet kSelects = 8;      ///< monoids only: combining returns one of the two elements
inline constexpr FactSet kExtension = 16;   ///< not in the VCODE of 1995
inline constexpr FactSet kReadsClock = 32;  ///< must not be reordered with operations before and behind it
inline constexpr FactSet kChecks = 64;      ///< operations behind it may rely on the checked condition
inline constexpr FactSet kCancels = 128;    ///< two equal INTs, or BOOLs, give the same result whatever their value
inline constexpr FactSet kSpreads =
    256;  ///< makes the elements of a segment of one element of each operand, or of a run
inline constexpr FactSet kGathers = 512;       ///< reads elements at any indices
inline constexpr FactSet kScatters = 1024;     ///< writes elements at any indices
inline constexpr FactSet kMovesBlocks = 2048;  ///< copies runs of consecutive elements
inline constexpr FactSet kCounts = 4096;       ///< the results are numbers of elements that exist, and so not negative
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
  Monoid monoid;  ///< of scans, reductions, arg-reductions and accumulations
  int flops;      ///< arithmetic operations per element
  FactSet facts;
  SuffixSet faulting;  ///< suffixes under which the data of the operands can cause a fault
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
  constexpr bool spreads() const { return (facts & facts::kSpreads) != 0; }
  constexpr bool gathers() const { return (facts & facts::kGathers) != 0; }
  constexpr bool scatters() const { return (facts & facts::kScatters) != 0; }
  constexpr bool moves_blocks() const { return (facts & facts::kMovesBlocks) != 0; }
  constexpr bool counts() const { return (facts & facts::kCounts) != 0; }
};

/// A row of VC_MONOID, but for its expressions.
struct MonoidInfo {
  Monoid monoid;
  std::string_view function;  ///< its name in NESL
  Op operation;  ///< combines two elements; if the monoid selects, whether the first one of two is selected
  bool selects;
};

namespace detail {
extern const std::array<OpInfo, kOps> kOpTable;
extern const std::array<MonoidInfo, kMonoids> kMonoidTable;
}  // namespace detail

/// All rows, in the order of Op.
inline const std::array<OpInfo, kOps>& all_ops() { return detail::kOpTable; }
/// The row of an operation. In constant expressions: row_of() of op_semantics.h.
inline const OpInfo& info(Op op) { return detail::kOpTable[static_cast<std::size_t>(op)]; }
inline const MonoidInfo& info(Monoid monoid) { return detail::kMonoidTable[static_cast<std::size_t>(monoid)]; }

/// The monoid of a function of NESL, if there is one.
std::optional<Monoid> find_monoid(std::string_view function);
/// The operation of a monoid in a class that has one for each monoid.
Op op_of(OpClass op_class, Monoid monoid);

/// Whether an operand is read at computed indices, one for each element of the result (gathers and the like), instead
/// of from end to end.
bool is_looked_into(const OpInfo& row, int operand);

/// The operation with the mnemonic `text`, if there is one.
std::optional<Op> find_op(std::string_view text);

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
