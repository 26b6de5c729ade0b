#include "steps/chunked_steps.h"

#include <gtest/gtest.h>

#include "kernel_call.h"
#include "operations/operations.h"
#include "test_machine.h"

namespace cvl::cpu {
namespace {

using vcode::Kernel;
using vcode::KernelVar;
using vcode::Op;
using vcode::Producer;

/// Runs the operation of one step on whole vectors.
void run_whole(Context& context, const KernelText& text, Call& call, const Kernel::Step& step) {
  for_each_result(text, call, step, [&](KernelVar v, std::int64_t n) { call.results[v] = call.make(v, n); });
  const auto operand = [&](std::size_t k) {
    const KernelVar v = step.operands[k];
    const Result& made = call.results[v];
    return made.data != nullptr ? Operand{made.type, made.length, made.data} : call.operands[v];
  };
  const auto descriptor = [&](std::size_t k) { return call.descriptors[step.operands[k]]; };
  const Result& to = call.results[step.results[0]];
  const Monoid monoid = vcode::info(step.op).monoid;
  switch (text.facts.producers[step.results[0]]) {
    case Producer::kMap:
    case Producer::kEpilogue: {
      std::vector<Operand> operands;
      for (std::size_t k = 0; k < step.operands.size(); ++k) operands.push_back(operand(k));
      return run(context, Elementwise{step.op, operands, to});
    }
    case Producer::kSpread:
      if (step.op == Op::kDist) return run(context, Dist{operand(0), descriptor(1), to});
      if (step.op == Op::kIndex) return run(context, Index{operand(0), operand(1), descriptor(2), to});
      return run(context, Slice{operand(0), operand(1), descriptor(2), to});
    case Producer::kGather:
      if (step.op == Op::kBpermute)
        return run(context, Gather{operand(0), operand(1), {}, descriptor(2), descriptor(3), to});
      return run(context, Gather{operand(0), operand(1), operand(2), descriptor(3), descriptor(4), to});
    case Producer::kScan:
      return run(context, Scan{monoid, operand(0), descriptor(1), to});
    case Producer::kReduce:
      return run(context, Reduce{monoid, operand(0), descriptor(1), to});
    case Producer::kArgReduce:
      return run(context, ArgReduce{monoid, operand(0), descriptor(1), to});
    case Producer::kScatter:
      if (step.op == Op::kPermute)
        return run(context, Scatter{operand(0), operand(1), {}, {}, descriptor(2), descriptor(2), to});
      if (step.op == Op::kFpermute)
        return run(context, Scatter{operand(0), operand(1), operand(2), {}, descriptor(3), descriptor(4), to});
      return run(context, Scatter{operand(0), operand(1), {}, operand(2), descriptor(3), descriptor(4), to});
    default: {
      ASSERT_EQ(step.op, Op::kPack);
      const auto plan = plan_pack(context, operand(1), descriptor(2), call.results[step.results[1]]);
      const auto number = static_cast<std::uint32_t>(&step - text.kernel().steps.data());
      if (first_pack_like(text.kernel(), number) == number) call.kept[step.results[0]] = plan->kept;
      return run(context, Pack{*plan, operand(0), operand(1), {to.type, plan->kept, to.data}});
    }
  }
}

/// Runs a kernel in chunks of several sizes, and expects the bits of its steps on whole vectors.
void expect_same(Context& context, const KernelText& text, const SegmentDescriptor& s, unsigned seed) {
  std::mt19937 random(seed), again(seed);
  Call whole(text, s, random), chunked(text, s, again);
  const Kernel& kernel = text.kernel();
  for (const Kernel::Step& step : kernel.steps)
    if (!step.is_constant()) run_whole(context, text, whole, step);
  ASSERT_FALSE(context.faults.any());
  for (const std::int64_t items : {std::int64_t{0}, std::int64_t{500}, ChunkedSteps::kMostItems}) {
    SCOPED_TRACE(items);
    for (const Kernel::Step& step : kernel.steps) {
      if (step.is_constant()) continue;
      const Producer producer = text.facts.producers[step.results[0]];
      const auto is_output = [&](KernelVar v) {
        return producer == Producer::kPack || vcode::is_reduction(producer) || producer == Producer::kEpilogue ||
               std::count(kernel.outputs.begin(), kernel.outputs.end(), v) > 0;
      };
      for_each_result(text, chunked, step, [&](KernelVar v, std::int64_t n) {
        if (is_output(v)) chunked.results[v] = chunked.make(v, n);
      });
    }
    const ChunkedSteps steps(text.plan, items);
    if (!steps.takes(chunked.call, context.parallel.threads())) continue;
    steps.run(context, chunked.call);
    ASSERT_FALSE(context.faults.any());
    for (const KernelVar v : kernel.outputs) {
      ASSERT_EQ(chunked.kept[v], whole.kept[v]);
      ASSERT_EQ(chunked.memory(v), whole.memory(v)) << kernel.values[v].name;
    }
  }
}

void expect_same(const std::string& steps) {
  const KernelText text(steps);
  ASSERT_EQ(text.facts.error, "");
  on_all_machines([&](Context& context) {
    unsigned seed = 0;
    for (const auto& lengths : test_lengths()) {
      const TestSegments segments(lengths);
      if (segments.descriptor.elements == 0 || segments.descriptor.elements > 300000) continue;
      SCOPED_TRACE(std::to_string(lengths.size()) + " segments");
      expect_same(context, text, segments.descriptor, ++seed);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(ChunkedSteps, ComputeElements) {
  expect_same(
      "k = CONST INT 3\n"
      "three = DIST INT k all\n"
      "u = DIST INT c all\n"
      "both = + INT three u\n"
      "v = * INT x both\n"
      "w = DIST FLOAT b s\n"
      "r = INDEX a a s\n"
      "g = BPERMUTE FLOAT t i of_t all\n"
      "h = BFPERMUTE FLOAT t i f of_t all\n"
      "z = + FLOAT g w\n"
      "q = SELECT FLOAT f z h\n"
      "m = < INT r v\n"
      "OUT q m both r\n");
}

TEST(ChunkedSteps, FoldSegments) {
  expect_same(
      "z = * FLOAT y y\n"
      "sum = +_REDUCE FLOAT z s\n"
      "most = MAX_REDUCE INT x s\n"
      "where = MIN_INDEX FLOAT z s\n"
      "w = * FLOAT sum b\n"
      "n = + INT most a\n"
      "OUT sum where w n z\n");
}

TEST(ChunkedSteps, FoldAllElements) {
  expect_same(
      "z = * FLOAT y y\n"
      "sum = +_REDUCE FLOAT z all\n"
      "most = MAX_INDEX INT x all\n"
      "n = + INT most c\n"
      "rows = +_REDUCE INT x s\n"
      "OUT sum n rows\n");
}

constexpr const char* kScans =
    "z = * FLOAT y y\n"
    "before = +_SCAN FLOAT z s\n"
    "high = MAX_SCAN INT x s\n"
    "count = +_SCAN INT x all\n"
    "n = + INT count x\n"
    "rows = +_REDUCE INT n s\n"
    "r = + FLOAT before y\n"
    "sums = +_REDUCE FLOAT r s\n"
    "OUT high r sums n rows\n";

TEST(ChunkedSteps, ScanSegments) { expect_same(kScans); }

TEST(ChunkedSteps, ScanAllElements) {
  expect_same(
      "z = * FLOAT y y\n"
      "before = +_SCAN FLOAT z all\n"
      "r = + FLOAT before y\n"
      "sum = +_REDUCE FLOAT r all\n"
      "n = + INT x x\n"
      "OUT before sum n\n");
}

TEST(ChunkedSteps, LeaveCarriesBetweenThreadsToOperations) {
  const KernelText text(kScans);
  const ChunkedSteps steps(text.plan);
  std::mt19937 random(1);
  const TestSegments segments({3000, 5});
  const Call call(text, segments.descriptor, random);
  EXPECT_TRUE(steps.takes(call.call, 1));
  EXPECT_FALSE(steps.takes(call.call, 2));
}

TEST(ChunkedSteps, Permute) {
  expect_same(
      "z = + FLOAT y y\n"
      "u = DIST FLOAT b s\n"
      "q = PERMUTE FLOAT z p s\n"
      "v = FPERMUTE FLOAT u p f s s\n"
      "w = DPERMUTE FLOAT u i t all of_t\n"
      "n = + INT x x\n"
      "OUT q v w n\n");
}

TEST(ChunkedSteps, Pack) {
  expect_same(
      "g = NOT BOOL f\n"
      "z = + FLOAT y y\n"
      "before = +_SCAN INT x s\n"
      "k k_s = PACK FLOAT z g s\n"
      "l l_s = PACK INT before g s\n"
      "e e_s = PACK BOOL f f all\n"
      "OUT k k_s l e e_s before\n");
}

TEST(ChunkedSteps, RefuseBlocksOfDifferentSegments) {
  const KernelText text(
      "r = +_REDUCE FLOAT y s\n"
      "q = +_REDUCE FLOAT y all\n"
      "n = +_REDUCE INT x s\n"
      "OUT r q n\n");
  const ChunkedSteps steps(text.plan);
  std::mt19937 random(1);
  const TestSegments two({3000, 5}), one({3005});
  EXPECT_FALSE(steps.takes(Call(text, two.descriptor, random).call, 1));
  EXPECT_TRUE(steps.takes(Call(text, one.descriptor, random).call, 1));
}

/// Runs a kernel that adds, gathers, divides and packs with an error in its data, made by `spoil`.
template <class F>
void expect_fault(F&& spoil) {
  const KernelText text(
      "u = BPERMUTE FLOAT t i of_t all\n"
      "v = / INT x x\n"
      "n = +_SCAN INT v all\n"
      "k k_s = PACK FLOAT u f all\n"
      "OUT k k_s n v\n");
  on_all_machines([&](Context& context) {
    std::mt19937 random(1);
    Call call(text, SegmentDescriptor::single(50000), random);
    int* const x = static_cast<int*>(call.memory_of("x"));
    std::fill_n(x, 50000, 7);
    spoil(x, static_cast<int*>(call.memory_of("i")));
    for (const Kernel::Step& step : text.kernel().steps)
      for_each_result(text, call, step, [&](KernelVar v, std::int64_t n) { call.results[v] = call.make(v, n); });
    ChunkedSteps(text.plan, 1000).run(context, call.call);
    EXPECT_NE(context.faults.take().kind, FaultKind::kNone);
  });
}

TEST(ChunkedSteps, ReportFaults) {
  expect_fault([](int* x, int*) { x[0] = 0; });
  expect_fault([](int* x, int*) { x[30000] = 0; });
  expect_fault([](int*, int* i) { i[49999] = kTable; });
}

}  // namespace
}  // namespace cvl::cpu
