#include "kernels/loop_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "planned_kernel.h"

namespace kernels {
namespace {

/// A plan whose outputs are looked for by name.
struct Planned : PlannedKernel {
  using PlannedKernel::PlannedKernel;
  const Loop::Output* output(const Loop& loop, const std::string& name) const {
    const auto at = std::ranges::find_if(loop.outputs, [&](const auto& out) { return out.value == value(name); });
    return at == loop.outputs.end() ? nullptr : &*at;
  }
};

TEST(LoopPlan, IntermediateValuesNeedNoMemory) {
  const Planned k("(x INT y INT) OVER x a = + INT x y b = * INT a x OUT b");
  EXPECT_EQ(k.plan.whole.loop.steps.size(), 2u);
  EXPECT_EQ(k.plan.whole.loop.inputs.size(), 2u);
  ASSERT_EQ(k.plan.whole.loop.outputs.size(), 1u);
  EXPECT_TRUE(k.plan.whole.loop.outputs[0].may_stream);
  EXPECT_FALSE(k.plan.whole.loop.has_nest());
  EXPECT_EQ(k.plan.slots, 0);
}

TEST(LoopPlan, WhatIsMadePerSegmentIsReadFromTilesByTheFlatFormOnly) {
  const Planned k("(x INT v INT s SEGDES) OVER s d = DIST INT v s a = + INT x d t = +_REDUCE INT a s OUT t");
  const Loop& loop = k.plan.whole.loop;
  EXPECT_TRUE(loop.has_nest() && loop.has_flat());
  ASSERT_NE(k.output(loop, "a"), nullptr);  // the flat form is followed by a reduction
  EXPECT_TRUE(k.output(loop, "a")->in_flat);
  EXPECT_FALSE(k.output(loop, "a")->in_nest);
  EXPECT_EQ(k.output(loop, "d"), nullptr);
  EXPECT_EQ(k.plan.slots, 2);
  ASSERT_EQ(loop.folds.size(), 1u);
}

/// The bounds of a SLICE can be at fault.
TEST(LoopPlan, ASliceIsAnInputEvenIfNothingReadsIt) {
  const Planned k("(x INT from INT s SEGDES) OVER s p = SLICE INT x from s q = DIST INT from s t = +_SCAN INT x s OUT t");
  ASSERT_TRUE(k.plan.before && k.plan.after);
  for (const Loop* loop : {&k.plan.whole.loop, &k.plan.before->loop}) {
    ASSERT_EQ(loop->inputs.size(), 2u);
    EXPECT_EQ(loop->inputs[0].value, k.value("p"));
    EXPECT_EQ(loop->inputs[0].maker, &k.plan.kernel.steps[0]);
  }
  EXPECT_EQ(k.plan.after->loop.inputs.size(), 1u);
}

TEST(LoopPlan, ResultsThatAreMadePerSegmentAreStoredByTheNest) {
  const Planned k("(x INT v INT s SEGDES) OVER s d = DIST INT v s a = + INT x d OUT a d");
  ASSERT_NE(k.output(k.plan.whole.loop, "d"), nullptr);
  EXPECT_FALSE(k.output(k.plan.whole.loop, "d")->in_flat);
  EXPECT_TRUE(k.output(k.plan.whole.loop, "d")->in_nest);
}

/// The empty loop `before` finds carries; what it computes for them is computed again.
TEST(LoopPlan, ChunksThatWaitForCarriesHaveTwoLoops) {
  const Planned k("(x INT y INT s SEGDES) OVER s a = + INT x y b = +_SCAN INT a s c = * INT b x OUT c");
  ASSERT_TRUE(k.plan.before && k.plan.after);
  EXPECT_EQ(k.plan.before->loop.folds.size(), 1u);
  EXPECT_TRUE(k.plan.before->loop.scans.empty());
  EXPECT_EQ(k.plan.after->loop.steps.size(), 3u);
  EXPECT_TRUE(k.plan.only_scans_before);
  EXPECT_FALSE(k.plan.values[k.value("a")].kept);
}

TEST(LoopPlan, CostlyValuesAreKeptUntilCarriesAreKnown) {
  const Planned k("(x FLOAT s SEGDES) OVER s a = SIN x b = +_SCAN FLOAT a s OUT b");
  EXPECT_TRUE(k.plan.values[k.value("a")].kept);
  ASSERT_TRUE(k.plan.before && k.plan.after);
  EXPECT_NE(k.output(k.plan.before->loop, "a"), nullptr);
  EXPECT_EQ(k.plan.after->loop.steps.size(), 1u);
  EXPECT_EQ(k.plan.kept_bytes, 8);
}

/// Groups of a scan begin at the start of the segment, which the flat form does not know.
TEST(LoopPlan, ScansThatRoundHaveNoFlatForm) {
  EXPECT_FALSE(Planned("(x FLOAT y FLOAT s SEGDES) OVER s a = + FLOAT x y b = +_SCAN FLOAT a s OUT b").plan.whole.loop.has_flat());
  EXPECT_TRUE(Planned("(x FLOAT y FLOAT s SEGDES) OVER s a = + FLOAT x y b = MAX_SCAN FLOAT a s OUT b").plan.whole.loop.has_flat());
}

TEST(LoopPlan, LanesComputeReductionsOfMadeValues) {
  const std::string made = "d = DIST FLOAT v s e = SLICE FLOAT w i s a = - FLOAT d e m = MIN_INDEX FLOAT a s ";
  const std::string inputs = "(v FLOAT w FLOAT i INT s SEGDES x FLOAT) OVER s ";
  EXPECT_TRUE(Planned(inputs + made + "OUT m").plan.whole.loop.lanes);
  EXPECT_TRUE(Planned(inputs + made + "n = +_REDUCE FLOAT a s OUT m n").plan.whole.loop.lanes);
  EXPECT_FALSE(Planned(inputs + made + "OUT m a").plan.whole.loop.lanes);
  EXPECT_FALSE(Planned(inputs + "a = + FLOAT x x m = MIN_INDEX FLOAT a s OUT m").plan.whole.loop.lanes);
}

TEST(LoopPlan, ScattersByFlagsAreComputedAroundTheLoop) {
  const Planned k("(x INT i INT f BOOL s SEGDES t SEGDES) OVER s a = + INT x x p = FPERMUTE INT a i f s t OUT p");
  EXPECT_TRUE(k.plan.whole.loop.scatters.empty());
  ASSERT_NE(k.output(k.plan.whole.loop, "a"), nullptr);
  EXPECT_TRUE(k.output(k.plan.whole.loop, "a")->in_nest);
}

/// The loop after the writes of earlier chunks does nothing else.
TEST(LoopPlan, ScattersWithDefaultsAreWrittenInTheOrderOfChunks) {
  const Planned k("(x INT i INT d INT s SEGDES t SEGDES) OVER s a = * INT x x p = DPERMUTE INT a i d s t OUT p");
  EXPECT_TRUE(k.plan.in_order);
  EXPECT_EQ(k.plan.whole.loop.steps.size(), 2);
  EXPECT_TRUE(k.plan.before->loop.scatters.empty());
  EXPECT_EQ(k.plan.after->loop.scatters.size(), 1);
  EXPECT_EQ(k.plan.after->loop.tables.size(), 0);
}

TEST(LoopPlan, AConstantIsScatteredInAnyOrder) {
  const std::string inputs = "(b BOOL i INT d BOOL s SEGDES t SEGDES) OVER i ";
  const Planned constant(inputs + "c = CONST BOOL F a = DIST BOOL c s p = DPERMUTE BOOL a i d s t OUT p");
  EXPECT_FALSE(constant.plan.in_order);
  EXPECT_FALSE(constant.plan.has_carries());
  EXPECT_EQ(constant.plan.whole.loop.scatters.size(), 1);
  EXPECT_TRUE(Planned(inputs + "a = DIST BOOL b s p = DPERMUTE BOOL a i d s t OUT p").plan.in_order)
      << "the segments may differ";
}

TEST(LoopPlan, WorkCountsOperationsAndMoves) {
  const vcode::Work work =
      Planned("(x INT i INT s SEGDES t SEGDES) OVER i g = BPERMUTE INT x i s t a = + INT g g b = * INT a a OUT b")
          .plan.work();
  EXPECT_EQ(work.moves, 1);
  EXPECT_EQ(work.flops, 2);
}

TEST(ArgumentStruct, MembersAreNamedAfterValues) {
  const Planned k("(x INT v INT s SEGDES) OVER s d = DIST INT v s a = + INT x d OUT a");
  std::vector<std::string> names;
  for (const ArgumentStruct::Entry& member : k.plan.whole.loop.arguments.members()) names.push_back(member.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "d", "v of segments", "v step", "a out", "a streamed", "starts",
                                             "range begin", "range end"}));
}

}  // namespace
}  // namespace kernels
