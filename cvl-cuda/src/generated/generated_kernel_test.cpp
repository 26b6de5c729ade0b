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

TEST(GeneratedKernel, AMapIsALoopOverTheElementsOfAThread) {
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
  Items<i32> items_i_1;
  load(space, a.i_1, items_i_1);
  Items<f64> items_x_0;
  load(space, a.x_0, items_x_0);
  Items<f64> items_y_4;
  EACH_THREAD(t) EACH_ITEM(space, t, i, e) {
    const i32 i_1 = items_i_1(t, i);
    const f64 x_0 = items_x_0(t, i);
    report(a.faults, rows::Remainder::fault<i32>(i_1, i_1), 0, e, culprit(i_1, i_1), bound_of(i_1, i_1));  // step 0
    const i32 j_2 = rows::Remainder::eval<i32>(i_1, i_1);  // step 0
    const f64 f_3 = rows::IntToFloat::eval<f64>(j_2);  // step 1
    const f64 y_4 = rows::Add::eval<f64>(x_0, f_3);  // step 2
    items_y_4(t, i) = y_4;
  }
  store(space, items_y_4, a.y_4);
}
LAUNCHED(kernel_3, Arguments_3, Shared_3, i64(blockIdx.x))
)");
  EXPECT_FALSE(made.has_finish);
}

TEST(GeneratedKernel, AReductionSumsTilesAndLooksBack) {
  const GeneratedKernel made = generate(R"(KERNEL 0 dot (x FLOAT y FLOAT s SEGDES) OVER s
p = * FLOAT x y
d = +_REDUCE FLOAT p s
OUT d
RET)");
  EXPECT_EQ(made.text, R"(struct Arguments_0 {
  i64 elements;
  Vector d_4;
  Posts posts_of_0;
  Segments s_2;
  Ticket ticket;
  Vector x_0;
  Vector y_1;
};
struct Carry_0_0 {
  Run<Plain<monoids::Sum, f64>> d_4;
};
CODE Carry_0_0 join(const Carry_0_0& before, const Carry_0_0& after) {
  return {join(before.d_4, after.d_4)};
}
using Shared_0 = Shared<Carry_0_0>;

CODE void kernel_0_block(const Arguments_0& a, i64 tile, [[maybe_unused]] Shared_0& shared) {
  const Space space = space_of(a.elements, tile);
  TileSegments segments_s_2;
  find_segments(space, a.s_2, segments_s_2);
  Items<f64> items_x_0;
  load(space, a.x_0, items_x_0);
  Items<f64> items_y_1;
  load(space, a.y_1, items_y_1);
  Items<f64> items_p_3;
  EACH_THREAD(t) EACH_ITEM(space, t, i, e) {
    const f64 x_0 = items_x_0(t, i);
    const f64 y_1 = items_y_1(t, i);
    const f64 p_3 = rows::Multiply::eval<f64>(x_0, y_1);  // step 0
    items_p_3(t, i) = p_3;
  }
  Carry_0_0& own_0 = shared.own<Carry_0_0>();
  TileSums<Plain<monoids::Sum, f64>> sums_d_4;  // step 1
  sum_tile(space, segments_s_2, items_p_3, shared, sums_d_4, own_0.d_4);  // step 1
  const Carry_0_0& carry_0 = look_back(space, a.posts_of_0, own_0, shared);
  store_sums<f64>(space, a.s_2, segments_s_2, items_p_3, sums_d_4, carry_0.d_4, a.d_4);  // step 1
  each_empty(space, a.s_2, [&](i64 k) {
    a.d_4.as<f64>()[k] = Plain<monoids::Sum, f64>::empty_value();  // step 1
  });
}
LAUNCHED(kernel_0, Arguments_0, Shared_0, blocks_before(a.ticket))
)");
}

