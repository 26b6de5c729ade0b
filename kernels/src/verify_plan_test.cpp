#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "planned_kernel.h"

namespace kernels {
namespace {

using Spoil = std::function<void(LoopPlan&)>;

/// The mistake that the verifier finds in the plan of a kernel after `spoil` has changed it.
std::string mistake(const std::string& kernel, const Spoil& spoil) {
  PlannedKernel planned(kernel);
  spoil(planned.plan);
  return verify_plan(planned.plan);
}

LoopPlan::Value& value(LoopPlan& plan, const std::string& name) {
  std::size_t v = 0;
  while (plan.kernel.values[v].name != name) ++v;
  return plan.values[v];
}
KernelVar number(const LoopPlan& plan, const std::string& name) {
  KernelVar v = 0;
  while (plan.kernel.values[v].name != name) ++v;
  return v;
}

/// Values d and a, and their sum t for each segment; d is made.
const std::string kSum = "(x INT v INT s SEGDES) OVER s d = DIST INT v s a = + INT x d t = +_REDUCE INT a s OUT t a";

TEST(VerifyPlan, FindsWrongValues) {
  const auto mistake_of = [](const Spoil& spoil) { return mistake(kSum, spoil); };
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.values.pop_back(); }), "5 values instead of 6");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { value(p, "a").type = ElemType::kI64; }), "a is stored as i64");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { value(p, "x").type = ElemType::kF64; }), "x is stored as f64");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { value(p, "t").materialised = false; }), "the result t is not in memory");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { value(p, "d").slot = 7; }), "d has tile 7, which is not its own");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { value(p, "d").slot = -1; }), "a tile has no value");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { value(p, "a").slot = 0; }),
            "a has a tile, although it is in memory as a whole");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { value(p, "v").constant = 0; }), "v has another constant");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { value(p, "a").epilogue = 0; }), "a is of another epilogue");
}

TEST(VerifyPlan, FindsWrongSteps) {
  const auto mistake_of = [](const Spoil& spoil) { return mistake(kSum, spoil); };
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.whole.steps.erase(p.whole.steps.begin()); }), "the step of d is missing");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.whole.steps.push_back(p.whole.steps[1]); }),
            "there are more steps than in the kernel");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { std::swap(p.whole.steps[0], p.whole.steps[1]); }), "the step of d is missing");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.whole.steps[1].producer = vcode::Producer::kGather; }),
            "a has another producer");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.whole.steps[1].after_scan = true; }),
            "a does not tell whether it needs carries");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.whole.steps[1].segmentation = 0; }),
            "a has segments, although it is elementwise");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.whole.steps[2].segmentation = 1; }), "t has other segments than s");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.whole.steps[2].number = 1; }), "reduction 0 is t");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.reductions = 2; }), "the number of reductions is 1, not 2");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.segmentations.push_back(p.segmentations[0]); }),
            "s is not a descriptor of its own");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.segmentations[0] = 0; }), "x is not a descriptor of its own");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.block_segmentations = {0}; }),
            "the descriptors of folds by blocks are others");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.in_order = true; }), "the order of writes is not that of the scatters");
}

TEST(VerifyPlan, FindsWrongInputs) {
  const auto mistake_of = [](const Spoil& spoil) {
    return mistake(kSum, [&](LoopPlan& p) { spoil(p); });
  };
  const auto inputs = [](LoopPlan& p) -> std::vector<Loop::Input>& { return p.whole.loop.inputs; };
  ASSERT_EQ(PlannedKernel(kSum).plan.whole.loop.inputs[1].value, 3u);  // d
  EXPECT_EQ(mistake_of([&](LoopPlan& p) { inputs(p).erase(inputs(p).begin()); }), "a reads x before it is computed");
  EXPECT_EQ(mistake_of([&](LoopPlan& p) { inputs(p).push_back(inputs(p)[0]); }), "x is read twice");
  EXPECT_EQ(mistake_of([&](LoopPlan& p) { inputs(p)[0].value = 99; }), "value 99 is read");
  EXPECT_EQ(mistake_of([&](LoopPlan& p) { inputs(p)[0].value = number(p, "t"); }), "t is read, but is not in memory");
  EXPECT_EQ(mistake_of([&](LoopPlan& p) { inputs(p).push_back({.value = number(p, "s")}); }),
            "s is read, but is not in memory");
  EXPECT_EQ(mistake_of([&](LoopPlan& p) { inputs(p)[1].maker = &p.kernel.steps[1]; }), "d is made by another step");
  EXPECT_EQ(mistake_of([&](LoopPlan& p) { inputs(p)[1].segmentation = -1; }), "d is made by another step");
  EXPECT_EQ(mistake_of([&](LoopPlan& p) { inputs(p)[1].segments = 0; }),
            "d is made of other operands than those of its step");
  EXPECT_EQ(mistake_of([&](LoopPlan& p) { inputs(p)[1].access = Loop::Access::kProgression; }),
            "d is made of other operands than those of its step");
  EXPECT_EQ(mistake_of([&](LoopPlan& p) { inputs(p)[1].is_constant = true; }), "d is not made of a constant");
}

