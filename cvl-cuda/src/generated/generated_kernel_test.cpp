#include "generated/generated_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "read_text.h"
#include "vcode_testing.h"

namespace cvl::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

GeneratedKernel generate(const std::string& kernel, Form form = Form::kAnySegments) {
  const vcode::Program program = vcode::testing::read_good("FCODE 1\n" + kernel + "\nFUNC MAIN CONST INT 1 RET\n");
  return generate_kernel(program.kernels[0], program.constants, {}, form);
}

/// A reduction with an epilogue.
constexpr const char* kMean = R"(KERNEL 0 mean (x INT s SEGDES n INT) OVER s
t = +_REDUCE INT x s
m = / INT t n
OUT m
RET)";

/// texts.txt has kernels, each followed by its text.
TEST(GeneratedKernel, HasTheTextOfTheFile) {
  const std::string file = read_text(KERNEL_TEXTS);
  std::string printed;
  for (std::size_t at = 0; (at = file.find("KERNEL", at)) != file.npos;) {
    const std::size_t end = file.find("RET\n", at) + 4;
    const std::string kernel = file.substr(at, end - at);
    printed += kernel + generate(kernel).text + "\n";
    at = end;
  }
  EXPECT_EQ(printed, file);
}

TEST(GeneratedKernel, EpiloguesRunAfterAllTiles) {
  const GeneratedKernel made = generate(kMean);
  EXPECT_TRUE(made.has_finish);
  EXPECT_THAT(
      made.text.substr(made.text.find("finish_0_block")),
      HasSubstr(
          "  each_number(share.block, share.blocks, a.m_4.length, [&](i64 k) {  // step 1\n"
          "    report(a.faults, rows::Divide::fault<i32>(a.t_3.as<i32>()[k], a.each_n_2.of<i32>(k)), 1, k, "
          "culprit(a.t_3.as<i32>()[k], a.each_n_2.of<i32>(k)), bound_of(a.t_3.as<i32>()[k], a.each_n_2.of<i32>(k)));  "
          "// step 1\n"
          "    a.m_4.as<i32>()[k] = rows::Divide::eval<i32>(a.t_3.as<i32>()[k], a.each_n_2.of<i32>(k));  // step 1\n"
          "  });  // step 1\n"));
}

TEST(GeneratedKernel, ASingleSegmentHasItsOwnType) {
  const std::string kernel = "KERNEL 0 sums (x INT s SEGDES) OVER x\nt = +_SCAN INT x s\nOUT t\nRET";
  const std::string declaration = "  Segments s_1;";
  std::string any = generate(kernel).text;
  EXPECT_EQ(any.replace(any.find(declaration), declaration.size(), "  OneSegment s_1;"),
            generate(kernel, Form::kOneSegment).text);
}

/// Blocks fold shares instead of looking back, and the last one computes the epilogue.
TEST(GeneratedKernel, ReductionsOfOneSegmentAreFolds) {
  const GeneratedKernel made = generate(kMean, Form::kOneSegment);
  EXPECT_FALSE(made.has_finish);
  EXPECT_EQ(made.blocks(1 << 30), kMostShares);
  EXPECT_EQ(made.blocks(5 * kKernelThreads * kFoldItems), 5);
  EXPECT_THAT(made.text, HasSubstr(R"(
CODE void kernel_0_block(const Arguments_0& a, i64 block, [[maybe_unused]] Shared_0& shared) {
  constexpr int kItems = 8;
  const Share share = share_of<kItems>(a.elements, block);
  ThreadSums<Plain<monoids::Sum, i32>> sums_t_3;  // step 0
  NOT_UNROLLED for (i64 tile = share.first; tile < share.end; ++tile) {
  const Space space = space_of<kItems>(a.elements, tile);
  Items<i32, kItems> items_x_0;
  load(space, a.x_0, items_x_0);
  add_items(space, items_x_0, sums_t_3);  // step 0
  }
  Carry_0_0* const of_warps_0 = shared.sums(0);
  join_lanes(sums_t_3, of_warps_0, &Carry_0_0::t_3);  // step 0
  const Carry_0_0* const totals = join_shares<Carry_0_0>(share, a.posts_of_0, a.ticket, shared);
  if (totals == nullptr) return;
  EACH_THREAD(t) if (const i64 k = t; k == 0) {
    a.t_3.as<i32>()[k] = total<i32>(share, totals->t_3, Plain<monoids::Sum, i32>::empty_value());  // step 0
    report(a.faults, rows::Divide::fault<i32>()"));
}

/// Names of values end in one underscore and a number.
TEST(GeneratedKernel, ValuesDoNotHideOtherArguments) {
  const GeneratedKernel made = generate(R"(KERNEL 0 sums (posts INT s SEGDES) OVER s
t = +_REDUCE INT posts s
OUT t
RET)");
  EXPECT_THAT(made.text, HasSubstr("  Vector posts_0;\n  Posts posts_of_0;\n"));
}

TEST(GeneratedKernel, OnlySumsOfFloatsRound) {
  const std::string kernel = "KERNEL 0 fold (x FLOAT s SEGDES) OVER s\nt = {} FLOAT x s\nOUT t\nRET";
  EXPECT_TRUE(generate(fmt::format(fmt::runtime(kernel), "+_REDUCE")).rounds);
  EXPECT_FALSE(generate(fmt::format(fmt::runtime(kernel), "MAX_REDUCE")).rounds);
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

/// A comment replaces the text, and the rows that only this kernel uses are not printed.
TEST(GeneratedProgram, AnUnsupportedKernelNamesTheStep) {
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
