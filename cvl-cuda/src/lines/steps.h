#pragma once

#include <cstddef>
#include <cstdint>

#include "base/device_faults.h"
#include "operations/device_segments.h"
#include "operations/per_segment.h"

namespace cvl::cuda {

/// The functions of cvl::Backend that can be steps.
enum class StepKind : std::uint8_t { kElementwise, kScan, kReduce, kGather, kExtract, kDist, kIndex };

/// An operation on few elements, as an entry of the program of one block. What a kind does not need is left alone.
struct Step {
  StepKind kind = StepKind::kElementwise;
  Op op = Op::kExit;
  Monoid monoid = Monoid::kSum;
  ElemType type = ElemType::kI32;  ///< of the elements; of the last operand of an elementwise operation
  ElemType result = ElemType::kI32;
  ElemType index = ElemType::kI32;  ///< of indices
  std::uint32_t site = 0;
  std::int64_t length = 0;  ///< of the result
  void* to = nullptr;
  Source operands[3] = {};
  Segments over;  ///< of the elements
  Segments from;  ///< of the source of a gather
};

/// Steps that one block runs, one after the other: the argument of its kernel, of at most 4 KB.
struct Line {
  static constexpr int kMost = 22;

  FaultRecord* record;
  std::uint32_t* known;
  std::int64_t count;
  Step steps[kMost];
};
static_assert(sizeof(Line) <= 4000);

}  // namespace cvl::cuda
