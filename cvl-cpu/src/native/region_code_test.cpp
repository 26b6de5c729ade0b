#include "native/region_code.h"

#include <gtest/gtest.h>

#include "vcode/ops.h"

namespace cvl::cpu {
namespace {

using vcode::Kind;
using vcode::Op;
using vcode::Suffix;

constexpr NativeTarget kTarget = {"x86-64", 16, "_ZGVbN"};

/// y = x + d, r = SELECT f y x, of INTs, where d is spread.
struct AddAndSelect {
  vcode::Kernel kernel;
  Region region;
  std::vector<ElemType> types = {ElemType::kI32, ElemType::kI32, ElemType::kB8, ElemType::kI32, ElemType::kI32};

  AddAndSelect() {
    kernel.values = {{"x", Kind::kInt}, {"d", Kind::kInt}, {"f", Kind::kBool}, {"y", Kind::kInt}, {"r", Kind::kInt}};
    kernel.steps = {{.op = Op::kAdd, .suffix = Suffix::kInt, .operands = {0, 1}, .results = {3}},
                    {.op = Op::kSelect, .suffix = Suffix::kInt, .operands = {2, 3, 0}, .results = {4}}};
    region.steps = {&kernel.steps[0], &kernel.steps[1]};
    region.inputs = {{0, false, 0}, {1, true, 1}, {2, false, 0}};
    region.outputs = {{4, false}};
  }
  std::string code(bool is_flat) const {
    NativeModule module(kTarget);
    module.add("k", kernel, region, types, is_flat);
    return module.text();
  }
};

/// The text from `begin` up to `end`.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin), to = text.find(end, from);
  return from == text.npos || to == text.npos ? text : text.substr(from, to - from);
}

TEST(RegionCode, WhatIsBetweenStaysInRegisters) {
  EXPECT_EQ(between(AddAndSelect().code(true), "  ; y = +", "  %next = add"),
            "  ; y = +\n"
            "  %t16 = add <4 x i32> %t12, %t10\n"
            "  ; r = SELECT\n"
            "  %t17 = select <4 x i1> %t15, <4 x i32> %t16, <4 x i32> %t12\n"
            "  %t18 = getelementptr i32, ptr %t7, i64 %e\n"
            "  store <4 x i32> %t17, ptr %t18, align 4\n");
}

TEST(RegionCode, WhatIsSpreadIsLoadedOnceIfThereIsOneSegment) {
  const auto loads_of_vectors = [](const std::string& code) {
    int n = 0;
    for (std::size_t at = 0; (at = code.find("= load <", at)) != code.npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(loads_of_vectors(between(AddAndSelect().code(true), "loop:", "rest:")), 2);
  EXPECT_EQ(loads_of_vectors(between(AddAndSelect().code(false), "loop:", "rest:")), 3);
}

TEST(RegionCode, WhatIsLeftAtTheEndIsMasked) {
  const std::string tail = between(AddAndSelect().code(true), "tail:", "done:");
  EXPECT_EQ(tail.find("= load <"), tail.npos);
  EXPECT_NE(tail.find("call <4 x i32> @llvm.masked.load.v4i32.p0(ptr"), tail.npos) << tail;
  EXPECT_NE(tail.find("call <4 x i8> @llvm.masked.load.v4i8.p0(ptr"), tail.npos) << tail;
  EXPECT_NE(tail.find("call void @llvm.masked.store.v4i32.p0(<4 x i32> %"), tail.npos) << tail;
}

/// Two registers of doubles beside one of 32-bit integers.
TEST(RegionCode, LanesAreThoseOfTheNarrowestNumbers) {
  AddAndSelect job;
  job.types[1] = job.types[0] = job.types[3] = job.types[4] = ElemType::kF64;
  EXPECT_NE(job.code(true).find("fadd <2 x double>"), std::string::npos) << job.code(true);
  job.kernel.steps[1] = {.op = Op::kFloor, .operands = {3}, .results = {4}};
  job.types[4] = ElemType::kI32;
  EXPECT_NE(job.code(true).find("fadd <4 x double>"), std::string::npos) << job.code(true);
}

int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; ++at) ++n;
  return n;
}

/// A sum of y, which nothing else reads.
struct AddAndSum : AddAndSelect {
  vcode::Kernel::Step sum{.op = Op::kSumReduce, .suffix = Suffix::kInt, .operands = {3, 0}, .results = {4}};

  explicit AddAndSum(ElemType type) {
    types[0] = types[1] = types[3] = type;
    region.steps = {&kernel.steps[0]};
    region.inputs = {{0, false, 0}, {1, true, 1}};
    region.outputs = {{3, true, false}};
    region.folds = {{&sum, 0}};
  }
};

TEST(RegionCode, WhatIsOnlyFoldedIsNotStoredIfThereIsOneSegment) {
  AddAndSum job(ElemType::kI32);
  EXPECT_EQ(count(job.code(true), "  store "), 1);  // of the sum
  EXPECT_EQ(count(job.code(false), "  store "), 1);
  EXPECT_EQ(count(job.code(false), "phi <4 x i32>"), 0);
  EXPECT_EQ(count(job.code(true), "phi <4 x i32>"), 3);  // in the loop, behind it, and behind what is left
}

/// Four accumulators of a cache line, whatever a register holds.
TEST(RegionCode, FloatsAreFoldedAsByTheLoops) {
  EXPECT_EQ(count(AddAndSum(ElemType::kF64).code(true), "phi <8 x double>"), 3 * 4);
  EXPECT_EQ(count(AddAndSum(ElemType::kF32).code(true), "phi <16 x float>"), 3 * 4);
}

TEST(RegionCode, WhatIsNotReadAgainMayBeWrittenPastTheCache) {
  AddAndSelect job;
  EXPECT_EQ(count(job.code(true), "!nontemporal"), 0);
  job.region.outputs = {{4, false, true}};
  EXPECT_EQ(count(job.code(true), "!nontemporal"), 1);
}

}  // namespace
}  // namespace cvl::cpu
