#include "loops/cpu_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "scratch_folder.h"
#include "test_machine.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {
namespace {

using vcode::Kind;

/// Kernel y = SIN (… (SIN x)).
vcode::Kernel chain_of_sines(std::uint32_t length) {
  vcode::Kernel kernel;
  kernel.name = "sines";
  kernel.values = {{"x", Kind::kFloat}};
  kernel.input_count = 1;
  for (std::uint32_t k = 0; k < length; ++k) {
    kernel.values.push_back({"y", Kind::kFloat});
    kernel.steps.push_back({.op = vcode::Op::kSin, .operands = {k}, .results = {k + 1}});
  }
  kernel.outputs = {length};
  return kernel;
}

/// A worker of a backend, which runs kernels of one input and one output over its own vectors.
struct Worker {
  Worker(const Kernels& kernels, std::size_t elements) : machine(kernels, 1), x(elements), y(elements) {
    for (std::size_t e = 0; e < elements; ++e) x[e] = 0.001 * static_cast<double>(e);
  }
  const std::vector<double>& run(CpuKernel& kernel, std::uint32_t output) {
    std::vector<Operand> operands(output + 1);
    std::vector<SegmentDescriptor> descriptors(output + 1);
    std::vector<Result> results(output + 1);
    operands[0] = operand(x);
    results[output] = result(y);
    std::fill(y.begin(), y.end(), 0.0);
    EXPECT_TRUE(kernel.is_faster(static_cast<std::int64_t>(x.size()), true));
    kernel.run(machine.context, {static_cast<std::int64_t>(x.size()), operands, descriptors, results, {}});
    return y;
  }
  TestMachine machine;
  std::vector<double> x, y;
};

struct CpuKernelTest : testing::Test {
  static constexpr std::uint32_t kSines = 8;
  ScratchFolder scratch;
  NativeCompiler compiler{ObjectCache(scratch.path())};
  std::string error;
  const Kernels* const kernels = choose_kernels("", error);

