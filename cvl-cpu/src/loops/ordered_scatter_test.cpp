#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "kernel_call.h"
#include "loops/cpu_kernel.h"
#include "scratch_folder.h"
#include "test_machine.h"

namespace cvl::cpu {
namespace {

/// Runs a kernel with code and without on all machines, and expects the result q that `source` tells for each element,
/// or that it leaves the default.
template <class Source>
void expect_last_writes(const std::string& steps, Source&& source, bool in_order = true) {
  const KernelText text(steps + "OUT q\n", "i");
  ASSERT_EQ(text.facts.error, "");
  EXPECT_EQ(text.plan.in_order, in_order);
  const ScratchFolder scratch;
  NativeCompiler compiler{ObjectCache(scratch.path())};
  const bool has_compiler = !NativeCompiler::version().empty();
  on_all_machines([&](Context& context) {
    const NativeTarget* const target = native_target(context.kernels.name);
    for (const std::int64_t n : {100, 3001, 70001, 400000}) {
      SCOPED_TRACE(n);
      std::mt19937 random(5);
      Call call(text, SegmentDescriptor::single(n), random);
      const vcode::KernelVar q = text.kernel().outputs[0];
      const auto* const i = static_cast<const int*>(call.memory_of("i"));
      const auto* const defaults = static_cast<const double*>(call.memory_of("t"));
      std::vector<double> expected(defaults, defaults + kTable);
      source(call, [&](std::int64_t e, double x) { expected[static_cast<std::size_t>(i[e])] = x; });
      for (const Native when : {Native::kOff, Native::kAlways}) {
        if (when == Native::kAlways && (!has_compiler || target == nullptr)) continue;
        // Chunks without code pass no carries between threads.
        if (when == Native::kOff && text.plan.scans > 0 && context.parallel.threads() > 1) continue;
        CpuKernel kernel(text.kernel(), text.facts, kWidths, "", {when, target, &compiler, context.parallel.threads()});
        call.results[q] = call.make(q, kTable);
        kernel.run(context, call.call);
        ASSERT_FALSE(context.faults.any());
        const auto* const found = static_cast<const double*>(call.results[q].data);
        EXPECT_EQ(std::vector<double>(found, found + kTable), expected);
      }
    }
  });
}

TEST(OrderedScatter, TheLastOfSeveralWritesStays) {
  expect_last_writes("z = * FLOAT y y\nq = DPERMUTE FLOAT z i t all of_t\n", [](Call& call, auto&& write) {
    const auto* const y = static_cast<const double*>(call.memory_of("y"));
    for (std::int64_t e = 0; e < call.call.elements; ++e) write(e, y[e] * y[e]);
  });
}

TEST(OrderedScatter, FlagsTellWhichElementsAreWritten) {
  expect_last_writes("z = + FLOAT y y\nq = DFPERMUTE FLOAT z i f t all of_t\n", [](Call& call, auto&& write) {
    const auto* const y = static_cast<const double*>(call.memory_of("y"));
    const auto* const f = static_cast<const bool*>(call.memory_of("f"));
    for (std::int64_t e = 0; e < call.call.elements; ++e)
      if (f[e]) write(e, y[e] + y[e]);
  });
}

TEST(OrderedScatter, AConstantIsWrittenByAllThreadsAtATime) {
  expect_last_writes(
      "one = CONST FLOAT 1.0\nz = DIST FLOAT one all\nq = DPERMUTE FLOAT z i t all of_t\n",
      [](Call& call, auto&& write) {
        for (std::int64_t e = 0; e < call.call.elements; ++e) write(e, 1.0);
      },
      false);
}

TEST(OrderedScatter, ResultsOfScansAreWritten) {
  expect_last_writes("n = +_SCAN INT x all\nz = I_TO_F n\nq = DPERMUTE FLOAT z i t all of_t\n",
                     [](Call& call, auto&& write) {
                       const auto* const x = static_cast<const int*>(call.memory_of("x"));
                       int before = 0;
                       for (std::int64_t e = 0; e < call.call.elements; before += x[e++]) write(e, before);
                     });
}

}  // namespace
}  // namespace cvl::cpu
