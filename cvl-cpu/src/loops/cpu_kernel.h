#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/loop_plan.h"
#include "lanes/llvm_text.h"
#include "llvm/native_compiler.h"
#include "loops/calls/short_calls.h"
#include "loops/kernel_code.h"
#include "loops/loop_run.h"
#include "loops/loop_tiles.h"
#include "operations/context.h"
#include "steps/chunked_steps.h"

namespace cvl::cpu {

/// Setting when kernels are compiled to machine code.
enum class Native : std::uint8_t {
  kOff,
  kHot,     ///< once its runs, the present one included, take longer than compiling
  kAlways,  ///< before the first run
};

/// A kernel and its compiled loops. Until they are there, its steps are computed one after the other, with the same
/// results, bit for bit.
class CpuKernel final : public KernelPlan {
 public:
  /// Means of a process to compile kernels.
  struct Compilation {
    Native when = Native::kOff;
    const NativeTarget* target = nullptr;  ///< null: there is none for this instruction set
    NativeCompiler* compiler = nullptr;
    int threads = 1;  ///< that a kernel runs on
  };

  /// Throws std::runtime_error if the kernel must be compiled before its first run and cannot be.
  CpuKernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths,
            std::string_view position, const Compilation& compilation);

  bool is_faster(std::int64_t elements, bool single) override;
  std::string native_code() const override;
  std::optional<MachineCode> machine_code() override;
  /// Runs the kernel. Several threads may do so at a time, each with a context of its own.
  void run(Context& context, const KernelCall& call);

  /// LLVM assembly that the kernel is compiled from.
  std::string assembly(const NativeTarget& target) const { return code_.assembly(target); }

 private:
  void get_code(LoopForms forms, double ahead);
  double estimate(std::int64_t elements) const;
  /// Seconds that a run is expected to take without code, and those of all runs so far and one more.
  double expected(std::int64_t elements) const { return estimate(elements) * error_.load(std::memory_order_relaxed); }
  double work(double ahead) const { return seconds_.load(std::memory_order_relaxed) + ahead; }
  bool may_have_code(std::int64_t elements) const;
  bool may_fit_segments();
  bool run_now(Context& context, const KernelCall& call);
  void run_steps(Context& context, const KernelCall& call);

  Compilation compilation_;
  const LoopPlan plan_;
  const LoopTiles tiles_;
  const ShortCalls short_calls_;
  const ChunkedSteps steps_;
  const bool has_advantage_;          ///< a loop takes less time than the steps: there are several
  const double seconds_per_element_;  ///< estimate for the steps one after the other, on one thread
  std::atomic<double> error_ = 1;     ///< time of the last long run of the steps, divided by the estimate
  std::atomic<double> seconds_ = 0;   ///< time that the kernel has run uncompiled; of short runs an estimate
  KernelCode code_;
  std::mutex getting_code_;
  /// Calls over several segments that still go step by step, before segments are compared again.
  std::atomic<int> until_fitting_ = 0;
  std::atomic<bool> has_failed_ = false;  ///< the code of a repeated kernel met a fault
};

}  // namespace cvl::cpu
