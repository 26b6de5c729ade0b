#include "generated/generated_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "vcode_testing.h"

namespace cvl::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

GeneratedKernel generate(const std::string& kernel) {
  const vcode::Program program = vcode::testing::read_good("FCODE 1\n" + kernel + "\nFUNC MAIN CONST INT 1 RET\n");
  return generate_kernel(program.kernels[0], program.constants, {});
}

TEST(GeneratedKernel, AMapIsALoopOverWhatThreadsHold) {
  const GeneratedKernel made = generate(R"(KERNEL 3 map (x FLOAT i INT) OVER x
j = % i i
f = I_TO_F j
y = + FLOAT x f
OUT y
RET)");
  EXPECT_EQ(made.text, R"(struct Arguments_3 {
  i64 elements;
  Faults faults;
  Vector i_1;
  Vector x_0;
  Vector y_4;
};
using Shared_3 = NothingShared;

CODE void kernel_3_block(const Arguments_3& a, i64 tile, [[maybe_unused]] Shared_3& shared) {
  const Space space = space_of(a.elements, tile);
  Items<f64> items_x_0;
  load(space, a.x_0, items_x_0);
  Items<i32> items_i_1;
  load(space, a.i_1, items_i_1);
  Items<f64> items_y_4;
  EACH_THREAD(t) EACH_ITEM(space, t, i, e) {
    const i32 i_1 = items_i_1(t, i);
    const f64 x_0 = items_x_0(t, i);
    report(a.faults, rows::Remainder::fault<i32>(i_1, i_1), 0, e, culprit(i_1, i_1), bound_of(i_1, i_1));
    const i32 j_2 = rows::Remainder::eval<i32>(i_1, i_1);
    const f64 f_3 = rows::IntToFloat::eval<f64>(j_2);
    const f64 y_4 = rows::Add::eval<f64>(x_0, f_3);
    items_y_4(t, i) = y_4;
  }
  store(space, items_y_4, a.y_4);
}
LAUNCHED(kernel_3, Arguments_3, Shared_3, i64(blockIdx.x))
)");
  EXPECT_FALSE(made.has_finish);
}

/// The scan is known behind the look-back, and what depends on it is computed in a second loop.
TEST(GeneratedKernel, WhatDependsOnAScanIsASecondStage) {
  const GeneratedKernel made = generate(R"(KERNEL 0 after (x INT s SEGDES) OVER x
b = +_SCAN INT x s
d = - INT b x
m = MAX_REDUCE INT d s
OUT m
RET)");
  const std::size_t scan = made.text.find("  scan_items(space, a.s_1, items_x_0, sums_b_2, carry_0.b_2, items_b_2);"),
                    loop = made.text.find("    const i32 d_3 = rows::Subtract::eval<i32>(b_2, x_0);"),
                    sums = made.text.find("  store_sums<i32>(space, a.s_1, items_d_3, sums_m_4, carry_1.m_4, a.m_4);");
  ASSERT_NE(sums, std::string::npos) << made.text;
  EXPECT_LT(scan, loop);
  EXPECT_LT(loop, sums);
}

TEST(GeneratedKernel, EpiloguesRunBehindAllTiles) {
  const GeneratedKernel made = generate(R"(KERNEL 0 mean (x INT s SEGDES n INT) OVER s
t = +_REDUCE INT x s
m = / INT t n
OUT m
RET)");
  EXPECT_TRUE(made.has_finish);
  EXPECT_THAT(
      made.text.substr(made.text.find("finish_0_block")),
      HasSubstr("  each_number(space, a.m_4.length, [&](i64 k) {\n"
                "    report(a.faults, rows::Divide::fault<i32>(a.t_3.as<i32>()[k], a.n_2.as<i32>()[k]), 1, k, "
                "culprit(a.t_3.as<i32>()[k], a.n_2.as<i32>()[k]), bound_of(a.t_3.as<i32>()[k], a.n_2.as<i32>()[k]));\n"
                "    a.m_4.as<i32>()[k] = rows::Divide::eval<i32>(a.t_3.as<i32>()[k], a.n_2.as<i32>()[k]);\n"
                "  });\n"));
}

TEST(GeneratedKernel, TheLeastIntegerIsAConstant) {
  vcode::Program program = vcode::testing::read_good(R"(FCODE 1
KERNEL 0 least (s SEGDES) OVER s
c = CONST INT -9223372036854775808
d = DIST INT c s
OUT d
RET
FUNC MAIN CONST INT 1 RET
)");
  const GeneratedKernel made =
      generate_kernel(program.kernels[0], program.constants, {vcode::ElemType::kI64, vcode::ElemType::kF64});
  EXPECT_THAT(made.text, HasSubstr("const i64 d_2 = lowest<i64>();"));
}

/// The comment stands in place of the text, and the rows of the kernel are not printed either.
TEST(GeneratedProgram, AKernelThatIsNotCoveredNamesTheStep) {
  std::string kernel = "FCODE 1\nKERNEL 0 many (x INT s SEGDES) OVER x\n", outputs;
  for (int k = 0; k < 60; ++k) {
    kernel += fmt::format("r{} = +_REDUCE INT x s\n", k);
    outputs += fmt::format(" r{}", k);
  }
  kernel += "OUT" + outputs + "\nRET\nFUNC MAIN CONST INT 1 RET\n";
  const std::string text = generate_program(vcode::testing::read_good(kernel), {});
  EXPECT_THAT(text, HasSubstr("// r58 = +_REDUCE INT x s\n"));
  EXPECT_THAT(text, HasSubstr("// Not generated, because of step 58 (r58): more than 58 sums at a time. "
                              "It runs operation by operation.\n"));
  EXPECT_THAT(text, Not(HasSubstr("Arguments_0")));
  EXPECT_THAT(text, Not(HasSubstr("struct Sum {")));
}

}  // namespace
}  // namespace cvl::cuda
