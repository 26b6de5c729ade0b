#pragma once

#include <cstdint>
#include <limits>

#include "runtime/heap.h"

// Facts about vectors that need no look at their elements (VectorObject::known): with them MAKE_SEGDES need not wait
// for a device that computes lengths.

namespace runtime {

inline void note(const Value& vector, Known known, std::int64_t number) {
  if (vector.tag() != Value::Tag::kVector || number < 0 || number > std::numeric_limits<std::int32_t>::max()) return;
  vector.vector()->known = known;
  vector.vector()->number = static_cast<std::int32_t>(number);
}

/// Whether all elements of a vector follow from what is noted.
inline bool has_known_elements(const VectorObject& vector) {
  return vector.known == Known::kEach || (vector.known == Known::kSum && vector.length == 1);
}

/// Notes that all elements of a vector are the same number.
inline void note_all(const Value& vector, const Value& number) {
  if (!number.is_scalar() || number.kind() != Kind::kInt) return;
  note(vector, Known::kEach, number.type() == ElemType::kI32 ? number.get<std::int32_t>() : number.get<std::int64_t>());
}

/// Notes the sum of a vector of which no element is negative; nothing if it is negative itself, as known_sum() of a
/// vector of which nothing is known, or large.
inline void note_sum(const Value& vector, std::int64_t sum) {
  if (vector.tag() == Value::Tag::kVector && vector.vector()->known == Known::kNothing) note(vector, Known::kSum, sum);
}

/// Whether all elements are noted to be the same number.
inline bool is_each_known(const Value& vector) {
  return vector.tag() == Value::Tag::kVector && vector.vector()->known == Known::kEach;
}

/// The sum of the elements; -1 if it is not known, or some may be negative.
inline std::int64_t known_sum(const Value& vector) {
  if (vector.tag() != Value::Tag::kVector) return -1;
  const VectorObject& v = *vector.vector();
  std::int64_t sum = v.number;
  if (v.known == Known::kNothing || (v.known == Known::kEach && __builtin_mul_overflow(v.length, sum, &sum))) return -1;
  return sum;
}
/// Notes what follows for a DIST of some values over a descriptor.
inline void note_spread(const Value& result, const Value& values, const Value& descriptor) {
  if (values.is_scalar()) return note_all(result, values);
  if (is_each_known(values)) return note(result, Known::kEach, values.vector()->number);
  const std::int64_t sum = known_sum(values);
  const bool is_regular = descriptor.tag() == Value::Tag::kSegdes && descriptor.segdes()->regular_length >= 0;
  std::int64_t all = 0;
  if (sum >= 0 && is_regular && !__builtin_mul_overflow(sum, descriptor.segdes()->regular_length, &all))
    note_sum(result, all);
}

/// The number of false flags, if that of true ones is known; else, and for other vectors, -1.
inline std::int64_t sum_of_opposites(const Value& flags) {
  const std::int64_t sum = known_sum(flags);
  return sum < 0 || flags.type() != ElemType::kB8 ? -1 : flags.length() - sum;
}
/// The sum of two sums, or -1 if one is not known.
inline std::int64_t joined_sum(std::int64_t a, std::int64_t b) { return a < 0 || b < 0 ? -1 : a + b; }

/// The sum of the result of an operation, if it follows from those of its operands; else -1.
inline std::int64_t sum_of_result(Op op, const Value* operands) {
  if (op == Op::kAdd) return joined_sum(known_sum(operands[0]), known_sum(operands[1]));
  if (op == Op::kNot) return sum_of_opposites(operands[0]);
  return op == Op::kBoolToInt || op == Op::kSumReduce ? known_sum(operands[0]) : -1;
}

/// Copies at most `most` lengths that the backend has read to the host, as it forgets them when it reads others.
inline void keep_read(Heap& heap, std::int64_t most, const Value& lengths) {
  if (lengths.tag() != Value::Tag::kVector || lengths.length() > most || lengths.vector()->host != nullptr) return;
  if (lengths.length() > 0 && !heap.device().would_wait(lengths.vector()->device)) (void)heap.host_data(lengths);
}

/// The summary of lengths that are noted to be the same. False if they are not, or their sum is too large.
inline bool summarize_equal(const Value& lengths, LengthsSummary& summary) {
  if (!is_each_known(lengths)) return false;
  const std::int64_t each = lengths.vector()->number;
  if (lengths.length() > 0) summary.regular_length = each;
  summary.has_empty = each == 0;
  summary.total = known_sum(lengths);
  return summary.total >= 0;
}
/// The summary of lengths whose sum is noted. They may be equal, or zero.
inline bool summarize_sum(const Value& lengths, LengthsSummary& summary) {
  if (lengths.tag() != Value::Tag::kVector || lengths.vector()->known != Known::kSum) return false;
  summary = {known_sum(lengths), -1, true};
  return true;
}

}  // namespace runtime
