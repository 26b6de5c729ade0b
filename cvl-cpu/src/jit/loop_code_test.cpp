#include "jit/loop_code.h"

#include <gtest/gtest.h>

#include <utility>

#include "cvl/backend.h"
#include "vcode/op.h"

namespace cvl::cpu {
namespace {

using vcode::Kind;
using vcode::Op;
using vcode::Suffix;

const NativeTarget& kTarget = *native_target("sse2");

Loop::Output output(vcode::KernelVar value, bool in_nest = true, bool may_stream = false) {
  return {.value = value, .in_nest = in_nest, .may_stream = may_stream};
}

/// Kernel y = x + d, r = SELECT f y x over INTs, where a DIST generates d.
struct AddAndSelect {
  vcode::Kernel kernel;
  Loop loop;
  std::vector<ElemType> types = {ElemType::kI32, ElemType::kI32, ElemType::kB8, ElemType::kI32, ElemType::kI32};

  AddAndSelect() {
    kernel.values = {{"x", Kind::kInt}, {"d", Kind::kInt}, {"f", Kind::kBool}, {"y", Kind::kInt}, {"r", Kind::kInt}};
    kernel.steps = {{.op = Op::kAdd, .suffix = Suffix::kInt, .operands = {0, 1}, .results = {3}},
                    {.op = Op::kSelect, .suffix = Suffix::kInt, .operands = {2, 3, 0}, .results = {4}}};
    loop.steps = {&kernel.steps[0], &kernel.steps[1]};
    loop.inputs = {{.value = 0}, {.value = 1, .access = Loop::Access::kSpread, .segments = 1}, {.value = 2}};
    loop.outputs = {output(4)};
  }
  /// The loop with the members of its argument.
  Loop complete() const {
    Loop complete = loop;
    complete.add_members(kernel.values);
    return complete;
  }
  void add_to(LoopModule& module, bool by_segments, const std::string& name = "k") const {
    module.add(name, kernel, complete(), types, by_segments ? Loop::Form::kNest : Loop::Form::kFlat);
  }
  std::string code(bool by_segments) const {
    LoopModule module(kTarget);
    add_to(module, by_segments);
    return module.text();
  }
};

/// The text from `begin` up to `end`; all of it if they do not occur.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin), to = text.find(end, from);
  return from == text.npos || to == text.npos ? text : text.substr(from, to - from);
}

int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; ++at) ++n;
  return n;
}

TEST(NativeTargets, BaselineIsTheLeastInstructionSet) {
  for (const std::string_view name : kNativeTargets) EXPECT_NE(native_target(name), nullptr) << name;
#if defined(__x86_64__)
  EXPECT_EQ(native_target("baseline"), native_target("sse2"));
#elif defined(__aarch64__)
  EXPECT_EQ(native_target("baseline"), native_target("neon"));
#endif
  EXPECT_EQ(native_target("vax"), nullptr);
}

TEST(LoopCode, IntermediateValuesStayInRegisters) {
  EXPECT_EQ(between(AddAndSelect().code(true), "  ; y = +", "  %e.next = add"),
            "  ; y = +\n"
            "  %t34 = add <4 x i32> %t30, %t26\n"
            "  ; r = SELECT\n"
            "  %t35 = select <4 x i1> %t33, <4 x i32> %t34, <4 x i32> %t30\n"
            "  %t36 = getelementptr i32, ptr %t5, i64 %e\n"
            "  store <4 x i32> %t35, ptr %t36, align 4\n");
}

/// Kernel r = BFPERMUTE v y f t s, where y is computed from x and d.
struct ComputeAndGather : AddAndSelect {
  ComputeAndGather(Op position, ElemType table) {
    kernel.values.insert(kernel.values.end(), {{"v", Kind::kInt}, {"t", Kind::kSegdes}, {"s", Kind::kSegdes}});
    types.insert(types.end(), {table, ElemType::kI32, ElemType::kI32});
    types[4] = table;
    kernel.steps[0].op = position;
    kernel.steps[1] = {.op = Op::kBfpermute, .suffix = Suffix::kInt, .operands = {5, 3, 2, 6, 7}, .results = {4}};
    loop.tables = {{.value = 5, .descriptor = 6}};
    loop.gathers = {{loop.steps[1], 0}};
  }
  /// The code of the gather in the loop.
  std::string code_for(const NativeTarget& target, const char* end = "store ") const {
    LoopModule module(target);
    add_to(module, true);
    return between(module.text(), "; r = ", end);
  }
};

