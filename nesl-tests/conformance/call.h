#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "agreement.h"
#include "cvl/backend.h"
#include "host_vector.h"
#include "segmentation.h"

namespace cvl::conformance {

/// Type and length of a result.
struct Shape {
  ElemType type;
  std::int64_t length;
};

/// The arguments of the function that issues a call: everything in the memory of the backend.
struct Placed {
  std::vector<Operand> operands;
  std::vector<SegmentDescriptor> descriptors;
  std::vector<Result> results;
  std::vector<Result> rooms;
};

/// One operation with its data, for any number of backends.
struct Call {
  std::string title;
  std::vector<HostVector> operands = {};
  std::vector<Segmentation> segmentations = {};
  std::vector<Shape> results = {};
  std::vector<Shape> rooms = {};   ///< vectors that the operation may write, without a meaning before and after
  std::vector<int> reusable = {};  ///< operands whose memory the first result may share
  Agreement agreement = {};        ///< of the first result with the oracle's; other results must have the same bits
  bool makes_heads = false;        ///< only for backends that want segment heads
  std::function<void(Backend&, const Placed&)> issue = {};
};

/// The results of a call.
struct Outcome {
  std::vector<HostVector> results;
  Fault fault;
};

/// Runs a call on a backend. With `in_place` >= 0 the first result shares the memory of that operand. Damage to
/// operands or to the memory behind a result is reported as a test failure.
Outcome run(Backend& backend, const Call& call, int in_place = -1);

/// Checks that the results on `subject`, in place and not, agree with those on `oracle`, without faults.
void expect_same_as_oracle(Backend& subject, Backend& oracle, const Call& call);

/// Checks that both backends give the same bits, or the same fault.
void expect_same_bits(Backend& a, Backend& b, const Call& call);

/// Checks that `subject` reports the fault that `oracle` finds, and that there is one.
void expect_same_fault(Backend& subject, Backend& oracle, const Call& call);

}  // namespace cvl::conformance
