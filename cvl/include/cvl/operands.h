#pragma once

#include <cstdint>

#include "vcode/fault_kind.h"
#include "vcode/op.h"
#include "vcode/random_key.h"
#include "vcode/types.h"

namespace cvl {

using vcode::elem_size;
using vcode::ElemType;
using vcode::FaultKind;
using vcode::Monoid;
using vcode::Op;
using vcode::RandomKey;

/// A vector that an operation reads. `data` is an address of the backend's memory.
struct Operand {
  ElemType type = ElemType::kI32;
  std::int64_t length = 0;
  const void* data = nullptr;
  /// Only for one element, where memory is not unified: `data` is an address in host memory, read before the operation
  /// returns.
  bool on_host = false;
};

/// A vector that an operation fills.
struct Result {
  ElemType type = ElemType::kI32;
  std::int64_t length = 0;
  void* data = nullptr;
};

/// Positions of segment starts among 32 consecutive elements.
struct alignas(8) SegmentHeads {
  std::uint32_t bits = 0;    ///< bit j is set if element j of the 32 is the first of its segment
  std::uint32_t before = 0;  ///< number of heads before these 32 elements
};

constexpr std::int64_t head_words(std::int64_t elements) { return (elements + 31) / 32; }

/// The segment descriptor of a vector. Regular descriptors (a single segment included) need no memory.
struct SegmentDescriptor {
  std::int64_t segments = 0;
  std::int64_t elements = 0;
  std::int64_t regular_length = -1;       ///< the length of every segment, or -1 if they differ
  const std::int64_t* offsets = nullptr;  ///< if irregular: start of each segment, then `elements`
  /// Only in irregular descriptors, for a backend that wants_segment_heads(): the descriptor expanded, for finding the
  /// segment of an element in constant time. Takes a quarter of a byte per element, where the segment ids of Bergstrom
  /// and Reppy, "Nested data-parallelism on the GPU" (ICFP 2012) take four bytes. Null from 2^31 segments on.
  const SegmentHeads* heads = nullptr;  ///< head_words(elements) entries
  /// With heads, unless no segment is empty: the segments that are not, and as entry `segments` their number. Entries
  /// between are undefined.
  const std::int32_t* nonempty = nullptr;

  static SegmentDescriptor single(std::int64_t elements) { return {1, elements, elements, nullptr, nullptr}; }
  bool is_single() const { return segments == 1; }
  bool is_regular() const { return regular_length >= 0; }
  /// First element of segment k; for k == segments, the number of elements. Host code only if `offsets` is readable
  /// there.
  std::int64_t start(std::int64_t k) const { return is_regular() ? k * regular_length : offsets[k]; }
};

}  // namespace cvl
