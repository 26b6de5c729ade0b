#pragma once

#include <cstdint>

namespace vcode {

/// Kinds of faults in the data of an instruction, found while it runs.
enum class FaultKind : std::uint8_t {
  kNone,
  kDivideByZero,
  kDivideOverflow,   ///< most negative integer divided by -1
  kShiftCount,       ///< shift count negative or not below the width
  kFloatToInt,       ///< NaN, or outside the integer range
  kRandomBound,      ///< RAND with bound 0
  kIndexRange,       ///< index outside its segment
  kDuplicateTarget,  ///< two elements of a PERMUTE or FPERMUTE with the same target
  kLengthMismatch,   ///< APPEND, MERGE: a segment of the result and its source have different lengths
  kFlagCount,        ///< MERGE: the number of true flags is not the number of segments they select
  kNegativeLength,   ///< MAKE_SEGDES with a negative length
  kLengthOverflow,   ///< lengths whose sum does not fit in 63 bits
  kFalse,            ///< ASSERT of a false value
  kUnmet,            ///< REQUIRE of a relation that does not hold for its two numbers
  kOutside,          ///< BOUND of an index that is negative or not below its bound
  kOutOfMemory,      ///< no room for the working memory of an operation
};

}  // namespace vcode
