#include <chrono>

#include <gtest/gtest.h>

#include "fcode-opt/passes.h"
#include "letform_builder.h"

namespace vcode::letform::testing {
namespace {

TEST(Passes, TimeIsNearlyLinear) {
  Program program;
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt), b = a;
  for (int k = 0; k < 100'000; ++k) b = main.op(k % 2 ? Op::kAdd : Op::kXor, Suffix::kInt, {a, b});
  main.ret({b});
  const auto start = std::chrono::steady_clock::now();
  simplify(program);
  remove_dead_parameters(program);
  inline_calls(program, 100);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 10);
  EXPECT_EQ(program.functions[0].body.bindings.size(), 100'000u);
}

}  // namespace
}  // namespace vcode::letform::testing