TEST(VerifyPlan, FindsWrongLoops) {
  const auto mistake_of = [](const std::function<void(LoopPlan&, Loop&)>& spoil) {
    return mistake(kSum, [&](LoopPlan& p) { spoil(p, p.whole.loop); });
  };
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.steps.clear(); }), "the loop lacks the step of a");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.steps.push_back(l.steps[0]); }), "the loop has more steps than the stage");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.folds.clear(); }), "the loop has no fold for t");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.folds.push_back(l.folds[0]); }), "the loop has a fold too many");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.folds[0].number = 2; }), "t has number 2, not 0");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.folds[0].segmentation = 2; }), "t is computed in other segments");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.scans_by_blocks = true; }),
            "the loop does not tell whether it scans by blocks");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.outputs.clear(); }), "the kernel's caller reads a, which is not stored");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.outputs[0].in_nest = false; }),
            "the kernel's caller reads a, which is not stored in a nest");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.outputs[0].in_flat = l.outputs[0].in_nest = false; }),
            "a is stored in no form of the loop");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.outputs.push_back(l.outputs[0]); }), "a is stored twice");
  EXPECT_EQ(mistake_of([](LoopPlan& p, Loop& l) { l.outputs[0].value = number(p, "t"); }),
            "t is stored, but is not computed");
  EXPECT_EQ(mistake_of([](LoopPlan& p, Loop& l) { l.outputs[0].value = number(p, "x"); }),
            "x is stored where it is read");
  EXPECT_EQ(mistake_of([](LoopPlan& p, Loop& l) { l.outputs[0].value = number(p, "d"); }),
            "d is stored by the flat form, which reads it");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.repeated = 1; }), "the loop repeats 1 values, not 0");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.lanes = true; }), "lanes read the elements of x");
}

TEST(VerifyPlan, FindsWrongArguments) {
  const auto mistake_of = [](const std::function<void(Loop&)>& spoil) {
    return mistake(kSum, [&](LoopPlan& p) { spoil(p.whole.loop); });
  };
  EXPECT_EQ(mistake_of([](Loop& l) { l.inputs[0].elements = {}; }), "x lacks a member of the argument");
  EXPECT_EQ(mistake_of([](Loop& l) { l.inputs[0].elements = l.inputs[1].elements; }),
            "d has the member d of another value");
  EXPECT_EQ(mistake_of([](Loop& l) { l.inputs[1].step = l.starts; }), "the member starts of d is not a number");
  EXPECT_EQ(mistake_of([](Loop& l) { l.range_end = l.starts; }), "the member starts of the loop is not a number");
  EXPECT_EQ(mistake_of([](Loop& l) { l.folds[0].result = {77}; }), "t lacks a member of the argument");
  EXPECT_EQ(mistake_of([](Loop& l) { l.arguments.add("spare", ArgumentStruct::Type::kNumber); }),
            "nothing reads the member spare of the argument");
}

TEST(VerifyPlan, FindsWrongGathers) {
  const auto mistake_of = [](const std::function<void(LoopPlan&, Loop&)>& spoil) {
    return mistake("(x INT i INT w INT s SEGDES t SEGDES) OVER i g = BPERMUTE INT x i s t h = BPERMUTE INT w i s t OUT g h",
                   [&](LoopPlan& p) { spoil(p, p.whole.loop); });
  };
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.gathers[0].table = 2; }), "g is gathered from no table");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.gathers[0].table = 1; }), "g is gathered from another table");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { std::swap(l.gathers[0], l.gathers[1]); }), "the loop has no gather for g");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.tables[0].descriptor = 0; }),
            "table 0 is not an input with its descriptor");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.tables[0].segmentation = 1; }), "g is gathered from another table");
  EXPECT_EQ(mistake_of([](LoopPlan& p, Loop& l) { l.tables[1].value = number(p, "g"); }),
            "table 1 is not an input with its descriptor");
}

