// Generated kernels that the evaluator runs on the CUDA library, on its host executor.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "device_backend.h"
#include "device_values.h"
#include "kernels/host_kernel_compiler.h"
#include "kernels/kernel_arguments.h"
#include "runtime/evaluator.h"
#include "separate_memory.h"
#include "vcode_testing.h"

namespace runtime {
namespace {

using cuda::Compiling;
using cuda::DeviceBackend;
using cuda::HostKernelCompiler;
using ::testing::HasSubstr;

constexpr std::size_t kMemory = std::size_t{1} << 30;

/// A compiler that blocks until it is released.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = false;
  void open() {
    const std::lock_guard lock(mutex);
    is_open = true;
    changed.notify_all();
  }
};
struct GatedCompiler final : cuda::KernelCompiler {
  explicit GatedCompiler(Gate& waited_for) : gate(waited_for) {}
  std::string name() const override { return compiler.name(); }
  std::string target() const override { return compiler.target(); }
  std::string compile(const std::string& text) const override {
    std::unique_lock lock(gate.mutex);
    gate.changed.wait(lock, [&] { return gate.is_open; });
    return compiler.compile(text);
  }
  std::unique_ptr<cuda::KernelCode> load(const std::string& object) const override { return compiler.load(object); }

  Gate& gate;
  const HostKernelCompiler compiler{NESL_CXX};
};

/// A compiler that reports an error in one expression of a text.
struct RefusingCompiler final : cuda::KernelCompiler {
  explicit RefusingCompiler(std::string refused) : expression(std::move(refused)) {}
  std::string name() const override { return compiler.name(); }
  std::string target() const override { return compiler.target(); }
  std::string compile(const std::string& text) const override {
    std::string wrong = text;
    return compiler.compile(wrong.replace(text.rfind(expression), expression.size(), "rows::Missing::eval"));
  }
  std::unique_ptr<cuda::KernelCode> load(const std::string& object) const override { return compiler.load(object); }

  const std::string expression;
  const HostKernelCompiler compiler{NESL_CXX};
};

void compile(DeviceBackend& device, std::unique_ptr<cuda::KernelCompiler> compiler, Compiling when) {
  device.compile_kernels(std::make_unique<cuda::KernelStore>(std::move(compiler), ObjectCache(""), when));
}

/// One kernel of a program on a backend.
class KernelRunner {
 public:
  KernelRunner(Backend& backend, const std::string& kernel)
      : program_(vcode::testing::read_good("FCODE 1\n" + kernel + "\nFUNC MAIN CONST INT 1 RET\n")),
        evaluator(backend, {}) {
    for (const vcode::Constant& constant : program_.constants)
      constants_.push_back(Value::scalar(static_cast<std::int32_t>(constant.ints[0])));
    prepared_.emplace(program_.kernels[0], constants_, backend, vcode::Widths{}, "p.nesl:1:2");
  }

  template <class T>
  Value vector(const std::vector<T>& elements) {
    return vector_of(evaluator, elements);
  }
  Value iota(int n, int first = 0) { return iota_of(evaluator, n, first); }
  /// Runs the kernel. On failure returns false, and leaves the remaining inputs instead of the outputs in `stack`.
  bool run(std::vector<Value> inputs) {
    stack = std::move(inputs);
    stack.resize(8);
    return evaluator.run_kernel(*prepared_, stack.data());
  }
  template <class T>
  std::vector<T> elements(std::size_t k) {
    const auto* const data = static_cast<const T*>(evaluator.heap().host_data(stack[k]));
    return {data, data + stack[k].length()};
  }
  std::string native_code() const { return prepared_->plan()->native_code(); }
  const KernelPlan* plan() const { return prepared_->plan(); }

 private:
  const vcode::Program program_;
  std::vector<Value> constants_;

 public:
  Evaluator evaluator;

 private:
  std::optional<PreparedKernel> prepared_;

 public:
  std::vector<Value> stack;
};

struct KernelRuns : testing::Test {
  DeviceBackend device{kMemory};

