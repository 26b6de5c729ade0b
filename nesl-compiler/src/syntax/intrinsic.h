#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

namespace nesl {

/// Implementation, inside the compiler, of a primitive of the prelude. Bound by name when the prelude is read; later
/// stages ignore names.
enum class Intrinsic : std::uint8_t {
  kNone,  ///< the primitive has a VCODE instruction, or only specializations
  kAppend,
  kCheck,
  kCheckNumbers,
  kCombiningPut,  ///< by some functions; its specialization by any
  kConditionalPut,
  kDistribute,
  kElement,
  kError,
  kFlatten,
  kGet,
  kIota,
  kLength,
  kMerge,
  kOccurrences,
  kPack,
  kPartition,
  kPermute,
  kPut,
  kReadObject,
  kReplace,
  kSelect,
  kSubsequence,
  kTypeText,
  kWriteObject,
  kWriteText,
};

/// Returns the intrinsic of a primitive that the prelude declares without an instruction.
constexpr Intrinsic intrinsic_named(std::string_view name) {
  constexpr std::pair<std::string_view, Intrinsic> kIntrinsics[] = {
      {"#", Intrinsic::kLength},
      {"++", Intrinsic::kAppend},
      {"->", Intrinsic::kGet},
      {"check", Intrinsic::kCheck},
      {"check_numbers", Intrinsic::kCheckNumbers},
      {"cond_put", Intrinsic::kConditionalPut},
      {"dist", Intrinsic::kDistribute},
      {"elt", Intrinsic::kElement},
      {"error", Intrinsic::kError},
      {"flatten", Intrinsic::kFlatten},
      {"iota", Intrinsic::kIota},
      {"length", Intrinsic::kLength},
      {"merge_by", Intrinsic::kMerge},
      {"occurrences", Intrinsic::kOccurrences},
      {"pack", Intrinsic::kPack},
      {"partition", Intrinsic::kPartition},
      {"permute", Intrinsic::kPermute},
      {"prim_read_object", Intrinsic::kReadObject},
      {"prim_write_object", Intrinsic::kWriteObject},
      {"put", Intrinsic::kPut},
      {"put_with", Intrinsic::kCombiningPut},
      {"rep", Intrinsic::kReplace},
      {"select", Intrinsic::kSelect},
      {"subseq_nocheck", Intrinsic::kSubsequence},
      {"type_text", Intrinsic::kTypeText},
      {"write_text", Intrinsic::kWriteText},
  };
  const auto* found = std::find_if(std::begin(kIntrinsics), std::end(kIntrinsics),
                                   [&](const auto& entry) { return entry.first == name; });
  return found == std::end(kIntrinsics) ? Intrinsic::kNone : found->second;
}

/// Whether an intrinsic reads its first operand where it is if that is a slice (FlatValue::Kind::kSlice).
constexpr bool takes_slices(Intrinsic intrinsic) {
  return intrinsic == Intrinsic::kElement || intrinsic == Intrinsic::kGet || intrinsic == Intrinsic::kLength ||
         intrinsic == Intrinsic::kSubsequence;
}

/// Whether an intrinsic neither fails nor has effects.
constexpr bool is_total(Intrinsic intrinsic) {
  switch (intrinsic) {
    case Intrinsic::kAppend:
    case Intrinsic::kFlatten:
    case Intrinsic::kLength:
    case Intrinsic::kMerge:
    case Intrinsic::kPack:
    case Intrinsic::kSelect:
    case Intrinsic::kTypeText:
      return true;
    default:
      return false;
  }
}

}  // namespace nesl
