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

template <int n>
void OracleRanges::check_join(const Join<n>& join, const Result& result, const char* operation) const {
  for (const JoinPart& part : join.parts) {
    check_same_length(part.a.length, part.descriptor.elements, operation);
    check_same_type(part.a.type, result.type, operation);
    check_overlap(part.a, result, false, operation);
  }
  check_same_length(join.elements(), join.to.elements, operation);
  check_same_length(result.length, join.to.elements, operation);
}

void OracleRanges::compute(const Append& append) {
  const auto& [parts, to] = append.join;
  check_join(append.join, append.result, "append");
  for (const JoinPart& part : parts) check_same_length(part.descriptor.segments, to.segments, "append");
  std::int64_t at = 0;
  for (std::int64_t k = 0; k < to.segments; ++k) {
    for (const JoinPart& part : parts)
      for (std::int64_t e = part.descriptor.start(k); e < part.descriptor.start(k + 1); ++e)
        copy_element(append.result, at++, part.a, e);
    if (at != to.start(k + 1)) {
      const std::int64_t begin = to.start(k);
      return report({FaultKind::kLengthMismatch, site_, k, at - begin, to.start(k + 1) - begin});
    }
  }
}

void OracleRanges::compute(const Merge& merge) {
  const auto& [a, b] = merge.join.parts;
  check_join(merge.join, merge.result, "merge");
  check_same_length(merge.flags.length, merge.join.to.segments, "merge");
  check_same_length(a.descriptor.segments + b.descriptor.segments, merge.join.to.segments, "merge");
  check_overlap(merge.flags, merge.result, false, "merge");
  std::int64_t chosen = 0;
  for (std::int64_t k = 0; k < merge.flags.length; ++k) chosen += load<bool>(merge.flags, k);
  if (chosen != a.descriptor.segments) return report({FaultKind::kFlagCount, site_, 0, chosen, a.descriptor.segments});
  std::int64_t next[2] = {0, 0};  // next segment of b, of a
  for (std::int64_t k = 0; k < merge.join.to.segments; ++k) {
    const bool from_a = load<bool>(merge.flags, k);
    const auto& [elements, descriptor] = from_a ? a : b;
    const std::int64_t segment = next[from_a]++;
    const std::int64_t n = descriptor.start(segment + 1) - descriptor.start(segment);
    const std::int64_t begin = merge.join.to.start(k), room = merge.join.to.start(k + 1) - begin;
    if (n != room) return report({FaultKind::kLengthMismatch, site_, k, n, room});
    for (std::int64_t j = 0; j < n; ++j) copy_element(merge.result, begin + j, elements, descriptor.start(segment) + j);
  }
}

}  // namespace cvl::conformance
