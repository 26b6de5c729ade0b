// Loops of which each element takes as many steps as it needs, in compiled kernels.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <string>

#include "kernel_call.h"
#include "loops/cpu_kernel.h"
#include "test_machine.h"

namespace cvl::cpu {
namespace {

/// A kernel with the loop value x over all elements, and its compiled code.
struct RepeatedKernel {
  RepeatedKernel(const std::string& steps, const Kernels& kernels)
      : text(steps, "all REPEATED 1"),
        kernel(text.kernel(), text.facts, kWidths, "", {Native::kAlways, native_target(kernels.name), &compiler}) {
    EXPECT_EQ(text.facts.error, "");
  }
  /// Runs the kernel on elements with x = `first`(e).
  void run(Context& context, std::int64_t elements, const std::function<int(std::int64_t)>& first) {
    std::mt19937 random(5);
    call.emplace(text, SegmentDescriptor::single(elements), random);
    for (std::int64_t e = 0; e < elements; ++e) static_cast<int*>(call->memory_of("x"))[e] = first(e);
    for (const vcode::KernelVar v : text.kernel().outputs) call->results[v] = call->make(v, elements);
    kernel.run(context, call->call);
  }
  template <class T>
  T result(std::size_t output, std::int64_t e) const {
    return static_cast<const T*>(call->results[text.kernel().outputs[output]].data)[e];
  }
  int limit() const { return *static_cast<const int*>(call->operands[call->input("c")].data); }

  KernelText text;
  NativeCompiler compiler{ObjectCache("")};
  CpuKernel kernel;
  std::optional<Call> call;
};

void on_machines_with_code(const std::function<void(Context&)>& test) {
  if (NativeCompiler::version().empty()) GTEST_SKIP() << "there is no compiler of kernels";
  on_all_machines([&](Context& context) {
    if (native_target(context.kernels.name) != nullptr && context.parallel.threads() <= 2) test(context);
  });
}

TEST(RepeatedKernel, TakesAllStepsOfEachElement) {
  on_machines_with_code([](Context& context) {
    RepeatedKernel loop(
        "limit = DIST INT c all\n"
        "more = < INT x limit\n"
        "seven = CONST INT 7\n"
        "sevens = DIST INT seven all\n"
        "sum = + INT x sevens\n"
        "next = SELECT INT more sum x\n"
        "OUT next more\n",
        context.kernels);
    for (const std::int64_t elements : {1, 7, 64, 1000, 300001}) {
      SCOPED_TRACE(elements);
      const auto first = [](std::int64_t e) { return static_cast<int>(e * 7919 % 2003) - 1000; };
      loop.run(context, elements, first);
      ASSERT_FALSE(context.faults.any());
      for (std::int64_t e = 0; e < elements; ++e) {
        const int missing = std::max(loop.limit() - first(e), 0);
        ASSERT_EQ(loop.result<int>(0, e), first(e) + (missing + 6) / 7 * 7) << e;
        ASSERT_FALSE(loop.result<bool>(1, e)) << e;
      }
    }
  });
}

TEST(RepeatedKernel, ReadsTablesAtIndicesThatChange) {
  on_machines_with_code([](Context& context) {
    RepeatedKernel loop(
        "found = BPERMUTE FLOAT t x of_t all\n"
        "limit = DIST FLOAT b all\n"
        "more = < FLOAT found limit\n"
        "none = CONST INT 0\n"
        "nones = DIST INT none all\n"
        "inside = > INT x nones\n"
        "goes_on = AND BOOL more inside\n"
        "one = CONST INT 1\n"
        "ones = DIST INT one all\n"
        "before = - INT x ones\n"
        "next = SELECT INT goes_on before x\n"
        "OUT next goes_on\n",
        context.kernels);
    constexpr std::int64_t kElements = 5000;
    const auto first = [](std::int64_t e) { return static_cast<int>(e * 613 % kTable); };
    loop.run(context, kElements, first);
    ASSERT_FALSE(context.faults.any());
    const auto* const table = static_cast<const double*>(loop.call->memory_of("t"));
    const double limit = *static_cast<const double*>(loop.call->memory_of("b"));
    for (std::int64_t e = 0; e < kElements; ++e) {
      int x = first(e);
      while (x > 0 && table[x] < limit) --x;
      ASSERT_EQ(loop.result<int>(0, e), x) << e;
    }
  });
}

TEST(RepeatedKernel, EndlessLoopsAreLeft) {
  on_machines_with_code([](Context& context) {
    RepeatedKernel loop(
        "one = CONST INT 1\n"
        "ones = DIST INT one all\n"
        "next = + INT x ones\n"
        "more = != INT x next\n"
        "OUT next more\n",
        context.kernels);
    loop.run(context, 100, [](std::int64_t) { return 0; });
    for (std::int64_t e = 0; e < 100; ++e) {
      EXPECT_GE(loop.result<int>(0, e), 2);
      EXPECT_TRUE(loop.result<bool>(1, e));
    }
  });
}

TEST(RepeatedKernel, TakesSingleStepsAfterAFault) {
  on_machines_with_code([](Context& context) {
    RepeatedKernel loop(
        "hundred = CONST INT 100\n"
        "hundreds = DIST INT hundred all\n"
        "quotient = / INT hundreds x\n"
        "one = CONST INT 1\n"
        "ones = DIST INT one all\n"
        "next = - INT x ones\n"
        "more = < INT x quotient\n"
        "OUT next more\n",
        context.kernels);
    const auto first = [](std::int64_t e) { return static_cast<int>(e % 5) + 2; };
    loop.run(context, 1000, first);
    EXPECT_NE(context.faults.take().kind, FaultKind::kNone) << "a later step divides by zero";
    loop.run(context, 1000, first);
    EXPECT_FALSE(context.faults.any());
    for (std::int64_t e = 0; e < 1000; ++e) EXPECT_EQ(loop.result<int>(0, e), first(e) - 1);
  });
}

}  // namespace
}  // namespace cvl::cpu
