#include "vcode/stack_effects.h"

#include <gtest/gtest.h>

#include "vcode_testing.h"

namespace vcode::testing {
namespace {

StackEffect effect_of(const char* text, const char* function) {
  Program program = read_good(text);
  StackEffects effects = infer_stack_effects(program, false);
  for (std::size_t f = 0; f < effects.size(); ++f)
    if (program.functions[f].name == function) return effects[f];
  return {};
}

TEST(Effects, InputsAndOutputs) {
  StackEffect e = effect_of("FUNC MAIN CALL f RET FUNC f COPY 1 0 + INT CONST BOOL T RET", "f");
  EXPECT_TRUE(e.analysed && e.returns && e.exact && !e.exits);
  ASSERT_EQ(e.inputs.size(), 1u);
  EXPECT_EQ(e.needed, 1u);
  EXPECT_EQ(e.types[e.inputs[0]].kinds, kinds::one(Kind::kInt));
  EXPECT_EQ(e.outputs, (std::vector<TypeId>{static_cast<TypeId>(Kind::kInt), static_cast<TypeId>(Kind::kBool)}));
}

TEST(Effects, ValuesPassedThroughKeepTheirType) {
  StackEffect e = effect_of("FUNC MAIN CALL swap RET FUNC swap CPOP 1 1 RET", "swap");
  EXPECT_EQ(e.inputs, (std::vector<TypeId>{5, 6}));   // the topmost first
  EXPECT_EQ(e.outputs, (std::vector<TypeId>{5, 6}));  // the topmost last
  EXPECT_EQ(e.types[5].kinds, kinds::kAny);
}

TEST(Effects, PartsOfPairs) {
  StackEffect e = effect_of("FUNC MAIN CALL f RET FUNC f UNPAIR FLOOR PAIR RET", "f");
  const ValueType& in = e.types[e.inputs[0]];
  const ValueType& out = e.types[e.outputs[0]];
  EXPECT_EQ(in.kinds, kinds::one(Kind::kPair));
  EXPECT_EQ(e.types[in.second].kinds, kinds::one(Kind::kFloat));
  EXPECT_EQ(out.first, in.first);
  EXPECT_EQ(out.second, static_cast<TypeId>(Kind::kInt));
}

TEST(Effects, RecursionReachesItsFixpoint) {
  StackEffect e = effect_of(
      "FUNC MAIN CONST INT 9 CALL f RET "
      "FUNC f COPY 1 0 CONST INT 0 = INT IF ELSE CONST INT 1 - INT CALL f ENDIF RET",
      "f");
  EXPECT_TRUE(e.returns && e.exact);
  EXPECT_EQ(e.inputs.size(), 1u);
  EXPECT_EQ(e.outputs.size(), 1u);
}

TEST(Effects, NeverReturns) {
  EXPECT_FALSE(effect_of("FUNC MAIN CALL f RET FUNC f CALL f RET", "MAIN").returns);
  StackEffect e = effect_of("FUNC MAIN CALL f RET FUNC f NOT INT EXIT RET", "f");
  EXPECT_TRUE(e.exits && !e.returns);
  EXPECT_EQ(e.needed, 1u);
  EXPECT_EQ(e.types[e.inputs[0]].required, kinds::one(Kind::kInt));
}

TEST(Effects, InputsOfOnlyOneBranchAreNotRequired) {
  StackEffect e = effect_of("FUNC MAIN CALL f RET FUNC f IF + INT ELSE CPOP 1 1 POP 1 0 ENDIF RET", "f");
  EXPECT_EQ(e.inputs.size(), 3u);
  EXPECT_EQ(e.needed, 3u);
  EXPECT_EQ(e.types[e.inputs[0]].required, kinds::one(Kind::kInt) | kinds::one(Kind::kBool));
  EXPECT_EQ(e.types[e.inputs[1]].required, kinds::kAny);
  EXPECT_EQ(e.types[e.outputs[0]].kinds, kinds::kAny);
}

TEST(Effects, DependsOnData) {
  EXPECT_FALSE(effect_of("FUNC MAIN CALL f RET FUNC f IF CONST INT 1 ENDIF RET", "f").exact);
  EXPECT_FALSE(effect_of("FUNC MAIN CALL f RET FUNC f IF POP 1 0 CALL f ENDIF RET", "f").exact);
}

TEST(Effects, UnreachableFunctionsAreLeftOut) { EXPECT_FALSE(effect_of("FUNC MAIN RET FUNC f RET", "f").analysed); }

}  // namespace
}  // namespace vcode::testing