/// The sine, costly, is kept until the carries of the scan are known.
TEST(VerifyPlan, FindsWrongStages) {
  const auto mistake_of = [](const Spoil& spoil) {
    return mistake("(x FLOAT y FLOAT s SEGDES) OVER s a = SIN x b = +_SCAN FLOAT a s c = * FLOAT b y OUT c", spoil);
  };
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.before.reset(); }), "carries have no stage before them");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.after.reset(); }), "b needs carries, but is not computed after them");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.before->steps.push_back(p.whole.steps[2]); }),
            "c needs carries, but is computed before them");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.before->steps.pop_back(); }),
            "b is not computed before carries are known");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { std::swap(p.after->steps[0], p.after->steps[1]); }),
            "after carries: b is no step, or in another order");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.after->steps[0].number = 3; }), "after carries: b is another step");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { value(p, "a").kept = false; }), "an element keeps 0 bytes, not 8");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { value(p, "c").kept = true; }),
            "c is kept, but not computed before carries are known");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.only_scans_before = true; }),
            "a is computed before carries are known, where only scans are");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.before->loop.outputs.clear(); }),
            "the stage after the carries reads a, which is not stored");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.before->loop.folds.clear(); }), "the loop has no fold for b");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.after->loop.scans.clear(); }), "the loop has no scan for b");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.after->loop.scans[0].number = 1; }), "b has number 1, not 0");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.after->loop.scans_by_blocks = false; }),
            "the loop does not tell whether it scans by blocks");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.before->loop.outputs[0].may_stream = true; }),
            "a is stored past the cache, but read again or of bytes");
}

TEST(VerifyPlan, FindsWrongPacksAndScatters) {
  const auto mistake_of = [](const Spoil& spoil) {
    return mistake(
        "(x INT f BOOL i INT s SEGDES) OVER s y = + INT x x k n = PACK INT y f s l m = PACK INT x f s "
        "p = PERMUTE INT y i s OUT k n l m p",
        spoil);
  };
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.whole.steps[2].counts = true; }), "l counts what another PACK counts");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.whole.steps[2].number = 1; }), "l has another count than k");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.whole.steps[2].packed = 0; }), "PACK 1 is l");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.whole.loop.packs[1].counts = true; }), "l counts in another loop");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.whole.loop.packs[1].count = 5; }), "l has count 5, not 0");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.whole.loop.packs[0].lengths = {}; }), "k lacks a member of the argument");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.whole.loop.scatters.clear(); }), "the loop has no scatter for p");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.whole.loop.scatters[0].hashes = {}; }), "p lacks a member of the argument");
}

TEST(VerifyPlan, FindsWrongEpilogues) {
  const auto mistake_of = [](const Spoil& spoil) {
    return mistake(
        "(x FLOAT s SEGDES) OVER s t = +_REDUCE FLOAT x s u = MAX_REDUCE FLOAT x s r = / FLOAT t u OUT r", spoil);
  };
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.epilogues.clear(); }), "the epilogue r is missing");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.epilogues.push_back(p.epilogues[0]); }),
            "there are more epilogues than in the kernel");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.epilogues[0].segmentation = 4; }), "r has no segments");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { p.epilogues[0].segmentation = -1; }), "r reads t, which is not in memory");
  EXPECT_EQ(mistake_of([](LoopPlan& p) { value(p, "u").segments_of = -1; }), "r reads u, which has other segments");
}

TEST(VerifyPlan, FindsWrongLanes) {
  const auto mistake_of = [](const std::function<void(LoopPlan&, Loop&)>& spoil) {
    return mistake("(v FLOAT w FLOAT i INT s SEGDES x FLOAT) OVER s d = DIST FLOAT v s e = SLICE FLOAT w i s "
                   "a = - FLOAT d e m = MIN_INDEX FLOAT a s OUT m",
                   [&](LoopPlan& p) { spoil(p, p.whole.loop); });
  };
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.lanes = false; }), "arg-reductions have no lanes");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.arg_reductions.clear(); }), "lanes compute nothing");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.arg_reductions[0].segmentation = 1; }),
            "m is computed in other segments");
  EXPECT_EQ(mistake_of([](auto&, Loop& l) { l.outputs.clear(); }), "m reads a, which is not stored");
  EXPECT_EQ(mistake_of([](LoopPlan& p, Loop& l) { l.inputs[1].table = number(p, "v"); }),
            "e is made of other operands than those of its step");
}

TEST(VerifyPlan, FindsWrongProducts) {
  const auto mistake_of = [](const std::function<void(Loop&)>& spoil) {
    return mistake("(v FLOAT w FLOAT i INT j INT s SEGDES) OVER s d = SLICE FLOAT v i s e = SLICE FLOAT w j s "
                   "a = * FLOAT d e t = +_REDUCE FLOAT a s OUT t",
                   [&](LoopPlan& p) { spoil(p.whole.loop); });
  };
  EXPECT_EQ(mistake_of([](Loop&) {}), "");
  EXPECT_EQ(mistake_of([](Loop& l) { l.lanes = false; }), "a product computes more than one fold");
  EXPECT_EQ(mistake_of([](Loop& l) { std::swap(l.product->rows, l.product->columns); }), "");
  EXPECT_EQ(mistake_of([](Loop& l) { l.product->rows = l.product->columns; }),
            "d depends neither on the row nor on the column");
  EXPECT_EQ(mistake_of([](Loop& l) { l.product->length = l.product->columns_count; }),
            "the product has the member j columns of another value");
  EXPECT_EQ(mistake_of([](Loop& l) { l.product.reset(); }), "nothing reads the member i row distance of the argument");
}

