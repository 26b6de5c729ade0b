#pragma once

#include <cstdint>
#include <optional>

#include "base/by_monoid.h"
#include "base/slot.h"

namespace cvl::cpu {

/// What a link of a chain does to the value so far, or with it. For each operation with a VC_LINK row in ops.def there
/// are `value op operand`, `operand op value` (From) and `value op value` (Self); for each monoid the exclusive scan of
/// the value, and a fold, which leaves the value as it is. So do the stores.
enum class ChainOp : std::uint8_t {
  kTake,  ///< takes the operand; the first link does this
#define VC_LINK(Name, ...) k##Name, k##Name##From, k##Name##Self,
#include "vcode/ops.def"
#define VC_MONOID(Name, ...) kScan##Name, kFold##Name,
#include "vcode/ops.def"
  kStore,
  kStream,  ///< past the cache, to an address aligned to a vector
};

/// The links that compute an operation: with the value as first operand, as second, as both.
struct LinkForms {
  ChainOp first, second, both;
};

/// Nothing if the operation has no VC_LINK row.
constexpr std::optional<LinkForms> link_forms(Op op) {
  switch (op) {
#define VC_LINK(Name, ...) \
  case Op::k##Name:        \
    return LinkForms{ChainOp::k##Name, ChainOp::k##Name##From, ChainOp::k##Name##Self};
#include "vcode/ops.def"
    default:
      return std::nullopt;
  }
}

constexpr ChainOp scan_link(Monoid monoid) {
  constexpr ChainOp kLinks[] = {
#define VC_MONOID(Name, ...) ChainOp::kScan##Name,
#include "vcode/ops.def"
  };
  return kLinks[static_cast<int>(monoid)];
}

constexpr ChainOp fold_link(Monoid monoid) {
  constexpr ChainOp kLinks[] = {
#define VC_MONOID(Name, ...) ChainOp::kFold##Name,
#include "vcode/ops.def"
  };
  return kLinks[static_cast<int>(monoid)];
}

/// Whether chains are computed with elements of a type.
constexpr bool has_chains(ElemType type) { return type != ElemType::kB8; }

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
  ByMonoid<BeginFold*> begin_fold;
  ByMonoid<EndFold*> end_fold;
};

}  // namespace cvl::cpu
