#pragma once

#include <cstddef>
#include <cstdint>

#include "base/device_faults.h"
#include "base/letters.h"
#include "batches/deliveries.h"
#include "operations/device_segments.h"
#include "operations/per_segment.h"

namespace cvl::cuda {

/// The functions of cvl::Backend that can be steps of a batch.
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
  kChosen,  ///< the flags of a merge of long vectors, as KeptPositions
  kOffsets,
  kHeads,
  kRank,
};

/// An operation on few elements, as one step of a batch. Members that a kind does not use have their initial values.
struct Step {
  StepKind kind = StepKind::kElementwise;
  Op op = Op::kExit;
  Monoid monoid = Monoid::kSum;
  ElemType type = ElemType::kI32;  ///< of the elements; for an elementwise operation, of the last operand
  ElemType result = ElemType::kI32;
  bool is_function = false;    ///< for an elementwise operation: see ops.def
  bool descending = false;     ///< for a rank
  std::uint8_t bytes[4] = {};  ///< size of an element of each operand
  std::uint32_t site = 0;
  std::int64_t length = 0;  ///< of the result
  void* to = nullptr;
  /// The operands of the function. For a scan or a reduction they include the identity element of its monoid and its
  /// empty value. For a join they are two vectors, the third vector or the flags, and the offsets (or the common
  /// length) of the segments of the second vector and of the third. For the flags of a merge they are none,
  /// KeptPositions
  /// ::bases and the flags. For offsets they are the lengths, and the addresses
  /// where the nonempty segments and the Summary go.
  Source operands[5] = {};
  Segments over;   ///< of the elements
  Segments other;  ///< of the source of a gather or slice, of the result of a scatter, of the first vector of a join

  void set(int k, const Operand& operand) {
    operands[k] = source_of(operand);
    bytes[k] = static_cast<std::uint8_t>(elem_size(operand.type));
  }
};

/// The most offsets that one block makes, and the most elements whose head bits it makes.
inline constexpr std::int64_t kOffsetsInLine = 2048, kHeadsInLine = 65536;
/// The steps of a batch, which one block runs one after the other, behind the deliveries. The argument of the kernel.
struct Batch {
  static constexpr int kMost = 19, kMostWithReply = 17;

  FaultRecord* record = nullptr;
  std::uint32_t* known = nullptr;
  std::int32_t count = 0;
  bool replies = false;
  Deliveries deliveries;
  Step steps[kMostWithReply];
  union Rest {
    Step steps[kMost - kMostWithReply];  ///< unless the batch replies
    Letters letters;                     ///< what the block replies with in the end

    Rest() : steps{} {}
  } rest;

  VC_HD Step& step(std::int64_t k) { return k < kMostWithReply ? steps[k] : rest.steps[k - kMostWithReply]; }
  VC_HD const Step& step(std::int64_t k) const { return const_cast<Batch*>(this)->step(k); }
};
static_assert(sizeof(Batch) <= 6500);

}  // namespace cvl::cuda
