#pragma once

#include <cstdint>

#include "base/by_monoid.h"
#include "base/slot.h"

namespace cvl::cpu {

/// What a link of a chain does to the value so far, or with it.
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
  kScanSum,  ///< the exclusive scan
  kScanMax,
  kScanMin,
  kFoldSum,  ///< folds the value, and leaves it as it is; so do all that follow
  kFoldMax,
  kFoldMin,
  kStore,
  kStream,  ///< past the cache, to an address aligned to a vector
};

/// A link with its operand: one for each element, or (where it is uniform) the same kUniform elements for all of them.
struct ChainLink {
  ChainOp op = ChainOp::kTake;
  bool uniform = false;
  const void* operand = nullptr;
  std::int64_t ahead = 0;  ///< bytes from an element to the one to ask for meanwhile; 0: it is in the cache
  void* to = nullptr;      ///< of a fold its ChainSums, of a scan its ChainScan; where the first element is stored
};

/// The accumulation of a fold on its way, in the order of ScanKernels::Fold.
struct alignas(64) ChainSums {
  std::byte vectors[4 * 64];
};

/// A scan on its way through a segment.
struct ChainScan {
  Slot before = 0;      ///< what the next element gets
  bool begins = false;  ///< the next element is the first of the segment, and gets the identity
};

struct ChainKernels {
  /// Elements that a chain computes at a time, at most.
  static constexpr std::int64_t kUniform = 128;
  /// Computes elements [0, n) link by link, the value staying in registers. What is stored may be an operand, of later
  /// links too.
  using Run = void(const ChainLink* links, int count, std::int64_t n);
  using BeginFold = void(ChainSums& sums);
  using EndFold = Slot(const ChainSums& sums);

  Run* run[vcode::kElemTypes] = {};
  ByMonoid<BeginFold*> begin_fold;  ///< of Sum, Max and Min, as the next
  ByMonoid<EndFold*> end_fold;
};

}  // namespace cvl::cpu
