#pragma once

#include <cstdint>

namespace vcode {

/// Kinds of mistakes in the data of an instruction, found while it runs.
enum class FaultKind : std::uint8_t {
  kNone,
  kDivideByZero,
  kDivideOverflow,   ///< most negative integer divided by -1
  kShiftCount,       ///< shift count negative or not below the width
  kFloatToInt,       ///< NaN, or outside the integer range
  kRandomBound,      ///< RAND with bound 0
  kIndexRange,       ///< index outside its segment
  kDuplicateTarget,  ///< two elements of a PERMUTE or FPERMUTE sent to one place
  kLengthMismatch,   ///< APPEND, MERGE: what is to become a segment has another length
  kFlagCount,        ///< MERGE: as many flags are not true as there are elements to be taken for them
  kNegativeLength,   ///< MAKE_SEGDES with a negative length
  kLengthOverflow,   ///< lengths whose sum does not fit in 63 bits
  kFalse,            ///< ASSERT of what is false
  kUnmet,            ///< REQUIRE of what does not hold for its two numbers
  kOutside,          ///< BOUND of an index that is negative or not below its bound
  kOutOfMemory,      ///< no room for the working memory of an operation
};

}  // namespace vcode
