#include "oracle_ranges.h"

#include "oracle_elements.h"

namespace cvl::conformance {

void OracleRanges::compute(const Slice& slice) {
  check_same_length(slice.start.length, slice.descriptor.segments, "slice");
  check_same_length(slice.result.length, slice.descriptor.elements, "slice");
  check_same_type(slice.a.type, slice.result.type, "slice");
  check_overlap(slice.a, slice.result, false, "slice");
  check_overlap(slice.start, slice.result, false, "slice");
  for (std::int64_t k = 0; k < slice.descriptor.segments; ++k) {
    for (std::int64_t e = slice.descriptor.start(k); e < slice.descriptor.start(k + 1); ++e) {
      const std::int64_t position = load_int(slice.start, k) + (e - slice.descriptor.start(k));
      if (position < 0 || position >= slice.a.length) {
        report({FaultKind::kIndexRange, site_, e, position, slice.a.length});
        zero_element(slice.result, e);
      } else {
        copy_element(slice.result, e, slice.a, position);
      }
    }
  }
}

void OracleRanges::check_join(const Join& join, const Result& result, const char* operation) const {
  check_same_length(join.a.length, join.of_a.elements, operation);
  check_same_length(join.b.length, join.of_b.elements, operation);
  check_same_length(join.a.length + join.b.length, join.to.elements, operation);
  check_same_length(result.length, join.to.elements, operation);
  check_same_type(join.a.type, result.type, operation);
  check_same_type(join.b.type, result.type, operation);
  check_overlap(join.a, result, false, operation);
  check_overlap(join.b, result, false, operation);
}

void OracleRanges::compute(const Append& append) {
  check_join(append.join, append.result, "append");
  check_same_length(append.join.of_a.segments, append.join.to.segments, "append");
  check_same_length(append.join.of_b.segments, append.join.to.segments, "append");
  std::int64_t at = 0;
  for (std::int64_t k = 0; k < append.join.to.segments; ++k) {
    for (std::int64_t e = append.join.of_a.start(k); e < append.join.of_a.start(k + 1); ++e)
      copy_element(append.result, at++, append.join.a, e);
    for (std::int64_t e = append.join.of_b.start(k); e < append.join.of_b.start(k + 1); ++e)
      copy_element(append.result, at++, append.join.b, e);
    if (at != append.join.to.start(k + 1)) {
      const std::int64_t begin = append.join.to.start(k);
      return report({FaultKind::kLengthMismatch, site_, k, at - begin, append.join.to.start(k + 1) - begin});
    }
  }
}

void OracleRanges::compute(const Merge& merge) {
  check_join(merge.join, merge.result, "merge");
  check_same_length(merge.flags.length, merge.join.to.segments, "merge");
  check_same_length(merge.join.of_a.segments + merge.join.of_b.segments, merge.join.to.segments, "merge");
  check_overlap(merge.flags, merge.result, false, "merge");
  std::int64_t chosen = 0;
  for (std::int64_t k = 0; k < merge.flags.length; ++k) chosen += load<bool>(merge.flags, k);
  if (chosen != merge.join.of_a.segments)
    return report({FaultKind::kFlagCount, site_, 0, chosen, merge.join.of_a.segments});
  std::int64_t next[2] = {0, 0};  // next segment of b, of a
  for (std::int64_t k = 0; k < merge.join.to.segments; ++k) {
    const bool from_a = load<bool>(merge.flags, k);
    const SegmentDescriptor& descriptor = from_a ? merge.join.of_a : merge.join.of_b;
    const std::int64_t segment = next[from_a]++;
    const std::int64_t n = descriptor.start(segment + 1) - descriptor.start(segment);
    const std::int64_t begin = merge.join.to.start(k), room = merge.join.to.start(k + 1) - begin;
    if (n != room) return report({FaultKind::kLengthMismatch, site_, k, n, room});
    for (std::int64_t j = 0; j < n; ++j)
      copy_element(merge.result, begin + j, from_a ? merge.join.a : merge.join.b, descriptor.start(segment) + j);
  }
}

}  // namespace cvl::conformance
