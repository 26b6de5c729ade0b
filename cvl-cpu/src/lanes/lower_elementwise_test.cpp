#include "lanes/lower_elementwise.h"

#include <gtest/gtest.h>

#include "cvl/op_dispatch.h"

namespace cvl::cpu {
namespace {

using vcode::Op;
using vcode::Suffix;

constexpr std::array kNames = {"%a", "%b", "%c"};

/// Operation on four lanes each of %a, %b and %c.
struct Lowered {
  LlvmText text{*native_target("sse2"), 4};
  LoweredOperation operation;

  Lowered(Op op, Suffix suffix, ElemType result, std::array<ElemType, 3> types) {
    std::array<LaneValue, 3> operands;
    for (std::size_t k = 0; k < operands.size(); ++k) operands[k] = {kNames[k], types[k]};
    operation = lower_elementwise(text, op, suffix, result, operands);
  }
  int count(std::string_view instruction) const {
    int n = 0;
    for (std::size_t at = 0; (at = text.body().find(instruction, at)) != std::string::npos; ++at) ++n;
    return n;
  }
};

template <class Row>
void lower_each_storage() {
  const Suffix suffix = vcode::info(Row::kOp).takes(Suffix::kInt) ? Suffix::kInt : Suffix::kNone;
  for_each_storage<Row>([&]<int arity, ElemType r, ElemType a, ElemType b, ElemType c>() {
    const Lowered lowered(Row::kOp, suffix, r, {a, b, c});
    EXPECT_EQ(lowered.operation.value.type, r) << vcode::info(Row::kOp).name;
    EXPECT_EQ(lowered.operation.faults.empty(), !vcode::info(Row::kOp).can_fault(suffix));
  });
}

TEST(LowerElementwise, EachRowHasLanesOfEachStorage) {
#define VC_ELEMENTWISE(Name, ...) lower_each_storage<vcode::ops::Name>();
#include "vcode/ops.def"
}

TEST(LowerElementwise, ExpressionsAreInstructions) {
  constexpr ElemType kInt = ElemType::kI32, kFloat = ElemType::kF64;
  const Lowered bound(Op::kBound, Suffix::kNone, kInt, {kInt, kInt, kInt});
  EXPECT_EQ(bound.operation.value.text, "%b");
  for (const char* instruction : {"icmp slt <4 x i32> %b, splat (i32 0)", "icmp sge <4 x i32> %b, %a", "or <4 x i1>"})
    EXPECT_EQ(bound.count(instruction), 1) << bound.text.body();
  EXPECT_EQ(bound.count("="), 3) << bound.text.body();

  const Lowered select(Op::kSelect, Suffix::kFloat, kFloat, {ElemType::kB8, kFloat, kFloat});
  EXPECT_EQ(select.text.body(), "  %t0 = select <4 x i1> %a, <4 x double> %b, <4 x double> %c\n");

  const Lowered shift(Op::kShiftRight, Suffix::kNone, kInt, {kInt, kInt, kInt});
  EXPECT_EQ(shift.count("and <4 x i32> %b, splat (i32 31)"), 1) << shift.text.body();
  EXPECT_EQ(shift.count("ashr <4 x i32> %a, %t0"), 1) << shift.text.body();
}

TEST(LowerElementwise, DivisorsOfAllLanesAreInvertedOnce) {
  LlvmText text(*native_target("sse2"), 4);
  LaneValue divisor{"%b", ElemType::kI32};
  lower_divisor(text, divisor);
  const std::size_t once = text.body().size();
  lower_elementwise(text, Op::kRemainder, Suffix::kNone, ElemType::kI32,
                    {LaneValue{"%a", ElemType::kI32}, divisor, LaneValue{}});
  EXPECT_NE(text.body().find("fmul", once), std::string::npos);
  EXPECT_EQ(text.body().find("fdiv", once), std::string::npos);
}

/// Only where a dividend is too large or too small is there a division.
TEST(LowerElementwise, QuotientsOfDoublesAreProducts) {
  constexpr ElemType kFloat = ElemType::kF64;
  LlvmText text(*native_target("avx512"), 8);
  LaneValue divisor{"%b", kFloat};
  lower_divisor(text, divisor);
  const std::size_t once = text.body().size();
  lower_elementwise(text, Op::kDivide, Suffix::kFloat, kFloat, {LaneValue{"%a", kFloat}, divisor, LaneValue{}});
  const std::string code = text.body().substr(once);
  const std::size_t rarely = code.find("divide.0:\n");
  ASSERT_NE(rarely, std::string::npos) << code;
  EXPECT_GT(code.find("fdiv"), rarely) << code;
  EXPECT_NE(code.find("llvm.fma.v8f64"), std::string::npos) << code;
  EXPECT_TRUE(divides_by_reciprocal(Op::kDivide, kFloat, *native_target("avx512")));
  EXPECT_FALSE(divides_by_reciprocal(Op::kDivide, kFloat, *native_target("avx2")));
  EXPECT_FALSE(divides_by_reciprocal(Op::kDivide, ElemType::kF32, *native_target("avx512")));
}

}  // namespace
}  // namespace cvl::cpu