  KernelRuns() { compile(device, std::make_unique<HostKernelCompiler>(NESL_CXX), Compiling::kBeforeItRuns); }
  std::uint64_t launches() const { return device.counters().launches; }
  std::uint64_t waits() const { return device.counters().waits; }
};

constexpr const char* kDot =
    "KERNEL 0 dot (x FLOAT y FLOAT s SEGDES) OVER s\np = * FLOAT x y\nd = +_REDUCE FLOAT p s\nOUT d\nRET";
constexpr const char* kDivide = "KERNEL 0 divide (x INT y INT) OVER x\na = + INT x x\nq = / INT a y\nOUT q\nRET";
constexpr const char* kKeep =
    "KERNEL 0 keep (x INT n INT s SEGDES) OVER s\nm = DIST INT n s\nf = < INT x m\nk t = PACK INT x f s\nOUT k t\nRET";

constexpr const char* kSplit =
    "KERNEL 0 split (l INT n INT s SEGDES) OVER s\nm = DIST INT n s\nf = < INT l m\ng = NOT BOOL f\n"
    "a u = PACK INT l f s\nb v = PACK INT l g s\nOUT f g a b\nRET";
constexpr const char* kTake =
    "KERNEL 0 take (x INT f BOOL s SEGDES) OVER s\nd = + INT x x\nk t = PACK INT d f s\nOUT k\nRET";

TEST_F(KernelRuns, ADotProductIsOneLaunchAndNoWait) {
  KernelRunner runner(device, kDot);
  for (const int n : {100, 100000}) {
    const Value x = runner.vector(std::vector<double>(static_cast<std::size_t>(n), 0.5));
    device.flush();  // the upload of few elements
    const std::uint64_t launched = launches(), waited = waits();
    ASSERT_TRUE(runner.run({x, x, Value::single_segment(n)}));
    EXPECT_EQ(launches() - launched, 1u);
    EXPECT_EQ(waits() - waited, 0u);
    EXPECT_EQ(runner.elements<double>(0), std::vector{0.25 * n});
  }
}

/// Kernels over at most 64 elements are computed by the host, without a launch.
TEST_F(KernelRuns, KernelsOf65ElementsAreLaunched) {
  KernelRunner runner(device, kDivide);
  for (const int n : {64, 65}) {
    const Value x = runner.iota(n, 1);
    ASSERT_TRUE(runner.run({x, x}));  // brings x to the device
    const std::uint64_t launched = launches();
    ASSERT_TRUE(runner.run({x, x}));
    EXPECT_EQ(launches() - launched, n == 64 ? 0u : 1u);
    EXPECT_EQ(runner.elements<int>(0), std::vector<int>(static_cast<std::size_t>(n), 2));
  }
}

TEST_F(KernelRuns, StepsAreLaunchedUntilAKernelIsCompiled) {
  Gate gate;
  compile(device, std::make_unique<GatedCompiler>(gate), Compiling::kBesideTheRun);
  KernelRunner runner(device, kDivide);
  const Value x = runner.iota(100000, 1);
  std::uint64_t launched = launches();
  for (int times = 0; times < 3; ++times) {
    ASSERT_TRUE(runner.run({x, x}));
    EXPECT_EQ(runner.elements<int>(0), std::vector<int>(100000, 2));
    EXPECT_EQ(runner.native_code(), "not compiled");
  }
  EXPECT_EQ(launches() - launched, 6u);
  gate.open();
  while (runner.native_code() == "not compiled") std::this_thread::yield();
  launched = launches();
  ASSERT_TRUE(runner.run({x, x}));
  EXPECT_EQ(launches() - launched, 1u);
  EXPECT_EQ(runner.elements<int>(0), std::vector<int>(100000, 2));
}

/// Otherwise the result of the first run would depend on the time that compiling takes.
TEST_F(KernelRuns, SumsOfFloatsWaitForTheCompiler) {
  compile(device, std::make_unique<HostKernelCompiler>(NESL_CXX), Compiling::kBesideTheRun);
  KernelRunner runner(device, kDot);
  const Value x = runner.vector(std::vector<double>(100000, 0.1));
  const std::uint64_t launched = launches();
  ASSERT_TRUE(runner.run({x, x, Value::single_segment(100000)}));
  EXPECT_EQ(launches() - launched, 1u);
}

/// One reply tells how many lengths are kept, and their sums, for the descriptors that are made of them.
TEST_F(KernelRuns, PackedLengthsCostOneWait) {
  constexpr int n = 3000, kSmall = 700;
  KernelRunner split(device, kSplit);
  Evaluator& evaluator = split.evaluator;
  const Value plain = split.iota(n), lengths = split.iota(n), one = split.vector(std::vector<int>(300, kSmall));
  ASSERT_TRUE(evaluator.make_segdes(lengths).is_segdes());  // finds their sum
  const Value whole = Value::single_segment(n), tens = evaluator.make_segdes(split.vector(std::vector<int>(300, 10)));
  for (const bool is_single : {true, false})
    for (const bool is_known : {true, false, true}) {
      const std::uint64_t waited = waits();
      ASSERT_TRUE(
          split.run({is_known ? lengths : plain, is_single ? Value::scalar(kSmall) : one, is_single ? whole : tens}));
      EXPECT_EQ(waits() - waited, 1u);
      EXPECT_EQ(split.stack[2].length(), kSmall);
      EXPECT_EQ(split.stack[3].length(), n - kSmall);
      EXPECT_EQ(evaluator.make_segdes(split.stack[2]).elements(), kSmall * (kSmall - 1) / 2);
      EXPECT_EQ(evaluator.make_segdes(split.stack[3]).elements(), n * (n - 1) / 2 - kSmall * (kSmall - 1) / 2);
      EXPECT_EQ(waits() - waited, is_known ? 1u : 3u);
    }
  EXPECT_THAT(split.native_code(), HasSubstr("; for lengths compiled in"));
}

TEST_F(KernelRuns, APackByFlagsThatWereCountedDoesNotWait) {
  constexpr int n = 3000, kSmall = 700;
  KernelRunner split(device, kSplit), take(device, kTake);
  const Value whole = Value::single_segment(n);
  ASSERT_TRUE(split.run({split.iota(n), Value::scalar(kSmall), whole}));
  const Value x = take.iota(n);
  for (const bool others : {false, true}) {
    const int kept = others ? n - kSmall : kSmall;
    const std::uint64_t waited = waits();
    ASSERT_TRUE(take.run({x, split.stack[others ? 1 : 0], whole}));
    EXPECT_EQ(waits(), waited);
    ASSERT_EQ(take.stack[0].length(), kept);
    EXPECT_EQ(take.elements<int>(0).back(), 2 * (others ? n - 1 : kSmall - 1));
  }
}

/// The backend remembers the latest 32 short vectors that it has read.
TEST_F(KernelRuns, LengthsOfFewSegmentsThatWereReadStayOnTheHost) {
  KernelRunner runner(device, kKeep);
  const Value x = runner.iota(1000), limits = runner.vector(std::vector<int>(10, 250));
  const Value segments = runner.evaluator.make_segdes(runner.vector(std::vector<int>(10, 100)));
  std::vector<Value> kept;
  for (int k = 0; k < 40; ++k) {
    ASSERT_TRUE(runner.run({x, limits, segments}));
    kept.push_back(runner.stack[1]);
  }
  const std::uint64_t waited = waits();
  for (const Value& descriptor : kept) {
    const Value lengths = runner.evaluator.lengths_of(descriptor);
    EXPECT_EQ(static_cast<const int*>(runner.evaluator.heap().host_data(lengths))[2], 50);
  }
  EXPECT_EQ(waits(), waited);
}

TEST_F(KernelRuns, ResultsOfPacksTakeTheMemoryOfTheKeptElements) {
  constexpr int n = 1000000;
  KernelRunner runner(device, kKeep);
  const Value x = runner.iota(n);
  const std::size_t before = device.memory_use().live;
  for (const int kept : {0, 1, 10, 64, 65, 66, 5000, n / 3, n}) {
    const std::uint64_t waited = waits();
    ASSERT_TRUE(runner.run({x, Value::scalar(kept), Value::single_segment(n)}));
    EXPECT_EQ(waits() - waited, 1u) << kept;
    ASSERT_EQ(runner.stack[0].length(), kept);
    EXPECT_EQ(runner.stack[1].elements(), kept);
    EXPECT_LE(device.memory_use().live - before, static_cast<std::size_t>(kept) * 8 + 1024) << kept;
    std::vector<int> expected(static_cast<std::size_t>(kept));
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(runner.elements<int>(0), expected);
  }
}

/// A device that reports faults when the host waits.
struct LateKernelFaults : testing::Test {
  std::unique_ptr<Backend> device;
  LateKernelFaults() {
    auto on_host = std::make_unique<DeviceBackend>(kMemory);
    compile(*on_host, std::make_unique<HostKernelCompiler>(NESL_CXX), Compiling::kBeforeItRuns);
    device = conformance::make_separate_memory(std::move(on_host));
  }
};

TEST_F(LateKernelFaults, NameTheStepTheElementAndTheInstruction) {
  KernelRunner runner(*device, kDivide);
  const Value x = runner.iota(1000), y = runner.iota(1000, -700);
  runner.evaluator.set_site(17);
  ASSERT_TRUE(runner.run({x, y}));
  runner.evaluator.set_site(18);
  EXPECT_FALSE(runner.evaluator.settle());
  EXPECT_EQ(runner.evaluator.failure(), "/ INT: division by zero (element 700)");
  EXPECT_EQ(runner.evaluator.failed_step(), 1u);
  EXPECT_EQ(runner.evaluator.late_site(), 17u);
}

TEST_F(LateKernelFaults, ReportTheIndexOfAGather) {
  KernelRunner runner(*device,
                      "KERNEL 0 look (x INT i INT s SEGDES t SEGDES) OVER t\nj = + INT i i\ng = BPERMUTE INT x j s t\n"
                      "OUT g\nRET");
  const Value x = runner.iota(1000), i = runner.iota(600);
  ASSERT_TRUE(runner.run({x, i, Value::single_segment(1000), Value::single_segment(600)}));
  EXPECT_FALSE(runner.evaluator.settle());
  EXPECT_EQ(runner.evaluator.failure(),
            "BPERMUTE INT: index 1000 is out of range for a segment of 1000 elements (element 500)");
}

TEST_F(LateKernelFaults, KeepTheFaultsOfEarlierInstructions) {
  KernelRunner runner(*device, kDivide);
  const Value x = runner.iota(1000), zero = runner.iota(1000);
  Value operands[] = {x, zero};
  runner.evaluator.set_site(3);
  ASSERT_TRUE(runner.evaluator.apply(Op::kRemainder, vcode::Suffix::kInt, operands));
  runner.evaluator.set_site(4);
  ASSERT_TRUE(runner.run({x, zero}));
  EXPECT_FALSE(runner.evaluator.settle());
  EXPECT_EQ(runner.evaluator.failure(), "% INT: division by zero (element 0)");
  EXPECT_EQ(runner.evaluator.late_site(), 3u);
}

/// A kernel that waits for the counts of its PACK finds the fault of an earlier instruction.
TEST_F(LateKernelFaults, OfEarlierInstructionsAreNotBlamedOnAKernelThatWaits) {
  KernelRunner runner(*device, kKeep);
  const Value x = runner.iota(1000);
  Value operands[] = {x, x};
  runner.evaluator.set_site(3);
  ASSERT_TRUE(runner.evaluator.apply(Op::kRemainder, vcode::Suffix::kInt, operands));
  runner.evaluator.set_site(4);
  ASSERT_FALSE(runner.run({x, Value::scalar(10), Value::single_segment(1000)}));
  EXPECT_EQ(runner.evaluator.failure(), "% INT: division by zero (element 0)");
  EXPECT_EQ(runner.evaluator.late_site(), 3u);
}

/// The vector has no memory: the answer depends only on its length.
TEST(KernelArguments, OfPacksAreForFewerThan2To32Elements) {
  const vcode::Program program =
      vcode::testing::read_good(std::string("FCODE 1\n") + kKeep + "\nFUNC MAIN CONST INT 1 RET\n");
  const cuda::GeneratedKernel kernel = cuda::generate_kernel(program.kernels[0], {}, {});
  for (const std::int64_t elements : {std::int64_t{UINT32_MAX}, std::int64_t{1} << 32}) {
    const std::vector<SegmentDescriptor> descriptors(program.kernels[0].values.size(),
                                                     SegmentDescriptor::single(elements));
    KernelCall call;
    call.elements = elements;
    call.descriptors = descriptors;
    EXPECT_EQ(cuda::KernelArguments::suit(kernel, call), elements <= UINT32_MAX);
  }
}

TEST_F(KernelRuns, AFaultKnownBeforeTheLaunchIsReportedForItsStep) {
  KernelRunner runner(device, kDivide);
  const Value x = runner.iota(100000), y = runner.iota(100000, -70000);
  ASSERT_FALSE(runner.run({x, y}));
  EXPECT_EQ(runner.evaluator.failure(), "/ INT: division by zero (element 70000)");
  EXPECT_EQ(runner.evaluator.failed_step(), 1u);
  EXPECT_EQ(runner.evaluator.late_site(), std::nullopt);
}

TEST_F(KernelRuns, WithoutMemoryForAKernelItsStepsAreLaunched) {
  constexpr int n = 100000;
  KernelRunner runner(device,
                      "KERNEL 0 scatter (x INT i INT s SEGDES) OVER s\nf = I_TO_B x\np = FPERMUTE INT x i f s s\n"
                      "q = PERMUTE INT x i s\nm = +_SCAN INT x s\nOUT p q m\nRET");
  const Value x = runner.iota(n);
  const std::vector<Value> inputs = {x, x, Value::single_segment(n)};
  ASSERT_TRUE(runner.run(inputs));
  const std::vector<int> p = runner.elements<int>(0), q = runner.elements<int>(1), m = runner.elements<int>(2);
  for (const bool of_launches : {false, true})
    for (std::int64_t nth = 1; nth < 12; ++nth) {
      const auto refuse = [&](std::int64_t k) {
        of_launches ? device.executor().refuse_launch(k) : device.executor().pool().refuse(k);
      };
      refuse(nth);
      const bool done = runner.run(inputs);
      refuse(0);
      ASSERT_TRUE(done) << runner.evaluator.failure();
      EXPECT_EQ(runner.elements<int>(0), p);
      EXPECT_EQ(runner.elements<int>(1), q);
      EXPECT_EQ(runner.elements<int>(2), m);
    }
}

/// Its steps would add in another order, so that digits would depend on the memory that is free.
TEST_F(KernelRuns, WithoutMemoryForAKernelThatSumsFloatsItFails) {
  constexpr int n = 100003;
  KernelRunner runner(device,
                      "KERNEL 0 sums (x FLOAT n FLOAT s SEGDES) OVER s\nm = DIST FLOAT n s\nf = < FLOAT x m\n"
                      "k t = PACK FLOAT x f s\na = +_SCAN FLOAT x s\nb = +_REDUCE FLOAT x s\nOUT k a b\nRET");
  std::vector<double> elements;
  for (int e = 0; e < n; ++e) elements.push_back(1.0 / (1 + e * 7919 % n));
  const std::vector<Value> inputs = {runner.vector(elements), Value::scalar(0.001), Value::single_segment(n)};
  ASSERT_TRUE(runner.run(inputs)) << runner.evaluator.failure();
  const std::vector<double> kept = runner.elements<double>(0), before = runner.elements<double>(1),
                            sum = runner.elements<double>(2);
  int failures = 0;
  for (const bool of_launches : {false, true})
    for (std::int64_t nth = 1; nth < 8; ++nth) {
      const auto refuse = [&](std::int64_t k) {
        of_launches ? device.executor().refuse_launch(k) : device.executor().pool().refuse(k);
      };
      refuse(nth);
      const bool done = runner.run(inputs);
      refuse(0);
      if (!done) {
        ++failures;
        EXPECT_EQ(runner.evaluator.fault().kind, FaultKind::kOutOfMemory);
        EXPECT_THAT(runner.evaluator.failure(), HasSubstr("the kernel"));
        EXPECT_FALSE(device.has_fault());
        continue;
      }
      EXPECT_EQ(runner.elements<double>(0), kept);
      EXPECT_EQ(runner.elements<double>(1), before);
      EXPECT_EQ(runner.elements<double>(2), sum);
    }
  EXPECT_GT(failures, 3);
}

TEST_F(KernelRuns, AKernelThatCannotBeCompiledRunsByItsSteps) {
  for (const Compiling when : {Compiling::kBeforeItRuns, Compiling::kBesideTheRun}) {
    compile(device, std::make_unique<HostKernelCompiler>("/bin/false"), when);
    KernelRunner runner(device, kDot);
    const Value x = runner.vector(std::vector<double>(1000, 0.5));
    testing::internal::CaptureStderr();
    for (int times = 0; times < 2; ++times) {
      ASSERT_TRUE(runner.run({x, x, Value::single_segment(1000)}));
      EXPECT_EQ(runner.elements<double>(0), std::vector{250.0});
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "note: kernel dot (p.nesl:1:2) runs operation by operation: /bin/false fails: \n");
    EXPECT_THAT(runner.native_code(), HasSubstr("operation by operation: /bin/false fails"));
  }
}

/// A kernel has a text for descriptors of one segment, the most frequent ones, until a text for any descriptors exists.
TEST_F(KernelRuns, OneSegmentHasItsOwnTextUnlessTheGeneralTextExists) {
  const auto sums = [&](KernelRunner& runner, bool one_segment) {
    Value descriptor[] = {runner.vector(std::vector<int>{300, 0, 700})};
    EXPECT_TRUE(runner.evaluator.apply(Op::kMakeSegdes, vcode::Suffix::kNone, descriptor));
    const Value x = runner.vector(std::vector<double>(1000, 0.5));
    EXPECT_TRUE(runner.run({x, x, one_segment ? Value::single_segment(1000) : descriptor[0]}));
    return runner.elements<double>(0);
  };
  const std::vector<double> total = {250}, totals = {75, 0, 175};
  KernelRunner flat_first(device, kDot), nested_first(device, kDot);
  EXPECT_EQ(sums(flat_first, true), total);
  EXPECT_EQ(sums(flat_first, false), totals);
  EXPECT_EQ(sums(flat_first, true), total);
  EXPECT_THAT(flat_first.native_code(), HasSubstr("; for one segment compiled in"));
  EXPECT_EQ(sums(nested_first, false), totals);
  EXPECT_EQ(sums(nested_first, true), total);
  EXPECT_EQ(nested_first.native_code(), "compiled before");
}

TEST_F(KernelRuns, ACompileErrorNamesKernelAndStep) {
  compile(device, std::make_unique<RefusingCompiler>("rows::Divide::eval"), Compiling::kBeforeItRuns);
  KernelRunner runner(device, kDivide);
  const Value x = runner.iota(1000, 1);
  testing::internal::CaptureStderr();
  ASSERT_TRUE(runner.run({x, x}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::AllOf(testing::StartsWith("note: kernel divide (p.nesl:1:2) runs operation by operation: step 1 "
                                                 "(q): " NESL_CXX " fails: kernel.cpp:"),
                             HasSubstr("error: "), HasSubstr("Missing")));
  EXPECT_EQ(runner.elements<int>(0), std::vector<int>(1000, 2));
}

}  // namespace
}  // namespace runtime
