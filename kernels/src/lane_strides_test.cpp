#include "kernels/lane_strides.h"

#include <gtest/gtest.h>

#include <string>

namespace kernels {
namespace {

using vcode::Op;

/// Expected strides of op applied to operands of these kinds: i, an INDEX; d, a DIST; x, an input; f, an input of
/// BOOLs.
std::string strides_of(Op op, const std::string& operands) {
  vcode::Kernel::Step step{.op = op, .results = {4}};
  for (const char c : operands) step.operands.push_back(static_cast<vcode::KernelVar>(std::string("idxf").find(c)));
  Loop loop;
  loop.inputs = {{.value = 0, .access = Loop::Access::kProgression},
                 {.value = 1, .access = Loop::Access::kSpread},
                 {.value = 2},
                 {.value = 3}};
  loop.steps = {&step};
  const Strides strides = lane_strides(loop, 5)[4];
  return std::string(strides.down ? "-" : "") + (strides.same ? "0" : "") + (strides.up ? "+" : "");
}

TEST(LaneStrides, SumsAndDifferencesOfIndicesHaveStrides) {
  EXPECT_EQ(strides_of(Op::kAdd, "id"), "+");
  EXPECT_EQ(strides_of(Op::kSubtract, "id"), "+");
  EXPECT_EQ(strides_of(Op::kSubtract, "di"), "-");
  EXPECT_EQ(strides_of(Op::kSubtract, "ii"), "0");
  EXPECT_EQ(strides_of(Op::kAdd, "ii"), "") << "two steps at a time";
  EXPECT_EQ(strides_of(Op::kAdd, "dd"), "0");
  EXPECT_EQ(strides_of(Op::kAdd, "xi"), "+") << "as the offset of a row and a column";
  EXPECT_EQ(strides_of(Op::kMultiply, "xi"), "");
}

TEST(LaneStrides, ChosenAndCheckedValuesHaveTheStridesOfTheirOperands) {
  EXPECT_EQ(strides_of(Op::kSelect, "fid"), "0+");
  EXPECT_EQ(strides_of(Op::kSelect, "fix"), "");
  EXPECT_EQ(strides_of(Op::kBound, "xi"), "+");
  EXPECT_EQ(strides_of(Op::kRequire, "xif"), "+");
  EXPECT_EQ(strides_of(Op::kRemainder, "id"), "+");
  EXPECT_EQ(strides_of(Op::kRemainder, "ix"), "");
}

TEST(LaneStrides, ValuesOfInvariantOperandsAreEqualInAllLanes) {
  EXPECT_EQ(strides_of(Op::kMultiply, "dd"), "0");
  EXPECT_EQ(strides_of(Op::kMultiply, "id"), "");
  EXPECT_EQ(strides_of(Op::kBpermute, "xd"), "0");
  EXPECT_EQ(strides_of(Op::kBpermute, "xi"), "");
}

}  // namespace
}  // namespace kernels
