#include "oracle_ranges.h"

#include "oracle_elements.h"

namespace cvl::conformance {

void OracleRanges::slice(const Operand& a, const Operand& start, const SegmentDescriptor& descriptor,
                         const Result& result) {
  check(a, "slice");
  check(start, "slice");
  check_result(result, "slice");
  check_map(descriptor, "slice");
  check_same_length(start.length, descriptor.segments, "slice");
  check_same_length(result.length, descriptor.elements, "slice");
  check_same_type(a.type, result.type, "slice");
  check_overlap(a, result, false, "slice");
  check_overlap(start, result, false, "slice");
  for (std::int64_t k = 0; k < descriptor.segments; ++k) {
    for (std::int64_t e = descriptor.start(k); e < descriptor.start(k + 1); ++e) {
      const std::int64_t position = load_int(start, k) + (e - descriptor.start(k));
      if (position < 0 || position >= a.length) {
        report({FaultKind::kIndexRange, site_, e, position, a.length});
        zero_element(result, e);
      } else {
        copy_element(result, e, a, position);
      }
    }
  }
}

void OracleRanges::check_join(const Join& join, const Result& result, const char* operation) const {
  check(join.a, operation);
  check(join.b, operation);
  check_result(result, operation);
  check_map(join.of_a, operation);
  check_map(join.of_b, operation);
  check_map(join.to, operation);
  check_same_length(join.a.length, join.of_a.elements, operation);
  check_same_length(join.b.length, join.of_b.elements, operation);
  check_same_length(join.a.length + join.b.length, join.to.elements, operation);
  check_same_length(result.length, join.to.elements, operation);
  check_same_type(join.a.type, result.type, operation);
  check_same_type(join.b.type, result.type, operation);
  check_overlap(join.a, result, false, operation);
  check_overlap(join.b, result, false, operation);
}

void OracleRanges::append(const Join& join, const Result& result) {
  check_join(join, result, "append");
  check_same_length(join.of_a.segments, join.to.segments, "append");
  check_same_length(join.of_b.segments, join.to.segments, "append");
  std::int64_t at = 0;
  for (std::int64_t k = 0; k < join.to.segments; ++k) {
    for (std::int64_t e = join.of_a.start(k); e < join.of_a.start(k + 1); ++e) copy_element(result, at++, join.a, e);
    for (std::int64_t e = join.of_b.start(k); e < join.of_b.start(k + 1); ++e) copy_element(result, at++, join.b, e);
    if (at != join.to.start(k + 1)) {
      const std::int64_t begin = join.to.start(k);
      return report({FaultKind::kLengthMismatch, site_, k, at - begin, join.to.start(k + 1) - begin});
    }
  }
}

void OracleRanges::merge(const Operand& flags, const Join& join, const Result& result) {
  check_join(join, result, "merge");
  check(flags, "merge");
  check_same_length(flags.length, join.to.segments, "merge");
  check_same_length(join.of_a.segments + join.of_b.segments, join.to.segments, "merge");
  check_overlap(flags, result, false, "merge");
  std::int64_t chosen = 0;
  for (std::int64_t k = 0; k < flags.length; ++k) chosen += load<bool>(flags, k);
  if (chosen != join.of_a.segments) return report({FaultKind::kFlagCount, site_, 0, chosen, join.of_a.segments});
  std::int64_t next[2] = {0, 0};  // next segment of b, of a
  for (std::int64_t k = 0; k < join.to.segments; ++k) {
    const bool from_a = load<bool>(flags, k);
    const SegmentDescriptor& descriptor = from_a ? join.of_a : join.of_b;
    const std::int64_t segment = next[from_a]++;
    const std::int64_t n = descriptor.start(segment + 1) - descriptor.start(segment);
    const std::int64_t begin = join.to.start(k), room = join.to.start(k + 1) - begin;
    if (n != room) return report({FaultKind::kLengthMismatch, site_, k, n, room});
    for (std::int64_t j = 0; j < n; ++j)
      copy_element(result, begin + j, from_a ? join.a : join.b, descriptor.start(segment) + j);
  }
}

}  // namespace cvl::conformance
