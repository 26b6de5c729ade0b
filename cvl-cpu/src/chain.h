#pragma once

#include <cstdint>

#include "by_monoid.h"
#include "reduce.h"

namespace cvl::cpu {

/// What a link of a chain does to the value so far, with an operand.
enum class ChainOp : std::uint8_t {
  kTake,          ///< takes the operand; the first link does this
  kAdd,           ///< value + operand
  kSubtract,      ///< value - operand
  kSubtractFrom,  ///< operand - value
  kMultiply,
  kDivide,  ///< value / operand; floats only, as the next
  kDivideInto,
  kDouble,  ///< value + value
  kSquare,
};

/// A link with its operand: one for each element, or (where it is uniform) the same kUniform elements for all of them.
struct ChainLink {
  ChainOp op = ChainOp::kTake;
  const void* operand = nullptr;
  bool uniform = false;
  std::int64_t ahead = 0;  ///< bytes from an element to the one to ask for meanwhile; 0: it is in the cache
};

/// What becomes of the values at the end of a chain, besides being folded.
enum class ChainResult : std::uint8_t {
  kNone,
  kStored,
  kStreamed,  ///< past the cache; the result is aligned to a vector
};

struct ChainKernels {
  /// Elements that a chain computes at a time, at most.
  static constexpr std::int64_t kUniform = 128;
  /// Computes elements [0, n) link by link, the values staying in registers, and folds them in the order of
  /// ScanKernels::Fold. The result may be an operand.
  using Run = Slot(const ChainLink* links, int count, std::int64_t n, void* result, ChainResult mode);

  Run* run[vcode::kElemTypes] = {};  ///< folds nothing
  ByMonoid<Run*> fold;               ///< null for what is rare
};

}  // namespace cvl::cpu
