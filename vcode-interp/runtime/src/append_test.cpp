#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "oracle.h"
#include "runtime/evaluator.h"
#include "separate_memory.h"

namespace runtime {
namespace {

using vcode::Suffix;

/// Each test runs with unified memory (false) and with separate memory (true).
struct AppendTest : testing::TestWithParam<bool> {
  std::unique_ptr<Backend> device = GetParam() ? conformance::make_separate_memory(conformance::make_oracle({}))
                                               : conformance::make_oracle({}, conformance::Addresses::kAnyHost);
  Evaluator evaluator{*device, {}};

  Value vector(const std::vector<int>& elements) {
    if (elements.size() == 1) return Value::scalar(elements[0]);
    VectorObject* v = evaluator.heap().make_vector(ElemType::kI32, std::int64_t(elements.size()));
    if (v->host != nullptr)
      std::copy(elements.begin(), elements.end(), static_cast<int*>(v->host));
    else
      device->upload(v->device, elements.data(), elements.size() * sizeof(int));
    return Value::adopt(v);
  }
  std::vector<int> elements(const Value& v) {
    const auto* data = static_cast<const int*>(evaluator.heap().host_data(v));
    return std::vector<int>(data, data + v.length());
  }
  /// The parts behind each other, as one segment.
  template <class... Parts>
  Value appended(Parts... parts) {
    std::vector<Value> stack;
    (stack.push_back(std::move(parts)), ...);
    const Op op = stack.size() == 2 ? Op::kAppend : Op::kAppend3;
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < sizeof...(parts); ++k) {
      sum += stack[k].length();
      stack.push_back(Value::single_segment(stack[k].length()));
    }
    stack.push_back(Value::single_segment(sum));
    EXPECT_TRUE(evaluator.apply(op, Suffix::kInt, stack.data())) << evaluator.failure();
    return std::move(stack[0]);
  }
};

INSTANTIATE_TEST_SUITE_P(Memory, AppendTest, testing::Bool(),
                         [](const auto& memory) { return memory.param ? "separate" : "unified"; });

std::vector<int> numbers(int first, int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), first);
  return all;
}

std::vector<int> joined(const std::vector<std::vector<int>>& parts) {
  std::vector<int> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// The side on which a vector grows: behind, in front, or on both by an APPEND of three vectors.
enum class Side { kBehind, kFront, kBoth };

TEST_P(AppendTest, VectorsGrowOnEachSideByShortAndLongOnes) {
  for (const Side side : {Side::kBehind, Side::kFront, Side::kBoth})
    for (const int step : {1, 2, 63, 64, 1000}) {
      SCOPED_TRACE("step: " + std::to_string(step));
      std::vector<int> expected = numbers(0, 100);
      const std::vector<int> first = expected;
      Value grown = vector(first);
      for (int k = 1; k <= 40; ++k) {
        const std::vector<int> added = numbers(1000 * k, step), more = numbers(-1000 * k, step);
        switch (side) {
          case Side::kBehind:
            expected = joined({expected, added});
            grown = appended(std::move(grown), vector(added));
            break;
          case Side::kFront:
            expected = joined({added, expected});
            grown = appended(vector(added), std::move(grown));
            break;
          case Side::kBoth:
            expected = joined({added, expected, more});
            grown = appended(vector(added), std::move(grown), vector(more));
            break;
        }
        ASSERT_EQ(elements(grown), expected);
      }
    }
}

TEST_P(AppendTest, GrowingVectorsAreMovedFewTimes) {
  for (const bool at_front : {false, true}) {
    Value grown = vector(numbers(0, 1000));
    int moves = 0;
    for (int k = 0; k < 1000; ++k) {
      const VectorObject* const before = grown.vector();
      grown = at_front ? appended(Value::scalar(k), std::move(grown)) : appended(std::move(grown), Value::scalar(k));
      moves += grown.vector() != before;
    }
    // In room for twice as many elements, a thousand more take one move.
    EXPECT_EQ(moves, GetParam() ? 1000 : 3);
  }
}

TEST_P(AppendTest, SharedVectorsStayAsTheyAre) {
  for (const bool at_front : {false, true}) {
    Value grown = vector(numbers(0, 1000));
    for (int k = 0; k < 5; ++k)
      grown = at_front ? appended(Value::scalar(k), std::move(grown)) : appended(std::move(grown), Value::scalar(k));
    const std::vector<int> expected = elements(grown);
    const Value kept = grown;
    const auto grow = [&] { return at_front ? appended(Value::scalar(7), kept) : appended(kept, Value::scalar(7)); };
    grown.reset();
    const Value once = grow(), twice = grow();
    EXPECT_EQ(elements(kept), expected);
    EXPECT_EQ(elements(once), elements(twice));
    EXPECT_EQ(elements(appended(kept, kept)), joined({expected, expected}));
  }
}

/// Operations in place write vectors whose elements begin anywhere in the memory of the vector.
TEST_P(AppendTest, ExtendedVectorsCanBeUpdated) {
  std::vector<int> expected = numbers(0, 1000);
  Value grown = vector(expected);
  for (int k = 0; k < 9; ++k) {
    expected = joined({{k}, expected});
    grown = appended(Value::scalar(k), std::move(grown));
  }
  std::vector<Value> stack{std::move(grown), Value::scalar(3), Value::scalar(-5), Value::single_segment(1009)};
  ASSERT_TRUE(evaluator.apply(Op::kReplace, Suffix::kInt, stack.data())) << evaluator.failure();
  expected[3] = -5;
  EXPECT_EQ(elements(stack[0]), expected);
  stack[1] = stack[0];
  ASSERT_TRUE(evaluator.apply(Op::kAdd, Suffix::kInt, stack.data())) << evaluator.failure();
  for (int& x : expected) x *= 2;
  EXPECT_EQ(elements(stack[0]), expected);
}

TEST_P(AppendTest, MemoryIsReturned) {
  const auto grow = [&] {
    Value grown = vector(numbers(0, 1000));
    for (int k = 0; k < 100; ++k) grown = appended(vector(numbers(k, 100)), std::move(grown));
  };
  grow();
  const std::size_t live = device->memory_use().live;
  grow();
  EXPECT_EQ(device->memory_use().live, live);
  EXPECT_EQ(evaluator.heap().live(), 0u);
}

TEST_P(AppendTest, PartsMustMakeTheResult) {
  std::vector<Value> stack{vector(numbers(0, 200)), vector(numbers(0, 2)), Value::single_segment(200),
                           Value::single_segment(2), Value::single_segment(203)};
  EXPECT_FALSE(evaluator.apply(Op::kAppend, Suffix::kInt, stack.data()));
  EXPECT_EQ(evaluator.failure(), "APPEND INT: 200 and 2 elements do not make 203");
}

}  // namespace
}  // namespace runtime