TEST(GeneratedKernel, APackIsAScanOfItsFlags) {
  const GeneratedKernel made = generate(R"(KERNEL 1 keep (x INT f BOOL s SEGDES) OVER s
k t = PACK INT x f s
OUT k t
RET)");
  EXPECT_EQ(made.text, R"(struct Arguments_1 {
  i64 elements;
  Vector f_1;
  Vector k_3;
  Vector kept_k_3;
  Posts posts_of_0;
  Segments s_2;
  Vector t_4;
  Ticket ticket;
  Vector x_0;
};
struct Carry_1_0 {
  Run<Kept<i32>> positions_of_0;
};
CODE Carry_1_0 join(const Carry_1_0& before, const Carry_1_0& after) {
  return {join(before.positions_of_0, after.positions_of_0)};
}
using Shared_1 = Shared<Carry_1_0>;

CODE void kernel_1_block(const Arguments_1& a, i64 tile, [[maybe_unused]] Shared_1& shared) {
  const Space space = space_of(a.elements, tile);
  TileSegments segments_s_2;
  find_segments(space, a.s_2, segments_s_2);
  Items<b8> items_f_1;
  load(space, a.f_1, items_f_1);
  Carry_1_0& own_0 = shared.own<Carry_1_0>();
  TileSums<Kept<i32>> sums_positions_of_0;  // step 0
  sum_tile(space, segments_s_2, items_f_1, shared, sums_positions_of_0, own_0.positions_of_0);  // step 0
  const Carry_1_0& carry_0 = look_back(space, a.posts_of_0, own_0, shared);
  Items<u32> items_positions_of_0;  // step 0
  place_kept(space, a.s_2, segments_s_2, items_f_1, sums_positions_of_0, carry_0.positions_of_0, items_positions_of_0, a.kept_k_3, a.t_4);  // step 0
  each_empty(space, a.s_2, [&](i64 k) {
    a.t_4.as<i32>()[k] = 0;  // step 0
  });
  Items<i32> items_x_0;
  load(space, a.x_0, items_x_0);
  EACH_THREAD(t) EACH_ITEM(space, t, i, e) {
    const b8 f_1 = items_f_1(t, i);
    const i32 x_0 = items_x_0(t, i);
    if (f_1) a.k_3.as<i32>()[items_positions_of_0(t, i)] = x_0;  // step 0
  }
}
LAUNCHED(kernel_1, Arguments_1, Shared_1, blocks_before(a.ticket))
)");
}

TEST(GeneratedKernel, AScatterMarksItsTargets) {
  const GeneratedKernel made = generate(R"(KERNEL 2 send (x INT i INT d INT s SEGDES) OVER s
p = PERMUTE INT x i s
q = DPERMUTE INT x i d s s
OUT p q
RET)");
  EXPECT_EQ(made.text, R"(struct Arguments_2 {
  i64 elements;
  Vector d_2;
  Faults faults;
  Vector i_1;
  Vector p_4;
  Vector q_5;
  Segments s_3;
  Vector writers_q_5;
  Vector written_p_4;
  Vector x_0;
};
using Shared_2 = NothingShared;

CODE void kernel_2_block(const Arguments_2& a, i64 tile, [[maybe_unused]] Shared_2& shared) {
  const Space space = space_of(a.elements, tile);
  TileSegments segments_s_3;
  find_segments(space, a.s_3, segments_s_3);
  Items<i32> items_x_0;
  load(space, a.x_0, items_x_0);
  Items<i32> items_i_1;
  load(space, a.i_1, items_i_1);
  EACH_THREAD(t) EACH_ITEM(space, t, i, e) {
    const i64 segment_s_3 = segment_of(a.s_3, segments_s_3(t), i);
    const i32 x_0 = items_x_0(t, i);
    const i32 i_1 = items_i_1(t, i);
    const i64 position_p_4 = position_in(a.s_3, segment_s_3, i_1, a.faults, 0, e);  // step 0
    if (position_p_4 >= 0) mark_written(a.written_p_4, position_p_4, i_1, a.faults, 0, e);  // step 0
    if (position_p_4 >= 0) a.p_4.as<i32>()[position_p_4] = x_0;  // step 0
    const i64 position_q_5 = position_in(a.s_3, segment_s_3, i_1, a.faults, 1, e);  // step 1
    if (position_q_5 >= 0) atomic_max(a.writers_q_5.as<u64>() + position_q_5, u64(e) + 1);  // step 1
  }
}
LAUNCHED(kernel_2, Arguments_2, Shared_2, i64(blockIdx.x))

CODE void finish_2_block(const Arguments_2& a, i64 tile, [[maybe_unused]] Shared_2& shared) {
  const Space space = space_of(a.elements, tile);
  each_number(space, a.q_5.length, [&](i64 k) {  // step 1
    const u64 writer = a.writers_q_5.as<u64>()[k];  // step 1
    a.q_5.as<i32>()[k] = writer == 0 ? a.d_2.as<i32>()[k] : a.x_0.as<i32>()[writer - 1];  // step 1
  });  // step 1
}
LAUNCHED(finish_2, Arguments_2, Shared_2, i64(blockIdx.x))
)");
}

