#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/loop_plan.h"
#include "lanes/llvm_text.h"
#include "llvm/native_compiler.h"
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
  std::string assembly(const NativeTarget& target) const;

 private:
  /// A function of the kernel's code.
  struct Function {
    Part part;
    Loop::Form form;
    std::string name;
  };
  /// Code of a kernel. The compiler's thread owns it too and fills it, even if the kernel has been destroyed by then.
  struct Compiled {
    CompiledLoops loops = {};
    std::unique_ptr<NativeCode> code;
    bool was_cached = false;
    double seconds = 0;                 ///< time that compiling or loading took
    std::atomic<bool> ready = false;    ///< the members above are set
    std::atomic<bool> settled = false;  ///< ready, or the kernel cannot be compiled
  };
  /// Means to get code for a kernel, even after the kernel has been destroyed.
  struct Order {
    NativeCompiler* compiler;
    std::shared_ptr<Compiled> made;
    std::vector<Function> functions;
    std::string text;  ///< assembly
    /// Takes the code from the cache. False if there is none.
    bool find() const;
    /// Compiles the kernel. Throws std::runtime_error if that fails.
    void compile() const;

   private:
    void take(std::unique_ptr<NativeCode> code, bool was_cached, std::chrono::steady_clock::time_point begin) const;
  };
  Order order() const;
  std::vector<Function> functions(const std::string& name, bool of_all_parts) const;
  std::string assembly(const NativeTarget& target, const std::vector<Function>& functions) const;
  bool is_ready() const { return compiled_->ready.load(std::memory_order_acquire); }
  /// Whether the code may be there before a run has ended that begins now.
  bool is_being_compiled() const { return submitted_ && !compiled_->settled; }
  void get_code(double ahead);
  bool has_one_segment(const KernelCall& call) const;
  bool takes_at_once(std::int64_t elements) const;
  double estimate(std::int64_t elements) const;
  void run_now(Context& context, const KernelCall& call);
  void run_at_once(Context& context, const KernelCall& call) const;

  Compilation compilation_;
  const LoopPlan plan_;
  const LoopTiles tiles_;
  const ChunkedSteps steps_;
  const std::string compiled_name_;   ///< prefix of the names of compiled functions
  const bool has_advantage_;          ///< a loop takes less time than the steps: there are several
  const bool at_once_;                ///< the loop and epilogues compute the whole kernel
  const double seconds_per_element_;  ///< estimate for the steps one after the other, on one thread
  std::atomic<double> error_ = 1;     ///< time of the last long run of the steps, divided by the estimate
  std::atomic<double> seconds_ = 0;   ///< time that the kernel has run uncompiled; of short runs an estimate
  std::mutex getting_code_;
  std::optional<Order> order_;  ///< code that the cache lacks and that has not been submitted; only with getting_code_
  std::atomic<bool> submitted_ = false;
  std::atomic<bool> has_failed_ = false;  ///< the code of a repeated kernel met a fault
  std::shared_ptr<Compiled> compiled_ = std::make_shared<Compiled>();
};

}  // namespace cvl::cpu