TEST(VerifyPlan, FindsWrongRepetitions) {
  const std::string kernel =
      "(k INT s SEGDES) OVER s REPEATED 1 one = CONST INT 1 ones = DIST INT one s m = - INT k ones "
      "more = > INT m ones OUT m more";
  EXPECT_EQ(mistake(kernel, [](LoopPlan& p) { p.whole.loop.repeated = 2; }), "the loop repeats 2 values, not 1");
  EXPECT_EQ(mistake(kernel, [](LoopPlan& p) { value(p, "one").constant = 5; }), "one has another constant");
}

/// A row with neighbours: the interior is all elements but the first, whose index is low.
struct VerifyInterior : testing::Test {
  const std::string kernel_ =
      "(v INT t SEGDES first INT stride INT low INT high INT w INT u SEGDES) OVER u "
      "i = INDEX first stride u a = DIST INT low u b = DIST INT high u f = = INT i a e = NOT BOOL f j = - INT i a "
      "n = BPERMUTE INT w a t u k = BOUND n i o = + INT k a "
      "p = BFPERMUTE INT v j e t u q = BPERMUTE INT v o t u OUT p q";

  std::string mistake_of(const std::function<void(Loop::Interior&, LoopPlan&)>& spoil) const {
    return mistake(kernel_, [&](LoopPlan& p) { spoil(*p.whole.loop.interior, p); });
  }
};

TEST_F(VerifyInterior, NeedsTheBoundsThatKeepItFree) {
  const PlannedKernel planned(kernel_);
  const std::size_t count = planned.plan.whole.loop.interior->bounds.size();
  EXPECT_EQ(count, 4u);  // i is an INT, i - a /= 0, i >= 0, n - i - 1 >= 0
  for (std::size_t k = 0; k < count; ++k) {
    const auto without = [&](Loop::Interior& i, auto&) { i.bounds.erase(i.bounds.begin() + static_cast<long>(k)); };
    EXPECT_NE(mistake_of(without), "") << k;
    const auto weaker = [&](Loop::Interior& i, auto&) { ++i.bounds[k].value.constant; };
    EXPECT_NE(mistake_of(weaker), "") << k;
  }
}

TEST_F(VerifyInterior, NamesTheMistake) {
  EXPECT_EQ(mistake_of([](auto& i, auto&) { i.runs.clear(); }), "the interior reads no runs");
  EXPECT_EQ(mistake_of([](auto& i, auto&) { i.bounds.clear(); }), "the bounds do not imply that f is false");
  EXPECT_EQ(mistake_of([](auto& i, auto&) { std::erase_if(i.bounds, [](const auto& b) {
                         return b.relation == Loop::Interior::Relation::kNotNegative;
                       }); }),
            "the bounds do not imply that k has no fault");
  EXPECT_EQ(mistake_of([](auto& i, auto& p) { i.flags.push_back({number(p, "e"), true}), i.flags[0].value = true; }),
            "the bounds do not imply that f is true");
  EXPECT_EQ(mistake_of([](auto& i, auto&) { ++i.runs[0].index.constant; }), "the interior reads p at another index");
  EXPECT_EQ(mistake_of([](auto& i, auto&) { i.runs[0].table = 0; }), "the interior reads p from another table");
  EXPECT_EQ(mistake_of([](auto& i, auto&) { i.runs[0].index.slope = 2; }), "a bound of the interior has slope 2");
  EXPECT_EQ(mistake_of([](auto& i, auto& p) { i.runs[0].result = number(p, "j"); }),
            "the interior reads j from another table");
  EXPECT_EQ(mistake_of([](auto& i, auto& p) { i.faultless.push_back(number(p, "o")); }),
            "the bounds do not imply that o has no fault");
  EXPECT_EQ(mistake_of([](auto& i, auto&) { i.constants.clear(); }), "the interior depends on n before it is known");
  EXPECT_EQ(mistake_of([](auto& i, auto& p) { i.conditions.push_back({number(p, "a"), true}); }),
            "the condition a is not a BOOL of the segment");
  EXPECT_EQ(mistake_of([](auto& i, auto& p) { i.choices.push_back({number(p, "j"), {}, {}, {}}); }),
            "j is chosen by no SELECT");
}

}  // namespace
}  // namespace kernels
