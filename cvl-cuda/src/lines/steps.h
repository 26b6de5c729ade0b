#pragma once

#include <cstddef>
#include <cstdint>

#include "base/device_faults.h"
#include "operations/device_segments.h"
#include "operations/per_segment.h"

namespace cvl::cuda {

/// The functions of cvl::Backend that can be steps.
enum class StepKind : std::uint8_t {
  kElementwise,
  kScan,
  kReduce,
  kGather,
  kExtract,
  kReplace,
  kScatterOnce,  ///< without defaults
  kScatterLast,
  kDist,
  kIndex,
  kSlice,
  kAppend,
  kMerge,
  kHeads,
  kRank,
};

/// An operation on few elements, as an entry of the program of one block. What a kind does not need is left alone.
struct Step {
  StepKind kind = StepKind::kElementwise;
  Op op = Op::kExit;
  Monoid monoid = Monoid::kSum;
  ElemType type = ElemType::kI32;  ///< of the elements; of the last operand of an elementwise operation
  ElemType result = ElemType::kI32;
  bool is_function = false;    ///< of an elementwise operation: see ops.def
  bool descending = false;     ///< of a rank
  std::uint8_t bytes[4] = {};  ///< of an element of each operand
  std::uint32_t site = 0;
  std::int64_t length = 0;  ///< of the result
  void* to = nullptr;
  /// As those of the function; of a scan or a reduction also the neutral element of its monoid, and its identity. Of a
  /// join the two vectors, where the segments of the second begin (or how long each is), and the flags. Of heads
  /// where the non-empty segments go.
  Source operands[4] = {};
  Segments over;   ///< of the elements
  Segments other;  ///< of the source of a gather or slice, of the result of a scatter, of the first vector of a join

  void set(int k, const Operand& operand) {
    operands[k] = source_of(operand);
    bytes[k] = static_cast<std::uint8_t>(elem_size(operand.type));
  }
};

/// The most elements that are ranked by counting in one block: one a thread.
inline constexpr std::int64_t kRankedInLine = 256;

/// Steps that one block runs, one after the other: the argument of its kernel, of at most 4 KB.
struct Line {
  static constexpr int kMost = 20;

  FaultRecord* record;
  std::uint32_t* known;
  std::int64_t count;
  Step steps[kMost];
};
static_assert(sizeof(Line) <= 4000);

}  // namespace cvl::cuda
