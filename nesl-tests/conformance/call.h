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

/// What a result must look like.
struct Shape {
  ElemType type;
  std::int64_t length;
};

/// What the issuing function of a call gets: everything in the memory of the backend.
struct Placed {
  std::vector<Operand> operands;
  std::vector<SegmentMap> maps;
  std::vector<Result> results;
};

/// One operation with its data, to be run on any number of backends.
struct Call {
  std::string title;
  std::vector<HostVector> operands = {};
  std::vector<Segmentation> segmentations = {};
  std::vector<Shape> results = {};
  std::vector<int> reusable = {};  ///< operands that the first result may take the place of
  Agreement agreement = {};        ///< how close to the oracle the first result must be; others: same bits
  bool makes_heads = false;        ///< only for backends that want segment heads
  std::function<void(Backend&, const Placed&)> issue = {};
};

/// What a call left behind.
struct Outcome {
  std::vector<HostVector> results;
  Fault fault;
};

/// Runs a call on a backend. With `in_place` >= 0 the first result is that operand's memory. Damage to
/// operands or to the memory behind a result is reported as a test failure.
Outcome run(Backend& backend, const Call& call, int in_place = -1);

/// Checks that the results on `subject`, in place and not, are those on `oracle`, without faults.
void expect_same_as_oracle(Backend& subject, Backend& oracle, const Call& call);

/// Checks that both backends give the same bits, or the same fault.
void expect_same_bits(Backend& a, Backend& b, const Call& call);

/// Checks that `subject` reports the fault that `oracle` finds, and that there is one.
void expect_same_fault(Backend& subject, Backend& oracle, const Call& call);

}  // namespace cvl::conformance
