#pragma once

#include "base/scratch.h"
#include "operations/device_operations.h"
#include "operations/device_segments.h"
#include "operations/tiled.h"
#include "vcode/arith.h"

namespace cvl::cuda {

/// Where true flags are among others.
struct KeptPlaces {
  const SegmentHeads* words;  ///< the flags as bits, with the number of true ones before them in their tile
  const std::int64_t* bases;  ///< true flags before each tile; then that of all

  VC_HD bool is_kept(std::int64_t e) const { return (words[e / 32].bits >> (e % 32) & 1) != 0; }
  /// True flags up to and including that of element e.
  VC_HD std::int64_t count_to(std::int64_t e) const {
    const SegmentHeads word = words[e / 32];
    return bases[e / kTile] + word.before + count_bits(word.bits << (31 - e % 32));
  }
};

/// So each element finds its place in the result by itself.
class BitPlan final : public PackPlan {
 public:
  BitPlan(Pool& pool, std::int64_t elements) : words(pool, head_words(elements)), bases(pool, tiles_of(elements) + 1) {}
  KeptPlaces places() const { return {words.data(), bases.data()}; }

  Scratch<SegmentHeads> words;
  Scratch<std::int64_t> bases;
};

/// Fills a plan, but for the number of kept elements, and counts those of each segment; one launch.
void make_bit_plan(const Context& context, Operand flags, const SegmentMap& map, Result lengths, BitPlan& plan);

}  // namespace cvl::cuda
