#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "device_backend.h"
#include "oracle.h"
#include "runtime/evaluator.h"
#include "subjects.h"

// Operations of the CUDA library that run out of memory, at every allocation and at every launch (a device loads the
// code of a kernel at its first launch), on the host executor.

namespace cvl::conformance {
namespace {

using cuda::DeviceBackend;
using runtime::Value;

constexpr std::size_t kMemory = std::numeric_limits<std::size_t>::max();
/// More allocations or launches than any operation makes.
constexpr std::int64_t kMost = 60;

/// Makes the nth allocation or launch from now on fail; 0: none.
using Refuse = void (*)(DeviceBackend&, std::int64_t n);
constexpr Refuse kRefusals[] = {
    [](DeviceBackend& backend, std::int64_t n) { backend.executor().pool().refuse(n); },
    [](DeviceBackend& backend, std::int64_t n) { backend.executor().refuse_launch(n); },
};

class Exhaustion : public testing::TestWithParam<Subject> {};

/// Runs the call with a failure at its first, second, … allocation or launch, until it succeeds.
void exhaust(DeviceBackend& backend, Backend& oracle, const Call& call) {
  const Outcome expected = run(oracle, call);
  for (const Refuse refuse : kRefusals) {
    for (std::int64_t n = 1;; ++n) {
      ASSERT_LE(n, kMost) << call.title;
      Call refused = call;
      refused.issue = [&](Backend& b, const Placed& placed) {
        refuse(backend, n);
        call.issue(b, placed);
        backend.flush();
        refuse(backend, 0);
      };
      const Outcome outcome = run(backend, refused);
      if (outcome.fault.kind == FaultKind::kNone) {
        for (std::size_t r = 0; r < call.results.size(); ++r) {
          auto difference =
              first_difference(expected.results[r], outcome.results[r], r == 0 ? call.agreement : Agreement{});
          ASSERT_FALSE(difference) << call.title << "\n  result " << r << ", " << *difference;
        }
        break;
      }
      ASSERT_EQ(outcome.fault.kind, FaultKind::kOutOfMemory) << call.title << ", refusal " << n;
      ASSERT_FALSE(backend.has_fault());
      expect_same_as_oracle(backend, oracle, call);
    }
  }
}

TEST_P(Exhaustion, IsAFaultAndLaterOperationsWork) {
  DeviceBackend backend(kMemory);
  auto oracle = make_oracle({});
  Rng rng(17);
  // Segments short enough for a single launch of one block, and longer ones.
  GetParam().calls({{500, 9000}, 0}, rng, [&](const Call& call) {
    if (!HasFatalFailure()) exhaust(backend, *oracle, call);
  });
  EXPECT_EQ(backend.memory_use().live, 0u);
}

std::string name_of(const testing::TestParamInfo<Subject>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Table, Exhaustion, testing::ValuesIn(all_subjects()), name_of);

/// Sums of segments, for which the evaluator makes offsets and heads of the descriptor.
TEST(Exhaustion, WhileADescriptorIsExpandedLeavesItUnexpanded) {
  constexpr int kSegments = 1000;
  DeviceBackend backend(kMemory);
  std::vector<int> lengths(kSegments), ones;
  for (int k = 0; k < kSegments; ++k) lengths[static_cast<std::size_t>(k)] = k % 20;
  ones.assign(static_cast<std::size_t>(std::accumulate(lengths.begin(), lengths.end(), 0)), 1);
  for (const Refuse refuse : kRefusals) {
    for (std::int64_t n = 1;; ++n) {
      ASSERT_LE(n, kMost);
      runtime::Evaluator evaluator(backend, {});
      auto vector = [&](const std::vector<int>& elements) {
        runtime::VectorObject* v = evaluator.heap().make_vector(ElemType::kI32, std::ssize(elements));
        backend.upload(v->device, elements.data(), elements.size() * sizeof(int));
        return Value::adopt(v);
      };
      const Value segments = evaluator.make_segdes(vector(lengths));
      Value stack[] = {vector(ones), segments};
      refuse(backend, n);
      const bool succeeded = evaluator.apply(Op::kSumReduce, vcode::Suffix::kInt, stack);
      refuse(backend, 0);
      if (!succeeded) {
        EXPECT_EQ(evaluator.fault().kind, FaultKind::kOutOfMemory);
        EXPECT_NE(evaluator.failure().find("out of memory"), std::string::npos) << evaluator.failure();
      }
      // The step of a session before its next statement.
      evaluator.forget_fault();
      if (!succeeded) {
        stack[0] = vector(ones);
        stack[1] = segments;
        ASSERT_TRUE(evaluator.apply(Op::kSumReduce, vcode::Suffix::kInt, stack)) << evaluator.failure();
      }
      const auto* const result = static_cast<const int*>(evaluator.heap().host_data(stack[0]));
      EXPECT_TRUE(std::equal(lengths.begin(), lengths.end(), result)) << "refusal " << n;
      if (succeeded) break;
    }
  }
  EXPECT_EQ(backend.memory_use().live, 0u);
}

}  // namespace
}  // namespace cvl::conformance
