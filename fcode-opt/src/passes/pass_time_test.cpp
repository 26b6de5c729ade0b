#include <gtest/gtest.h>

#include "fcode-opt/passes.h"
#include "letform_builder.h"

namespace vcode::letform::testing {
namespace {

// At this size, a pass that takes quadratic time in the number of bindings exceeds the time limit of a test.
TEST(Passes, TimeIsNearlyLinear) {
  Program program;
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt), b = a;
  for (int k = 0; k < 300'000; ++k) b = main.op(k % 2 ? Op::kAdd : Op::kXor, Suffix::kInt, {a, b});
  main.ret({b});
  simplify(program);
  remove_dead_parameters(program);
  inline_calls(program, 100);
  EXPECT_EQ(program.functions[0].body.bindings.size(), 300'000u);
}

TEST(Passes, MergingManyIfsTakesNearlyLinearTime) {
  Program program;
  Builder main(program, "MAIN");
  const Var c = main.parameter(Kind::kBool, "c", true);
  Var b = main.parameter(Kind::kInt);
  for (int k = 0; k < 30'000; ++k)
    b = main.choose(
        c, [&] { return std::vector{main.op(Op::kNot, Suffix::kInt, {b})}; }, [&] { return std::vector{b}; })[0];
  main.ret({b});
  merge_ifs(program);
  EXPECT_EQ(program.functions[0].body.bindings.size(), 1u);
}

}  // namespace
}  // namespace vcode::letform::testing
