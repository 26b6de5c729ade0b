#pragma once

#include "base/scratch.h"
#include "operations/device_operations.h"
#include "operations/device_segments.h"
#include "operations/tiled.h"
#include "vcode/arith.h"

namespace cvl::cuda {

/// Positions of the true flags among all flags.
struct KeptPositions {
  const SegmentHeads* words;  ///< the flags as bits, with the number of true flags before them in their tile
  const std::int64_t* bases;  ///< number of true flags before each tile, then their total number

  VC_HD bool is_kept(std::int64_t e) const { return (words[e / 32].bits >> (e % 32) & 1) != 0; }
  /// Number of true flags up to and including that of element e.
  VC_HD std::int64_t count_to(std::int64_t e) const {
    const SegmentHeads word = words[e / 32];
    return bases[e / kTile] + word.before + count_bits(word.bits << (31 - e % 32));
  }
};

/// A plan with which each element finds its index in the result without a scan.
class BitPlan final : public PackPlan {
 public:
  BitPlan(Pool& pool, std::int64_t elements) : words(pool, head_words(elements)), bases(pool, tiles_of(elements) + 1) {}
  KeptPositions positions() const { return {words.data(), bases.data()}; }

  Scratch<SegmentHeads> words;
  Scratch<std::int64_t> bases;
};

/// Fills a plan, except the number of kept elements, and counts the kept elements of each segment; one launch. Replies
/// with the number of kept elements, as an std::int64_t, if there are any flags.
void make_bit_plan(const Context& context, Operand flags, const SegmentDescriptor& descriptor, Result lengths,
                   BitPlan& plan, const Reply& reply);

}  // namespace cvl::cuda