/// A slice is loaded before the loop, like an input.
TEST(GeneratedKernel, ASliceIsLoadedInVectors) {
  const GeneratedKernel made = generate(R"(KERNEL 5 part (table FLOAT from INT s SEGDES) OVER s
p = SLICE FLOAT table from s
r = SLICE INT from from s
q = * FLOAT p p
OUT q r
RET)");
  EXPECT_EQ(made.text, R"(struct Arguments_5 {
  i64 elements;
  Faults faults;
  Vector from_1;
  Vector q_5;
  Vector r_4;
  Segments s_2;
  Vector table_0;
};
using Shared_5 = NothingShared;

CODE void kernel_5_block(const Arguments_5& a, i64 tile, [[maybe_unused]] Shared_5& shared) {
  const Space space = space_of(a.elements, tile);
  TileSegments segments_s_2;
  find_segments(space, a.s_2, segments_s_2);
  Positions slices_s_2_from_1;  // step 0
  find_positions(space, a.s_2, segments_s_2, [&](i64 k) { return i64(a.from_1.as<i32>()[k]); }, slices_s_2_from_1);  // step 0
  Items<f64> items_p_3;  // step 0
  slice(space, slices_s_2_from_1, a.table_0, a.faults, 0, items_p_3);  // step 0
  Items<i32> items_r_4;  // step 1
  slice(space, slices_s_2_from_1, a.from_1, a.faults, 1, items_r_4);  // step 1
  Items<f64> items_q_5;
  EACH_THREAD(t) EACH_ITEM(space, t, i, e) {
    const f64 p_3 = items_p_3(t, i);
    const f64 q_5 = rows::Multiply::eval<f64>(p_3, p_3);  // step 2
    items_q_5(t, i) = q_5;
  }
  store(space, items_r_4, a.r_4);
  store(space, items_q_5, a.q_5);
}
LAUNCHED(kernel_5, Arguments_5, Shared_5, i64(blockIdx.x))
)");
}

