#pragma once

#include <cstdint>

#include "base/device_faults.h"
#include "batches/any_vector.h"
#include "executor/blocks.h"
#include "operations/bit_plan.h"
#include "operations/gathering.h"
#include "operations/tile_heads.h"
#include "vcode/arith.h"

namespace cvl::cuda {

using Bits = std::uint64_t;

CVL_DEVICE inline const bool* flags_of(const Step& step) { return static_cast<const bool*>(step.operands[2].data); }

/// A descriptor of a part of a join: an operand that has the offsets of segments, or their common length.
CVL_DEVICE inline Segments part_segments(const Step& step, int operand, std::int64_t segments) {
  Segments part;
  part.segments = segments;
  part.offsets = static_cast<const std::int64_t*>(step.operands[operand].data);
  part.regular_length = part.offsets != nullptr ? -1 : static_cast<std::int64_t>(step.operands[operand].only);
  part.elements = part.start<Starts::kAny>(segments);
  return part;
}

/// A step whose elements each come from one place, or from the number of their segment: BPERMUTE, EXTRACT, SLICE, DIST,
/// INDEX and joins. One loop has the code of all kinds, once each.
struct Placing {
  const Step& step;
  Faults faults;
  KeptPositions chosen;  ///< for a merge

  /// Element e, of segment k.
  CVL_DEVICE Found<Bits> find(std::int64_t e, std::int64_t k) const {
    switch (step.kind) {
      case StepKind::kGather:
        return gathering().find(e, k);
      case StepKind::kExtract:
        return extracting().find(k);
      case StepKind::kSlice:
        return slicing().find(e, k);
      case StepKind::kDist:
        return {AnyVector(step, 0)[k], true};
      case StepKind::kIndex:  // in 64 bits, of which the lower 32 are also right for 32-bit results
        return {AnyVector(step, 0)[k] + static_cast<Bits>(e - step.over.start<Starts::kAny>(k)) * AnyVector(step, 1)[k],
                true};
      case StepKind::kAppend:
        return {joined_element<Bits>(appending(), PartVectors<AnyVector, 3>{{{step, 0}, {step, 1}, {step, 2}}}, e, k),
                true};
      default:
        return {joined_element<Bits>(merging(), PartVectors<AnyVector, 2>{{{step, 0}, {step, 1}}}, e, k), true};
    }
  }
  /// Reports that element e is not in range. Its operands are intact: a result in place is stored later.
  CVL_DEVICE void report(std::int64_t e, std::int64_t k) const {
    if (step.kind == StepKind::kSlice) {
      const auto work = slicing();
      faults.report(FaultKind::kIndexRange, e, work.position(e, k), work.source_length);
    } else {
      const Segments& from = step.kind == StepKind::kGather ? step.other : step.over;
      faults.report(FaultKind::kIndexRange, e, AnyInts(step, 1)[e], from.length<Starts::kAny>(k));
    }
  }
  /// Whether each segment has one element of the result.
  CVL_DEVICE bool is_by_segments() const { return step.kind == StepKind::kExtract; }
  CVL_DEVICE bool is_join() const { return step.kind == StepKind::kAppend || step.kind == StepKind::kMerge; }
  /// Checks the length of segment k of a join.
  CVL_DEVICE void check(std::int64_t k) const {
    const auto check_of = [&](const auto& work) { work.check(k, work.fits() ? work.length(k) : -1, faults); };
    step.kind == StepKind::kAppend ? check_of(appending()) : check_of(merging());
  }

 private:
  CVL_DEVICE Gathering<Bits, AnyVector, AnyInts, AnyResult, Starts::kAny> gathering() const {
    return {AnyVector(step, 0), AnyInts(step, 1), flags_of(step), AnyResult(step), step.other, faults};
  }
  CVL_DEVICE Extracting<Bits, AnyVector, AnyInts, AnyResult, Starts::kAny> extracting() const {
    return {AnyVector(step, 0), AnyInts(step, 1), AnyResult(step), step.over, faults};
  }
  CVL_DEVICE Slicing<Bits, AnyVector, AnyInts, AnyResult, Starts::kAny> slicing() const {
    return {AnyVector(step, 0), step.other.elements, AnyInts(step, 1), AnyResult(step), step.over, faults};
  }
  CVL_DEVICE Appending appending() const {
    const std::int64_t segments = step.over.segments;
    return {{{step.other, part_segments(step, 3, segments), part_segments(step, 4, segments)}, step.over}};
  }
  CVL_DEVICE Merging merging() const {
    return {{{step.other, part_segments(step, 3, step.over.segments - step.other.segments)}, step.over}, chosen};
  }
};

/// Tile t of such a step, whose heads are known if its elements are not those of segments.
CVL_DEVICE inline void run_places_tile(const WideBlock& block, const Placing& work, std::int64_t t,
                                       const TileHeads& heads) {
  const Step& step = work.step;
  const AnyResult to(step);
  const std::int64_t first = t * kTile;
  block.for_each(count_in_tile(t, step.length), [&](std::int64_t j) {
    const std::int64_t e = first + j;
    const int in_tile = static_cast<int>(j);
    const std::int64_t k = work.is_by_segments() ? e : segment_of<Lookup::kHeads>(step.over, heads, in_tile);
    const Found<Bits> found = work.find(e, k);
    if (!found.in_range) work.report(e, k);
    to[e] = found.element;
  });
}

}  // namespace cvl::cuda
