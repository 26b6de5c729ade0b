#include "kernel_shapes.h"
#include "vcode/kernel_rules.h"

#include <gtest/gtest.h>

namespace runtime {
namespace {

using vcode::Kernel;
using vcode::Kind;
using vcode::Op;
using vcode::Suffix;

/// p = x * y, t = +_REDUCE p s, over the segments s.
struct ProductSums {
  Kernel kernel;
  vcode::KernelFacts facts;

  ProductSums() {
    kernel.values = {
        {"x", Kind::kFloat}, {"y", Kind::kFloat}, {"s", Kind::kSegdes}, {"p", Kind::kFloat}, {"t", Kind::kFloat}};
    kernel.input_count = 3;
    kernel.over = 2;
    kernel.steps = {{.op = Op::kMultiply, .suffix = Suffix::kFloat, .operands = {0, 1}, .results = {3}},
                    {.op = Op::kSumReduce, .suffix = Suffix::kFloat, .operands = {3, 2}, .results = {4}}};
    kernel.outputs = {4};
    facts = vcode::look_at(kernel);
  }
  bool bind(KernelShapes& shapes, const Value& x, const Value& y, const Value& s) const {
    Value inputs[] = {x, y, s};
    std::size_t seen = 0;
    const bool good = shapes.bind(
        inputs, [&](vcode::KernelVar v, const Value& input, std::int64_t n) { seen += v < 2 && input.length() == n; },
        [&](vcode::KernelVar v, const Value& input) { seen += v == 2 && input.is_segdes(); });
    EXPECT_EQ(good, seen == 3);
    return good;
  }
};

TEST(KernelShapes, LengthsOfResultsFollowFromInputs) {
  const ProductSums job;
  ASSERT_EQ(job.facts.error, "");
  KernelShapes shapes(job.kernel, job.facts);
  const Value x = Value::scalar(1.0);
  EXPECT_TRUE(job.bind(shapes, x, x, Value::single_segment(1)));
  EXPECT_EQ(shapes.length(3), 1);
  EXPECT_EQ(shapes.length(4), 1);
  EXPECT_EQ(shapes.segments(2), 1);
}

TEST(KernelShapes, LengthsAndKindsThatDisagreeAreRefused) {
  const ProductSums job;
  KernelShapes shapes(job.kernel, job.facts);
  const Value x = Value::scalar(1.0);
  EXPECT_FALSE(job.bind(shapes, x, x, Value::single_segment(2)));
  EXPECT_FALSE(job.bind(shapes, x, Value::scalar(std::int32_t{1}), Value::single_segment(1)));
  EXPECT_FALSE(job.bind(shapes, x, x, x));
  EXPECT_TRUE(job.bind(shapes, x, x, Value::single_segment(1)));
}

}  // namespace
}  // namespace runtime