/// Targets with four lanes of 32 bits.
const NativeTarget kMasks = {kTarget.triple, "x86-64-v4", 16, "", true, true, true}, kNoMasks = kTarget;

/// One prefetch for an input of four ints and one for an input of four truth values, but none for the generated input;
/// none at all without a gather.
TEST(LoopCode, InputsOfLoopsWithGathersArePrefetchedInTheLoop) {
  const std::string code = ComputeAndGather(Op::kMultiply, ElemType::kI32).code(true);
  EXPECT_EQ(count(between(code, "loop:", "rest:"), "call void @llvm.prefetch.p0"), 2) << code;
  EXPECT_EQ(count(code, "call void @llvm.prefetch.p0"), 2);
  EXPECT_EQ(count(AddAndSelect().code(true), "call void @llvm.prefetch.p0"), 0);
}

TEST(LoopCode, GathersCheckIndicesAndReadOnlyWhereFlagsAreTrue) {
  const std::string loop = ComputeAndGather(Op::kMultiply, ElemType::kI32).code_for(kMasks);
  EXPECT_EQ(count(loop, "icmp uge <4 x i32>"), 1) << loop;
  EXPECT_EQ(count(loop, "and <4 x i1>"), 2) << loop;  // faults, and lanes that read
  EXPECT_EQ(count(loop, "splat (i1 true)"), 0) << loop;
}

TEST(LoopCode, WithoutMaskedGathersInactiveLanesReadTheFirstElement) {
  for (const ElemType type : {ElemType::kI32, ElemType::kB8}) {
    const ComputeAndGather job(Op::kMultiply, type);
    EXPECT_EQ(count(job.code_for(kNoMasks), "zeroinitializer"), 1) << job.code_for(kNoMasks);
    EXPECT_EQ(count(job.code_for(kNoMasks, "%e.next"), "= insertelement <4 x "), 4);
  }
  EXPECT_EQ(count(ComputeAndGather(Op::kMultiply, ElemType::kB8).code_for(kMasks), "@llvm.masked.gather.v4i32"), 1);
}

/// Once for each segment: start and end of the segment's table, and whether that has an element at all.
TEST(LoopCode, TablesOfSegmentsAreFoundOnceForEachSegment) {
  const ComputeAndGather job(Op::kMultiply, ElemType::kI32);
  EXPECT_EQ(count(between(job.code(true), "open:", "next:"), "= select i1 "), 1) << job.code(true);
  EXPECT_EQ(count(between(job.code(true), "open:", "next:"), "= load i64, ptr "), 2) << job.code(true);
  EXPECT_EQ(count(job.code(false), "= select i1 "), 0);
}

/// Indices that are in memory are prefetched in the loop over elements, and for short segments also in the tail.
TEST(LoopCode, ElementsOfFarTablesArePrefetched) {
  ComputeAndGather job(Op::kMultiply, ElemType::kI32);
  const auto fetched = [&](bool by_segments, const std::string& begin, const std::string& end) {
    return count(between(between(job.code(by_segments), begin, end), "label %far.", "br label %fetched."),
                 "@llvm.prefetch");
  };
  EXPECT_EQ(count(job.code(false), "far."), 0);
  job.kernel.steps[1].operands[1] = 0;
  EXPECT_EQ(fetched(false, "loop:", "rest:"), 4);
  EXPECT_EQ(count(between(job.code(false), "tail:", "done:"), "far."), 0);
  EXPECT_EQ(fetched(true, "loop:", "rest:"), 4);
  EXPECT_EQ(fetched(true, "tail:", "done:"), 4);
}

/// Indices that are sums may be consecutive.
TEST(LoopCode, ElementsAtConsecutiveIndicesAreLoadedTogether) {
  const auto loads = [](Op position, const NativeTarget& target) {
    const std::string loop = ComputeAndGather(position, ElemType::kI32).code_for(target);
    EXPECT_EQ(count(loop, "call <4 x i32> @llvm.masked.gather"), target.gathers_with_mask) << loop;
    return std::pair(count(loop, "call <4 x i32> @llvm.masked.load"), count(loop, "= load <4 x i32>"));
  };
  EXPECT_EQ(loads(Op::kAdd, kMasks), std::pair(1, 0));
  EXPECT_EQ(loads(Op::kSubtract, kNoMasks), std::pair(0, 1));
  EXPECT_EQ(loads(Op::kMultiply, kMasks), std::pair(0, 0));
}

