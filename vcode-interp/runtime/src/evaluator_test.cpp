#include "runtime/evaluator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <vector>

#include "oracle.h"
#include "separate_memory.h"

namespace runtime {
namespace {

using vcode::Suffix;

/// Each test runs with unified memory (false) and with separate memory (true).
struct EvaluatorTest : testing::TestWithParam<bool> {
  std::unique_ptr<Backend> device = GetParam() ? conformance::make_separate_memory(conformance::make_oracle({}))
                                               : conformance::make_oracle({}, conformance::Addresses::kAnyHost);
  Evaluator evaluator{*device, {}};

  template <class T>
  Value vector(const std::vector<T>& elements) {
    return vector(elements, evaluator);
  }
  template <class T>
  Value vector(const std::vector<T>& elements, Evaluator& of) {
    if (elements.size() == 1) return Value::scalar(elements[0]);
    const auto n = static_cast<std::int64_t>(elements.size());
    VectorObject* v = of.heap().make_vector(vcode::kElemTypeOf<T>, n);
    if (v->host != nullptr)
      std::copy(elements.begin(), elements.end(), static_cast<T*>(v->host));
    else
      device->upload(v->device, elements.data(), elements.size() * sizeof(T));
    return Value::adopt(v);
  }
  template <class T>
  std::vector<T> elements(const Value& v) {
    const auto* data = static_cast<const T*>(evaluator.heap().host_data(v));
    return std::vector<T>(data, data + v.length());
  }
  std::vector<int> iota(int n) {
    std::vector<int> v(static_cast<std::size_t>(n));
    std::iota(v.begin(), v.end(), 0);
    return v;
  }
};

INSTANTIATE_TEST_SUITE_P(Memory, EvaluatorTest, testing::Bool(),
                         [](const auto& memory) { return memory.param ? "separate" : "unified"; });

TEST_P(EvaluatorTest, ShortAndLongVectorsAgree) {
  for (int n : {2, 64, 65, 1000}) {
    std::vector<Value> stack{vector(iota(n)), vector(iota(n))};
    ASSERT_TRUE(evaluator.apply(Op::kAdd, Suffix::kInt, stack.data())) << evaluator.failure();
    const std::vector<int> sum = elements<int>(stack[0]);
    for (int k = 0; k < n; ++k) EXPECT_EQ(sum[static_cast<std::size_t>(k)], 2 * k);
    EXPECT_EQ(stack[1].tag(), Value::Tag::kNone);
  }
}

TEST_P(EvaluatorTest, ScalarsSpreadOverLongVectorsAndReductionsReturnThem) {
  // DIST reads a scalar on the host and writes a vector on the device; a reduction does the reverse.
  std::vector<Value> stack{Value::scalar(7), Value::single_segment(1000)};
  ASSERT_TRUE(evaluator.apply(Op::kDist, Suffix::kInt, stack.data()));
  stack[1] = Value::single_segment(1000);
  ASSERT_TRUE(evaluator.apply(Op::kSumReduce, Suffix::kInt, stack.data()));
  EXPECT_EQ(elements<int>(stack[0]), std::vector<int>{7000});
  stack[1] = Value::scalar(1);
  ASSERT_TRUE(evaluator.apply(Op::kAdd, Suffix::kInt, stack.data()));
  EXPECT_EQ(elements<int>(stack[0]), std::vector<int>{7001});
}

TEST_P(EvaluatorTest, ShortDescriptorsServeLongVectors) {
  // The lengths and offsets of the descriptor are made on the host and read on the device.
  std::vector<Value> stack{vector(iota(300)), vector<int>({100, 0, 200})};
  ASSERT_TRUE(evaluator.apply(Op::kMakeSegdes, Suffix::kNone, &stack[1]));
  ASSERT_TRUE(evaluator.apply(Op::kSumReduce, Suffix::kInt, stack.data())) << evaluator.failure();
  EXPECT_EQ(elements<int>(stack[0]), (std::vector<int>{4950, 0, 39900}));
}

TEST_P(EvaluatorTest, LongDescriptorsServeShortVectors) {
  std::vector<int> lengths(500, 0);
  lengths[499] = 3;
  Value segdes = evaluator.make_segdes(vector(lengths));
  std::vector<Value> stack{vector<int>({1, 2, 3}), segdes};
  ASSERT_TRUE(evaluator.apply(Op::kSumReduce, Suffix::kInt, stack.data())) << evaluator.failure();
  EXPECT_EQ(elements<int>(stack[0]).back(), 6);
  EXPECT_EQ(elements<int>(evaluator.lengths_of(segdes)), lengths);
}

TEST_P(EvaluatorTest, RegularDescriptorsNeedNoLengths) {
  Value segdes = evaluator.make_segdes(vector(std::vector<int>(200, 5)));
  EXPECT_EQ(segdes.segdes()->regular_length, 5);
  EXPECT_EQ(segdes.elements(), 1000);
  EXPECT_EQ(elements<int>(evaluator.lengths_of(segdes)), std::vector<int>(200, 5));
}

TEST_P(EvaluatorTest, SegmentHeadsAreMadeOnceIfTheBackendWantsThem) {
  constexpr std::int64_t kFirst = 1, kLater = std::int64_t{1} << 32, kLast = kLater | 1 << 4;
  for (const bool has_empty : {false, true}) {
    Value segdes = evaluator.make_segdes(has_empty ? vector<int>({100, 0, 1}) : vector<int>({100, 1}));
    const void* heads = nullptr;
    for (int round = 0; round < 2; ++round) {
      std::vector<Value> stack{has_empty ? vector<int>({7, 8, 9}) : vector<int>({7, 9}), segdes};
      ASSERT_TRUE(evaluator.apply(Op::kDist, Suffix::kInt, stack.data())) << evaluator.failure();
      const Value& made = segdes.segdes()->heads;
      ASSERT_EQ(made.tag() != Value::Tag::kNone, device->wants_segment_heads());
      if (made.tag() == Value::Tag::kNone) continue;
      EXPECT_EQ(elements<std::int64_t>(made), (std::vector{kFirst, kLater, kLater, kLast}));
      // Behind the offsets are the segments with elements, two to an element, and their number.
      const std::vector<std::int64_t> offsets = elements<std::int64_t>(segdes.segdes()->offsets);
      if (has_empty) {
        EXPECT_EQ(offsets[4], kLater * 2);
        EXPECT_EQ(offsets[5] >> 32, 2);
      }
      EXPECT_TRUE(round == 0 || made.vector() == heads);
      heads = made.vector();
    }
  }
}

TEST_P(EvaluatorTest, PackMakesADescriptor) {
  for (int n : {6, 600}) {
    std::vector<std::uint8_t> flags(static_cast<std::size_t>(n), 0);
    for (std::size_t k = 0; k < flags.size(); k += 3) flags[k] = 1;
    VectorObject* f = evaluator.heap().make_vector(ElemType::kB8, n);
    if (f->host != nullptr)
      std::memcpy(f->host, flags.data(), flags.size());
    else
      device->upload(f->device, flags.data(), flags.size());
    std::vector<Value> stack{vector(iota(n)), Value::adopt(f), vector<int>({n / 2, n / 2})};
    ASSERT_TRUE(evaluator.apply(Op::kMakeSegdes, Suffix::kNone, &stack[2]));
    ASSERT_TRUE(evaluator.apply(Op::kPack, Suffix::kInt, stack.data())) << evaluator.failure();
    EXPECT_EQ(stack[0].length(), n / 3);
    EXPECT_EQ(elements<int>(evaluator.lengths_of(stack[1])), (std::vector<int>{n / 6, n / 6}));
  }
}

TEST_P(EvaluatorTest, ResultsReuseStorageOfDeadOperands) {
  std::vector<Value> stack{vector(iota(1000)), vector(iota(1000))};
  const VectorObject* first = stack[0].vector();
  const VectorObject* second = stack[1].vector();
  ASSERT_TRUE(evaluator.apply(Op::kAdd, Suffix::kInt, stack.data()));
  EXPECT_TRUE(stack[0].vector() == first || stack[0].vector() == second);
}

TEST_P(EvaluatorTest, SharedOperandsKeepTheirValue) {
  Value kept = vector(iota(1000));
  std::vector<Value> stack{kept, kept};
  ASSERT_TRUE(evaluator.apply(Op::kAdd, Suffix::kInt, stack.data()));
  EXPECT_EQ(elements<int>(kept), iota(1000));
  EXPECT_EQ(elements<int>(stack[0])[999], 1998);
}

TEST_P(EvaluatorTest, ResultsDoNotReuseSharedStorage) {
  // For each operation that reuses storage of operands: one operand at a time is shared, and then all are.
  for (const int n : {10, 1000}) {
    std::vector<int> targets = iota(n), other = iota(n), twos(static_cast<std::size_t>(n), 2);
    std::reverse(targets.begin(), targets.end());
    for (int& element : other) element = 5 + 7 * element;
    const Value segdes = Value::single_segment(n);
    std::vector<Value> flag_stack{vector(iota(n)), vector(twos)};
    ASSERT_TRUE(evaluator.apply(Op::kLess, Suffix::kInt, flag_stack.data()));
    const Value flags = flag_stack[0];
    struct Application {
      Op op;
      std::vector<Value> operands;
    };
    for (const auto& [op, operands] :
         {Application{Op::kSelect, {flags, vector(iota(n)), vector(other)}},
          Application{Op::kSumScan, {vector(other), segdes}},
          Application{Op::kBpermute, {vector(other), vector(targets), segdes, segdes}},
          Application{Op::kDpermute, {vector(other), vector(targets), vector(twos), segdes, segdes}},
          Application{Op::kReplace, {vector(other), vector<int>({3}), vector<int>({9}), segdes}}}) {
      std::vector<std::vector<int>> before;
      for (const Value& v : operands)
        before.push_back(v.is_vector() && v.kind() == vcode::Kind::kInt ? elements<int>(v) : std::vector<int>());
      std::vector<std::vector<int>> results;
      for (int held = 0; held < 2; ++held) {
        std::vector<Value> stack;
        for (std::size_t k = 0; k < operands.size(); ++k)
          stack.push_back(held == 0 || before[k].empty() ? operands[k] : vector(before[k]));
        ASSERT_TRUE(evaluator.apply(op, Suffix::kInt, stack.data())) << evaluator.failure();
        results.push_back(elements<int>(stack[0]));
      }
      EXPECT_EQ(results[0], results[1]) << vcode::info(op).text;
      for (std::size_t k = 0; k < operands.size(); ++k) {
        if (before[k].empty()) continue;
        EXPECT_EQ(elements<int>(operands[k]), before[k]) << vcode::info(op).text << ", operand " << k;
      }
    }
  }
}

/// Short operations on long tables. Where memory is unified, the host computes them.
TEST_P(EvaluatorTest, ShortOperationsOnLongTablesAgreeWithTheDevice) {
  Evaluator on_device(*device, {}, 0);
  constexpr int kLength = 1000, kBeyond = kLength + 7;
  const Value all = Value::single_segment(kLength), four = Value::single_segment(4);
  struct Application {
    Op op;
    int table;
    std::vector<int> indices;
    bool flagged = false;
    std::vector<Value> descriptors = {};  ///< and other operands behind
  };
  for (const Application& tried :
       std::initializer_list<Application>{{Op::kBpermute, 0, {3, 999, 3, 500}, false, {all, four}},
                                          {Op::kBfpermute, 0, {3, kBeyond, 0, 1}, true, {all, four}},
                                          {Op::kExtract, 0, {999}, false, {all}},
                                          {Op::kSlice, 0, {990}, false, {four}},
                                          {Op::kLatest, -1, {200, 999, 200, 71}, false, {four, all}},
                                          {Op::kReplace, 0, {999}, false, {Value::scalar(-1), all}},
                                          {Op::kDpermute, 2, {5, 999, 5, 0}, false, {four, all}},
                                          {Op::kDfpermute, 3, {5, kBeyond, 5, 64}, true, {four, all}}}) {
    SCOPED_TRACE(vcode::info(tried.op).text);
    const auto apply = [&](Evaluator& by, const std::vector<int>& at, bool is_shared) {
      std::vector<Value> stack;
      const int table = tried.table;
      if (table != 0) stack.push_back(vector<int>({7, 8, 9, 10}, by));
      stack.push_back(vector(at, by));
      if (tried.flagged) {
        stack.push_back(vector<int>({1, 9, 2, 3}, by));
        stack.push_back(vector<int>({5, 5, 5, 5}, by));
        EXPECT_TRUE(by.apply(Op::kLess, Suffix::kInt, &stack[stack.size() - 2]));
        stack.pop_back();
      }
      if (table >= 0) stack.insert(stack.begin() + table, vector(iota(kLength), by));
      const VectorObject* const object = table < 0 ? nullptr : stack[static_cast<std::size_t>(table)].vector();
      const Value held = is_shared && table >= 0 ? stack[static_cast<std::size_t>(table)] : Value();
      stack.insert(stack.end(), tried.descriptors.begin(), tried.descriptors.end());
      std::vector<int> result;
      if (by.apply(tried.op, Suffix::kInt, stack.data()) && by.settle()) result = elements<int>(stack[0]);
      if (result.size() == kLength) {
        EXPECT_EQ(stack[0].vector() == object, !is_shared);
      }
      if (held.is_vector()) {
        EXPECT_EQ(elements<int>(held), iota(kLength));
      }
      return result;
    };
    for (const bool is_shared : {false, true}) {
      const std::vector<int> expected = apply(on_device, tried.indices, is_shared);
      EXPECT_FALSE(expected.empty()) << on_device.failure();
      EXPECT_EQ(apply(evaluator, tried.indices, is_shared), expected);
      std::vector<int> wrong = tried.indices;
      wrong.back() = kBeyond;
      EXPECT_EQ(apply(on_device, wrong, is_shared), std::vector<int>());
      EXPECT_EQ(apply(evaluator, wrong, is_shared), std::vector<int>());
      EXPECT_EQ(evaluator.failure(), on_device.failure());
    }
  }
}

TEST_P(EvaluatorTest, SelectReadsOneVectorTwice) {
  for (const int n : {10, 1000}) {
    std::vector<Value> flags{vector(iota(n)), vector(std::vector<int>(static_cast<std::size_t>(n), 4))};
    ASSERT_TRUE(evaluator.apply(Op::kLess, Suffix::kInt, flags.data()));
    std::vector<int> expected = iota(n);
    {
      Value twice = vector(iota(n));
      std::vector<Value> stack{flags[0], twice, twice};
      twice.reset();
      ASSERT_TRUE(evaluator.apply(Op::kSelect, Suffix::kInt, stack.data()));
      EXPECT_EQ(elements<int>(stack[0]), expected);
    }
    // The flags are also both alternatives: f if f else f.
    std::vector<Value> stack{flags[0], flags[0], flags[0]};
    ASSERT_TRUE(evaluator.apply(Op::kSelect, Suffix::kBool, stack.data()));
    EXPECT_EQ(elements<bool>(stack[0]), elements<bool>(flags[0]));
  }
}

TEST_P(EvaluatorTest, FailuresNameInstructionCauseAndValues) {
  auto failure = [&](Op op, Suffix suffix, std::vector<Value> stack) {
    EXPECT_FALSE(evaluator.apply(op, suffix, stack.data()));
    return evaluator.failure();
  };
  EXPECT_EQ(failure(Op::kAdd, Suffix::kInt, {vector<int>({1, 2}), vector<int>({1, 2, 3})}),
            "+ INT: b has 3 elements but a has 2 elements");
  EXPECT_EQ(failure(Op::kAdd, Suffix::kInt, {vector<int>({1, 2}), vector<double>({1, 2})}),
            "+ INT: b must be Int but is Float");
  EXPECT_EQ(failure(Op::kSumScan, Suffix::kInt, {vector<int>({1, 2}), Value::single_segment(3)}),
            "+_SCAN INT: s has 3 elements but a has 2 elements");
  EXPECT_EQ(failure(Op::kDist, Suffix::kInt, {vector<int>({1, 2}), Value::single_segment(3)}),
            "DIST INT: s has 1 segments but v has 2 elements");
  EXPECT_EQ(failure(Op::kDivide, Suffix::kInt, {Value::scalar(1), Value::scalar(0)}), "/ INT: division by zero");
  EXPECT_EQ(failure(Op::kDivide, Suffix::kInt, {vector<int>({1, 1}), vector<int>({1, 0})}),
            "/ INT: division by zero (element 1)");
  EXPECT_EQ(failure(Op::kFloor, Suffix::kNone, {Value::scalar(1e300)}),
            "FLOOR: the value is NaN or does not fit in an INT of 32 bits");
  EXPECT_EQ(failure(Op::kMakeSegdes, Suffix::kNone, {vector<int>({1, -2, 3})}),
            "MAKE_SEGDES: segment 1 has the negative length -2");
  Value two = evaluator.make_segdes(vector<int>({2, 3}));
  EXPECT_EQ(failure(Op::kPermute, Suffix::kInt, {vector(iota(5)), vector<int>({0, 1, 0, 3, 1}), two}),
            "PERMUTE INT: index 3 is out of range for a segment of 3 elements (element 1 of segment 1)");
  EXPECT_EQ(failure(Op::kPermute, Suffix::kInt, {vector(iota(3)), vector<int>({0, 1, 0}), Value::single_segment(3)}),
            "PERMUTE INT: index 0 occurs twice in its segment (element 2)");
  EXPECT_EQ(failure(Op::kExtract, Suffix::kInt, {vector(iota(5)), vector<int>({0, 5}), two}),
            "EXTRACT INT: index 5 is out of range for a segment of 3 elements (segment 1)");
}

TEST_P(EvaluatorTest, WithHostLimitZeroTheDeviceComputesShortVectors) {
  Evaluator on_device(*device, {}, 0);
  const auto divide = [&](Evaluator& by) {
    Value base[] = {Value::scalar(7), Value::scalar(0)};
    return by.apply(Op::kDivide, Suffix::kInt, base);
  };
  EXPECT_FALSE(divide(evaluator));
  // Only the device with separate memory finds a fault late.
  EXPECT_EQ(divide(on_device), GetParam());
  EXPECT_EQ(on_device.settle(), !GetParam());
  EXPECT_EQ(on_device.fault().kind, FaultKind::kDivideByZero);
}

TEST_P(EvaluatorTest, LengthsBeyondIntAreRefused) {
  Value stack = Value::single_segment(3000000000);
  EXPECT_FALSE(evaluator.apply(Op::kLengths, Suffix::kNone, &stack));
  EXPECT_EQ(evaluator.failure(), "LENGTHS: the length 3000000000 does not fit in an INT of 32 bits; run with --int=64");
}

TEST_P(EvaluatorTest, RandomNumbersFollowTheSeed) {
  auto draw = [&] {
    Value bounds = vector(std::vector<int>(100, 1000));
    EXPECT_TRUE(evaluator.apply(Op::kRandom, Suffix::kNone, &bounds));
    return elements<int>(bounds);
  };
  evaluator.seed(1);
  const std::vector<int> first = draw(), second = draw();
  EXPECT_NE(first, second);
  evaluator.seed(1);
  EXPECT_EQ(draw(), first);
  evaluator.seed(2);
  EXPECT_NE(draw(), first);
}

}  // namespace
}  // namespace runtime