  void SetUp() override {
    ASSERT_NE(kernels, nullptr) << error;
    if (NativeCompiler::version().empty()) GTEST_SKIP() << "there is no compiler of kernels";
    if (native_target(kernels->name) == nullptr) GTEST_SKIP() << "kernels are not compiled for " << kernels->name;
  }
  std::unique_ptr<CpuKernel> make(std::uint32_t sines, Native when) {
    const vcode::Kernel& kernel = made_.emplace_back(chain_of_sines(sines));
    return std::make_unique<CpuKernel>(kernel, vcode::look_at(kernel), vcode::Widths{}, "",
                                       CpuKernel::Compilation{when, native_target(kernels->name), &compiler});
  }
  /// Runs a kernel of which no code has been looked for by several workers, which begin at the same time and so get its
  /// code at the same time.
  void run_by_workers(CpuKernel& kernel, std::uint32_t sines, std::size_t elements) {
    const std::vector<double> expected = Worker(*kernels, elements).run(*make(sines, Native::kOff), sines);
    constexpr int kWorkers = 4;
    std::barrier begin(kWorkers);
    std::vector<std::thread> threads;
    for (int w = 0; w < kWorkers; ++w)
      threads.emplace_back([&] {
        Worker worker(*kernels, elements);
        begin.arrive_and_wait();
        for (int run = 0; run < 3; ++run) EXPECT_EQ(worker.run(kernel, sines), expected);
      });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  std::deque<vcode::Kernel> made_;  ///< plans refer to them
};

TEST_F(CpuKernelTest, WorkersGetCachedCodeAtTheSameTime) {
  make(kSines, Native::kAlways);
  for (int round = 0; round < 20; ++round) {
    const std::unique_ptr<CpuKernel> kernel = make(kSines, Native::kHot);
    run_by_workers(*kernel, kSines, 20000);  // more work than kSecondsUntilSearch
    EXPECT_TRUE(kernel->native_code().starts_with("from the cache")) << kernel->native_code();
  }
}

TEST_F(CpuKernelTest, WorkersHaveCodeCompiledAtTheSameTime) {
  for (std::uint32_t sines = kSines; sines < kSines + 4; ++sines) {
    const std::unique_ptr<CpuKernel> kernel = make(sines, Native::kHot);
    run_by_workers(*kernel, sines, 300000);  // more work than kSecondsUntilHot
    EXPECT_GT(kernel->machine_code()->bytes, 0);
  }
}

/// The kernel has two forms of its loop: flat, and a nest over its single segment.
TEST_F(CpuKernelTest, RunsCompileTheFormThatTheyCall) {
  vcode::Kernel kernel;
  kernel.name = "spread";
  kernel.values = {
      {"x", Kind::kFloat}, {"s", Kind::kSegdes}, {"c", Kind::kFloat}, {"d", Kind::kFloat}, {"y", Kind::kFloat}};
  kernel.input_count = 3;
  kernel.over = 1;
  kernel.steps = {{.op = vcode::Op::kDist, .suffix = vcode::Suffix::kFloat, .operands = {2, 1}, .results = {3}},
                  {.op = vcode::Op::kAdd, .suffix = vcode::Suffix::kFloat, .operands = {0, 3}, .results = {4}}};
  kernel.outputs = {4};
  CpuKernel spread(kernel, vcode::look_at(kernel), vcode::Widths{}, "",
                   {Native::kHot, native_target(kernels->name), &compiler});
  constexpr std::int64_t kElements = 100000;
  const std::vector<double> x(kElements, 1), c = {2};
  std::vector<double> y(kElements);
  std::vector<Operand> operands(kernel.values.size());
  std::vector<SegmentDescriptor> descriptors(kernel.values.size());
  std::vector<Result> results(kernel.values.size());
  operands[0] = operand(x);
  operands[2] = operand(c);
  descriptors[1] = SegmentDescriptor::single(kElements);
  results[4] = result(y);
  TestMachine machine(*kernels, 1);
  while (spread.native_code() == "not compiled") {
    std::fill(y.begin(), y.end(), 0.0);
    spread.run(machine.context, {kElements, operands, descriptors, results, {}});
    ASSERT_EQ(y, std::vector<double>(kElements, 3));
  }
  EXPECT_EQ(compiler.cache().use().kernels, 1);
  spread.machine_code();
  EXPECT_EQ(compiler.cache().use().kernels, 2);
}

/// The nest goes over one descriptor and the fold over another: a chunk must end at the same segment of both. Chunks
/// end after all elements of a segment and before its end with these lengths.
TEST_F(CpuKernelTest, EqualDescriptorsHaveTheSameChunks) {
  constexpr std::int64_t kLength = 32, kSegments = 9002;
  vcode::Kernel kernel;
  kernel.name = "maxima";
  kernel.values = {{"c", Kind::kFloat},    {"s", Kind::kSegdes},    {"table", Kind::kFloat},
                   {"from", Kind::kInt},   {"like", Kind::kSegdes}, {"d", Kind::kFloat},
                   {"part", Kind::kFloat}, {"p", Kind::kFloat},     {"m", Kind::kFloat}};
  kernel.input_count = 5;
  kernel.over = 1;
  kernel.steps = {{.op = vcode::Op::kDist, .suffix = vcode::Suffix::kFloat, .operands = {0, 1}, .results = {5}},
                  {.op = vcode::Op::kSlice, .suffix = vcode::Suffix::kFloat, .operands = {2, 3, 4}, .results = {6}},
                  {.op = vcode::Op::kAdd, .suffix = vcode::Suffix::kFloat, .operands = {6, 5}, .results = {7}},
                  {.op = vcode::Op::kMaxReduce, .suffix = vcode::Suffix::kFloat, .operands = {7, 1}, .results = {8}}};
  kernel.outputs = {8};
  CpuKernel maxima(kernel, vcode::look_at(kernel), vcode::Widths{}, "",
                   {Native::kAlways, native_target(kernels->name), &compiler});
  std::vector<double> added(kSegments), table(kLength), found(kSegments), expected(kSegments);
  std::vector<std::int64_t> from(kSegments, 0);
  for (std::size_t k = 0; k < table.size(); ++k) table[k] = static_cast<double>(k);
  for (std::size_t k = 0; k < added.size(); ++k) {
    added[k] = static_cast<double>(k);
    expected[k] = added[k] + table.back();
  }
  std::vector<Operand> operands(kernel.values.size());
  std::vector<SegmentDescriptor> descriptors(kernel.values.size());
  std::vector<Result> results(kernel.values.size());
  operands[0] = operand(added);
  operands[2] = operand(table);
  operands[3] = operand(from);
  descriptors[1] = descriptors[4] = SegmentDescriptor{kSegments, kSegments * kLength, kLength, nullptr, nullptr};
  results[8] = result(found);
  TestMachine machine(*kernels, 1);
  maxima.run(machine.context, {kSegments * kLength, operands, descriptors, results, {}});
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace cvl::cpu