/// Elements at descending indices are loaded and reversed; for equal indices a single element is loaded.
TEST(LoopCode, ElementsAtDescendingOrEqualIndicesAreLoadedTogether) {
  ComputeAndGather job(Op::kSubtract, ElemType::kI32);
  job.kernel.steps[0].operands = {1, 0};  // the generated input minus an INDEX
  job.loop.inputs[0] = {.value = 0, .access = Loop::Access::kProgression, .segments = 0, .stride = 0};
  const std::string down = job.code_for(kMasks);
  EXPECT_EQ(count(down, "<i32 0, i32 -1, i32 -2, i32 -3>"), 1) << down;
  EXPECT_EQ(count(down, "<4 x i32> <i32 3, i32 2, i32 1, i32 0>"), 2) << down;  // the lanes that read, and the elements
  EXPECT_EQ(count(down, "call <4 x i32> @llvm.masked.load"), 1) << down;
  job.kernel.steps[0].operands = {1, 1};
  const std::string same = job.code_for(kMasks);
  EXPECT_EQ(count(same, "call <4 x i32> @llvm.masked.load"), 0) << same;
  EXPECT_EQ(count(same, "load i32"), 1) << same;
}

/// y = POW x d over FLOATs of 32 bits.
TEST(LoopCode, FunctionsAreCalledForRegistersOfDoubles) {
  AddAndSelect job;
  job.kernel.steps[0] = {.op = Op::kPower, .operands = {0, 1}, .results = {3}};
  job.kernel.steps[1].suffix = Suffix::kFloat;
  job.types[0] = job.types[1] = job.types[3] = job.types[4] = ElemType::kF32;
  const auto loop = [&](const char* target) {
    LoopModule module(*native_target(target));
    job.add_to(module, false);
    return between(module.text(), "loop:", "rest:");
  };
  for (const char* target : {"sse2", "neon"}) {
    const std::string code = loop(target);
    EXPECT_EQ(count(code, "call <2 x double> @nesl_baseline_power_f32("), 2) << code;
    EXPECT_EQ(count(code, "fpext"), 4) << code;
    EXPECT_EQ(count(code, "fptrunc"), 2) << code;
  }
}

/// x is generated by INDEX.
TEST(LoopCode, SegmentLoopsComputeResultsOfIndex) {
  AddAndSelect job;
  const std::size_t members = job.complete().arguments.members().size();
  job.loop.inputs[0] = {.value = 0, .access = Loop::Access::kProgression, .stride = 1};
  EXPECT_EQ(job.complete().arguments.members().size(), members + 3);  // starts, their distance, and the strides
  EXPECT_EQ(count(between(job.code(true), "loop:", "rest:"), "= load <"), 1);  // flags
  EXPECT_EQ(count(between(job.code(true), "loop:", "rest:"), "mul i32"), 1);
  EXPECT_EQ(count(between(job.code(false), "loop:", "rest:"), "= load <"), 3);
}