/// The scan is known after the look-back, and the steps that depend on the scan are computed in a second loop.
TEST(GeneratedKernel, StepsAfterAScanAreASecondStage) {
  const GeneratedKernel made = generate(R"(KERNEL 4 after (x INT s SEGDES) OVER x
b = +_SCAN INT x s
d = - INT b x
m = MAX_REDUCE INT d s
OUT m
RET)");
  EXPECT_EQ(made.text, R"(struct Arguments_4 {
  i64 elements;
  Vector m_4;
  Posts posts_of_0;
  Posts posts_of_1;
  Segments s_1;
  Ticket ticket;
  Vector x_0;
};
struct Carry_4_0 {
  Run<Plain<monoids::Sum, i32>> b_2;
};
CODE Carry_4_0 join(const Carry_4_0& before, const Carry_4_0& after) {
  return {join(before.b_2, after.b_2)};
}
struct Carry_4_1 {
  Run<Plain<monoids::Max, i32>> m_4;
};
CODE Carry_4_1 join(const Carry_4_1& before, const Carry_4_1& after) {
  return {join(before.m_4, after.m_4)};
}
using Shared_4 = Shared<Carry_4_0, Carry_4_1>;

CODE void kernel_4_block(const Arguments_4& a, i64 tile, [[maybe_unused]] Shared_4& shared) {
  const Space space = space_of(a.elements, tile);
  TileSegments segments_s_1;
  find_segments(space, a.s_1, segments_s_1);
  Items<i32> items_x_0;
  load(space, a.x_0, items_x_0);
  Carry_4_0& own_0 = shared.own<Carry_4_0>();
  TileSums<Plain<monoids::Sum, i32>> sums_b_2;  // step 0
  sum_tile(space, segments_s_1, items_x_0, shared, sums_b_2, own_0.b_2);  // step 0
  const Carry_4_0& carry_0 = look_back(space, a.posts_of_0, own_0, shared);
  Items<i32> items_b_2;  // step 0
  scan_items(space, segments_s_1, items_x_0, sums_b_2, carry_0.b_2, items_b_2);  // step 0
  BARRIER();
  Items<i32> items_d_3;
  EACH_THREAD(t) EACH_ITEM(space, t, i, e) {
    const i32 b_2 = items_b_2(t, i);
    const i32 x_0 = items_x_0(t, i);
    const i32 d_3 = rows::Subtract::eval<i32>(b_2, x_0);  // step 1
    items_d_3(t, i) = d_3;
  }
  Carry_4_1& own_1 = shared.own<Carry_4_1>();
  TileSums<Plain<monoids::Max, i32>> sums_m_4;  // step 2
  sum_tile(space, segments_s_1, items_d_3, shared, sums_m_4, own_1.m_4);  // step 2
  const Carry_4_1& carry_1 = look_back(space, a.posts_of_1, own_1, shared);
  store_sums<i32>(space, a.s_1, segments_s_1, items_d_3, sums_m_4, carry_1.m_4, a.m_4);  // step 2
  each_empty(space, a.s_1, [&](i64 k) {
    a.m_4.as<i32>()[k] = Plain<monoids::Max, i32>::empty_value();  // step 2
  });
}
LAUNCHED(kernel_4, Arguments_4, Shared_4, blocks_before(a.ticket))
)");
}

TEST(GeneratedKernel, EpiloguesRunAfterAllTiles) {
  const GeneratedKernel made = generate(R"(KERNEL 0 mean (x INT s SEGDES n INT) OVER s
t = +_REDUCE INT x s
m = / INT t n
OUT m
RET)");
  EXPECT_TRUE(made.has_finish);
  EXPECT_THAT(
      made.text.substr(made.text.find("finish_0_block")),
      HasSubstr("  each_number(space, a.m_4.length, [&](i64 k) {  // step 1\n"
                "    report(a.faults, rows::Divide::fault<i32>(a.t_3.as<i32>()[k], a.n_2.as<i32>()[k]), 1, k, "
                "culprit(a.t_3.as<i32>()[k], a.n_2.as<i32>()[k]), bound_of(a.t_3.as<i32>()[k], a.n_2.as<i32>()[k]));  "
                "// step 1\n"
                "    a.m_4.as<i32>()[k] = rows::Divide::eval<i32>(a.t_3.as<i32>()[k], a.n_2.as<i32>()[k]);  // step 1\n"
                "  });  // step 1\n"));
}

TEST(GeneratedKernel, ASingleSegmentHasItsOwnType) {
  const vcode::Program program = vcode::testing::read_good(
      "FCODE 1\nKERNEL 0 sums (x INT s SEGDES) OVER x\nt = +_REDUCE INT x s\nOUT t\nRET\nFUNC MAIN CONST INT 1 RET\n");
  const vcode::Kernel& kernel = program.kernels[0];
  std::string any = generate_kernel(kernel, {}, {}).text;
  const std::string declaration = "  Segments s_1;", one = generate_kernel(kernel, {}, {}, Form::kOneSegment).text;
  EXPECT_EQ(any.replace(any.find(declaration), declaration.size(), "  OneSegment s_1;"), one);
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