TEST(LoopCode, SegmentLoopsLoadResultsOfDistOncePerSegment) {
  const auto loads_of_vectors = [](const std::string& code) {
    int n = 0;
    for (std::size_t at = 0; (at = code.find("= load <", at)) != code.npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(loads_of_vectors(between(AddAndSelect().code(true), "loop:", "rest:")), 2);
  EXPECT_EQ(loads_of_vectors(between(AddAndSelect().code(false), "loop:", "rest:")), 3);
}

/// x is generated by SLICE; no elements are loaded before it is checked that the segment's are within the table.
TEST(LoopCode, SegmentLoopsLoadSlicesFromTheirTables) {
  AddAndSelect job;
  job.loop.inputs[0] = {.value = 0, .access = Loop::Access::kSlice, .segments = 1, .table = 3};
  const std::string code = job.code(true);
  EXPECT_EQ(count(between(code, "open:", "inside:"), "icmp sge i64"), 1) << code;
  EXPECT_EQ(count(between(code, "open:", "inside:"), "icmp sle i64"), 1) << code;
  EXPECT_NE(code.find("label %inside, label %outside"), code.npos) << code;
  EXPECT_EQ(count(between(code, "loop:", "rest:"), "= load <"), 2) << code;
}

/// y = x / d, r = % x d: the reciprocal of d is computed before the loop over a segment's elements.
TEST(LoopCode, DivisionByResultsOfDistIsMultiplication) {
  AddAndSelect job;
  job.kernel.steps = {{.op = Op::kDivide, .suffix = Suffix::kInt, .operands = {0, 1}, .results = {3}},
                      {.op = Op::kRemainder, .operands = {0, 1}, .results = {4}}};
  job.loop.inputs = {{.value = 0}, {.value = 1, .access = Loop::Access::kSpread, .segments = 1}};
  EXPECT_EQ(count(between(job.code(true), "entry:", "loop:"), "fdiv"), 1);
  EXPECT_EQ(count(between(job.code(true), "loop:", "rest:"), "fdiv"), 0);
  EXPECT_EQ(count(between(job.code(true), "loop:", "rest:"), "fmul"), 2);
  EXPECT_EQ(count(between(job.code(false), "loop:", "rest:"), "fdiv"), 2);
  job.types[0] = job.types[1] = job.types[3] = job.types[4] = ElemType::kI64;
  EXPECT_EQ(count(between(job.code(true), "loop:", "rest:"), "sdiv"), 2);
}

TEST(LoopCode, TailIsLoadedAndStoredWithMasks) {
  const std::string tail = between(AddAndSelect().code(true), "tail:", "done:");
  EXPECT_EQ(tail.find("= load <"), tail.npos);
  EXPECT_NE(tail.find("call <4 x i32> @llvm.masked.load.v4i32.p0(ptr"), tail.npos) << tail;
  EXPECT_NE(tail.find("call <4 x i8> @llvm.masked.load.v4i8.p0(ptr"), tail.npos) << tail;
  EXPECT_NE(tail.find("call void @llvm.masked.store.v4i32.p0(<4 x i32> %"), tail.npos) << tail;
}

/// Two registers of doubles next to one of 32-bit integers.
TEST(LoopCode, NarrowestNumbersDetermineTheNumberOfLanes) {
  AddAndSelect job;
  job.types[1] = job.types[0] = job.types[3] = job.types[4] = ElemType::kF64;
  EXPECT_NE(job.code(true).find("fadd <2 x double>"), std::string::npos) << job.code(true);
  job.kernel.steps[1] = {.op = Op::kFloor, .operands = {3}, .results = {4}};
  job.types[4] = ElemType::kI32;
  EXPECT_NE(job.code(true).find("fadd <4 x double>"), std::string::npos) << job.code(true);
}

/// Kernel with a sum of y, which nothing else reads.
struct AddAndSum : AddAndSelect {
  vcode::Kernel::Step sum{.op = Op::kSumReduce, .suffix = Suffix::kInt, .operands = {3, 0}, .results = {4}};

  explicit AddAndSum(ElemType type) {
    types[0] = types[1] = types[3] = type;
    loop.steps = {&kernel.steps[0]};
    loop.inputs = {{.value = 0}, {.value = 1, .access = Loop::Access::kSpread, .segments = 1}};
    loop.outputs = {output(3, false)};
    loop.folds = {{.step = &sum}};
  }
};

TEST(LoopCode, SegmentLoopsDoNotStoreValuesThatAreOnlyFolded) {
  AddAndSum job(ElemType::kI32);
  EXPECT_EQ(count(job.code(true), "  store "), 2);  // of the sum, and of the empty value
  EXPECT_EQ(count(job.code(false), "  store "), 1);
  EXPECT_EQ(count(job.code(false), "phi <4 x i32>"), 0);
  EXPECT_EQ(count(job.code(true), "phi <4 x i32>"), 3);  // in the loop, after it, and after the tail
}

/// Four accumulators of a cache line, whatever the size of a register.
TEST(LoopCode, FloatsAreFoldedWithTheGroupingOfTheKernelTable) {
  EXPECT_EQ(count(AddAndSum(ElemType::kF64).code(true), "phi <8 x double>"), 3 * 4);
  EXPECT_EQ(count(AddAndSum(ElemType::kF32).code(true), "phi <16 x float>"), 3 * 4);
}

/// Kernel with an exclusive scan of y, which nothing else reads.
struct AddAndScan : AddAndSelect {
  AddAndScan(Op op, ElemType type) {
    types[0] = types[1] = types[3] = types[4] = type;
    kernel.steps[1] = {.op = op, .suffix = Suffix::kInt, .operands = {3, 0}, .results = {4}};
    loop.steps = {&kernel.steps[0], &kernel.steps[1]};
    loop.inputs = {{.value = 0}, {.value = 1, .access = Loop::Access::kSpread, .segments = 1}};
    loop.outputs = {output(3, false), output(4, true, true)};
    loop.scans = {{.step = &kernel.steps[1]}};
    loop.folds = {{.step = &kernel.steps[1]}};
  }
  std::string loop_for(const char* target, bool by_segments) const {
    LoopModule module(*native_target(target));
    add_to(module, by_segments);
    return between(module.text(), "; t = ", "%e.next = add");
  }
};

/// Lanes move by 1 and by 2; then the last lane is broadcast, and all move by 1.
TEST(LoopCode, IntegersAreScannedInLogarithmicallyManySteps) {
  AddAndScan job(Op::kSumScan, ElemType::kI32);
  job.kernel.values[4].name = "t";
  EXPECT_EQ(count(job.loop_for("sse2", true), "= shufflevector"), 4) << job.loop_for("sse2", true);
  EXPECT_EQ(count(job.loop_for("avx512", true), "= shufflevector"), 6);
  EXPECT_EQ(count(job.loop_for("sse2", true), "i4 "), 0);  // no head flags
}

/// The loops of isa/ group floats of every instruction set in the same way.
TEST(LoopCode, FloatsAreScannedByTheGroupsOfALineOnEveryInstructionSet) {
  AddAndScan job(Op::kSumScan, ElemType::kF64);
  job.kernel.values[4].name = "t";
  for (const char* simd : {"avx2", "avx512"}) {
    EXPECT_EQ(count(job.loop_for(simd, false), "= fadd <1 x double>"), 0) << simd;
    EXPECT_EQ(count(job.loop_for(simd, false), "= fadd <8 x double>"), 4) << job.loop_for(simd, false);
  }
}

TEST(LoopCode, ElementLoopsWithScansReadHeadFlags) {
  AddAndScan job(Op::kSumScan, ElemType::kI32);
  const std::string code = job.code(false);
  EXPECT_EQ(count(between(code, "loop:", "rest:"), "load <4 x i8>"), 1) << code;
  EXPECT_EQ(count(between(code, "tail:", "done:"), "load <4 x i8>"), 1) << code;
  EXPECT_EQ(count(job.code(true), "<4 x i8>"), 0);
}

/// The empty value of MAX over floats is not its identity element.
TEST(LoopCode, FirstElementIsAHeadIfTheEmptyValueIsNotTheIdentityElement) {
  EXPECT_EQ(count(AddAndScan(Op::kMaxScan, ElemType::kF64).code(true), "icmp eq i64 %e, "), 1);
  EXPECT_EQ(count(AddAndScan(Op::kMaxScan, ElemType::kI32).code(true), "icmp eq i64 %e, "), 0);
}

TEST(LoopCode, SegmentLoopsDoNotStoreValuesThatAreOnlyScanned) {
  const AddAndScan job(Op::kSumScan, ElemType::kI32);
  EXPECT_EQ(count(between(job.code(true), "loop:", "rest:"), "  store "), 2);  // of the result, streamed or not
  EXPECT_EQ(count(between(job.code(false), "loop:", "rest:"), "  store "), 3);
}

/// Kernel with a PERMUTE of y to indices x.
struct AddAndPermute : AddAndSelect {
  explicit AddAndPermute(ElemType type) {
    types[1] = types[3] = types[4] = type;
    kernel.values[4].name = "t";
    kernel.steps[0].operands = {1, 1};
    if (type == ElemType::kB8) kernel.steps[0].op = Op::kOr;
    kernel.steps[1] = {.op = Op::kPermute, .suffix = Suffix::kInt, .operands = {3, 0, 0}, .results = {4}};
    loop.inputs = {{.value = 0}, {.value = 1}};
    loop.outputs = {};
    loop.scatters = {{.step = &kernel.steps[1]}};
  }
  std::string code_for(const char* target) const {
    LoopModule module(*native_target(target));
    add_to(module, false);
    return module.text();
  }
};

/// Elements are stored one by one, none of them if an index is out of range; the tail is stored with a mask.
TEST(LoopCode, PermutedElementsAreStoredAtTheirTargets) {
  const std::string code = AddAndPermute(ElemType::kF64).code_for("avx512");
  EXPECT_EQ(count(between(code, "scatter.0:", "scattered.0:"), "  store double "), 16) << code;
  EXPECT_EQ(count(between(code, "tail:", "done:"), "@llvm.masked.scatter.v16f64"), 1) << code;
  EXPECT_EQ(count(between(code, "tail:", "done:"), "  store double "), 0) << code;
  EXPECT_EQ(count(between(code, "loop:", "scatter.0:"), "icmp uge <16 x i32>"), 1) << code;
  EXPECT_EQ(count(code, ", label %scattered."), 2);
}

/// The hashes must equal those of scatter_loops.cpp, or no permutation would be recognized.
TEST(LoopCode, HashesOfTargetsEqualThoseOfTheKernelTable) {
  const std::string loop = between(AddAndPermute(ElemType::kB8).code_for("avx2"), "loop:", "rest:");
  EXPECT_EQ(count(loop, "splat (i32 2135587861)"), 1) << loop;
  EXPECT_EQ(count(loop, "splat (i32 -1640531535)"), 1) << loop;
  EXPECT_EQ(count(loop, "splat (i32 15)"), 1) << loop;
  EXPECT_EQ(count(loop, "mul <8 x i64>"), 1) << loop;
  EXPECT_EQ(count(loop, "  store i8 "), 8) << loop;
}

/// Kernel with the MIN_INDEX of y = x + d, where a SLICE generates x and a DIST generates d.
struct AddAndFind : AddAndSelect {
  vcode::Kernel::Step find{.op = Op::kMinIndex, .suffix = Suffix::kFloat, .operands = {3, 0}, .results = {4}};

  std::string code_for(const char* target) {
    types[1] = types[3] = ElemType::kF64;
    kernel.steps[0].suffix = Suffix::kFloat;
    loop.steps = {&kernel.steps[0]};
    loop.inputs = {{.value = 0, .access = Loop::Access::kSlice, .segments = 4, .table = 1},
                   {.value = 1, .access = Loop::Access::kSpread, .segments = 1}};
    types[0] = ElemType::kF64;
    loop.outputs = {output(3)};
    loop.arg_reductions = {{.step = &find}}, loop.lanes = true;
    LoopModule module(*native_target(target));
    module.add("k", kernel, complete(), types, Loop::Form::kLanes);
    return module.text();
  }
};

/// Only the indices are stored, and lanes are only combined for bits and lengths.
TEST(LoopCode, OneSegmentALaneNeedsNoMemoryForElements) {
  const std::string code = AddAndFind().code_for("avx512");
  const std::string loop = between(code, "elements:", "closed:");
  EXPECT_EQ(count(loop, "store"), 0) << loop;
  EXPECT_EQ(count(loop, "vector.reduce"), 0) << loop;
  EXPECT_EQ(count(loop, "= fadd <8 x double>"), 1) << loop;
  EXPECT_EQ(count(code, "call void @llvm.masked.store.v8i32"), 1) << code;
  EXPECT_EQ(count(AddAndFind().code_for("neon"), "= fadd <2 x double>"), 1);
}

/// One load if all slices begin at the same index, otherwise a gather.
TEST(LoopCode, SlicesThatAreEqualInAllLanesAreLoadedOnce) {
  const std::string code = AddAndFind().code_for("avx512");
  EXPECT_EQ(count(between(code, "one.0:", "each.0:"), "= load double"), 1) << code;
  EXPECT_EQ(count(between(code, "each.0:", "sliced.0:"), "@llvm.masked.gather.v8f64"), 1) << code;
  EXPECT_NE(code.find("label %inside, label %outside"), code.npos) << code;
}

/// Kernel with a PACK of y, where f is true.
struct AddAndPack : AddAndSelect {
  explicit AddAndPack(ElemType type) {
    types[0] = types[1] = types[3] = types[4] = type;
    kernel.values[4].name = "t";
    kernel.steps[1] = {.op = Op::kPack, .suffix = Suffix::kInt, .operands = {3, 2, 0}, .results = {4, 5}};
    kernel.values.push_back({"n", Kind::kSegdes});
    types.push_back(ElemType::kI32);
    loop.outputs = {};
    loop.packs = {{.step = &kernel.steps[1], .counts = true}};
  }
  std::string code_for(const char* target, const std::string& begin, const std::string& end) const {
    LoopModule module(*native_target(target));
    add_to(module, true);
    return between(between(module.text(), begin, end), "; t = ", "declare");
  }
  std::string loop_for(const char* target) const { return code_for(target, "loop:", "rest:"); }
};

TEST(LoopCode, KeptElementsArePackedByInstructionsWhereThereAreSome) {
  const AddAndPack job(ElemType::kI32);
  EXPECT_EQ(count(job.loop_for("avx512"), "@llvm.x86.avx512.mask.compress.v16i32"), 1) << job.loop_for("avx512");
  EXPECT_EQ(count(job.loop_for("avx2"), "@llvm.x86.avx2.permd"), 1) << job.loop_for("avx2");
  EXPECT_EQ(count(job.loop_for("sse2"), "  store i32 "), 4) << job.loop_for("sse2");
  EXPECT_EQ(count(job.loop_for("neon"), "  store i32 "), 4) << job.loop_for("neon");
}

/// The lanes of two registers are stored one after the other, each after the elements kept so far.
TEST(LoopCode, WideElementsArePackedARegisterAtATime) {
  AddAndPack job(ElemType::kF64);
  job.types[0] = ElemType::kI32;
  job.kernel.steps[0] = {.op = Op::kIntToFloat, .operands = {0}, .results = {3}};
  EXPECT_EQ(count(job.loop_for("avx512"), "@llvm.x86.avx512.mask.compress.v8f64"), 2) << job.loop_for("avx512");
  EXPECT_EQ(count(job.loop_for("avx512"), "@llvm.ctpop.i64"), 2);
}

TEST(LoopCode, PackWritesNothingAfterTheKeptElementsOfTheTailWithoutRoom) {
  const AddAndPack job(ElemType::kI32);
  const auto stores = [&](const char* target, const std::string& store) {
    return count(job.code_for(target, "narrow.0:", "packed.0:"), store);
  };
  EXPECT_EQ(stores("avx512", "@llvm.masked.store"), 1);
  EXPECT_EQ(stores("avx512", "  store "), 0);
  EXPECT_EQ(stores("sse2", "@llvm.masked.compressstore"), 1);
  EXPECT_EQ(stores("sse2", "  store "), 0);
}

/// The second entry of the table is for flags of which only the first is set.
TEST(LoopCode, CompressionTablesAreDefinedOncePerModule) {
  LoopModule module(*native_target("avx2"));
  const AddAndPack job(ElemType::kF64);
  for (const char* name : {"k", "l"}) job.add_to(module, true, name);
  EXPECT_EQ(count(module.text(), "constant [16 x i64] [i64 0, i64 256, i64 770, "), 1) << module.text();
}

TEST(LoopCode, NamesMayBeAnyText) {
  LoopModule module(kTarget, true);
  AddAndSelect().add_to(module, false, "\"\\\xC3\xA9 a:1");
  EXPECT_NE(module.text().find("define i1 @\"\\22\\5C\\C3\\A9 a:1\"("), std::string::npos) << module.text();
}

TEST(LoopCode, UnwindTablesAreOptional) {
  EXPECT_NE(LoopModule(kTarget, true).text().find("nounwind uwtable"), std::string::npos);
  EXPECT_EQ(LoopModule(kTarget).text().find("uwtable"), std::string::npos);
}

TEST(LoopCode, OutputsThatAreNotReadAgainMayBeStreamed) {
  AddAndSelect job;
  EXPECT_EQ(count(job.code(true), "!nontemporal"), 0);
  job.loop.outputs = {output(4, true, true)};
  EXPECT_EQ(count(job.code(true), "!nontemporal"), 1);
}

}  // namespace
}  // namespace cvl::cpu
