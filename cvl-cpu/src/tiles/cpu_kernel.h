#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/native_compiler.h"
#include "native/llvm_text.h"
#include "operations/context.h"
#include "tiles/tile_plan.h"

namespace cvl::cpu {

/// Setting when kernels are compiled to machine code.
enum class Native : std::uint8_t {
  kOff,
  kHot,     ///< once its runs, the present one included, take longer than compiling; meanwhile the tile engine runs it
  kAlways,  ///< before the first run
};

/// A kernel and the code that runs it: the tile engine, alone or with compiled functions for its regions. Both give the
/// same results, bit for bit.
class CpuKernel final : public KernelPlan {
 public:
  /// Means of a process to compile kernels.
  struct Compilation {
    Native when = Native::kOff;
    const NativeTarget* target = nullptr;  ///< null: there is none for this instruction set
    NativeCompiler* compiler = nullptr;
  };

  /// With `one_segment`, plans for runs in which every descriptor is single. Throws std::runtime_error if the kernel
  /// must be compiled before its first run and cannot be.
  CpuKernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths,
            std::string_view position, const Compilation& compilation, bool one_segment = false);

  bool is_faster(std::int64_t elements, bool single) override;
  std::string native_code() const override;
  std::int64_t machine_code_bytes() override;
  /// Runs the kernel. Several threads may do so at a time, each with a context of its own.
  void run(Context& context, const KernelCall& call);

  /// LLVM assembly that the kernel is compiled from, for vectors with any number of segments if there is such code;
  /// empty if the tile engine is as fast.
  std::string assembly(const NativeTarget& target) const;

 private:
  bool is_worth_compiling() const;
  std::string assembly(const NativeTarget& target, const std::string& name) const;
  /// Code of a kernel. The compiler's thread owns it too and fills it, even if the kernel has been destroyed by then.
  struct Compiled {
    std::vector<CompiledRegion> regions;  ///< one for each region of the plan
    std::unique_ptr<NativeCode> code;
    bool was_cached = false;
    double seconds = 0;                 ///< time that compiling or loading took
    std::atomic<bool> ready = false;    ///< the members above are set
    std::atomic<bool> settled = false;  ///< ready, or the kernel cannot be compiled
  };
  /// Names of the functions of a region; empty for functions that it lacks.
  struct CompiledNames {
    std::string elements, segments, across;
  };
  /// Means to get code for a kernel, even after the kernel has been destroyed.
  struct Order {
    NativeCompiler* compiler;
    std::shared_ptr<Compiled> made;
    std::vector<CompiledNames> names;
    std::string text;  ///< assembly
    /// Takes the code from the cache. False if there is none.
    bool find() const;
    /// Compiles the kernel. Throws std::runtime_error if that fails.
    void compile() const;

   private:
    void take(std::unique_ptr<NativeCode> code, bool was_cached, std::chrono::steady_clock::time_point begin) const;
  };
  Order order() const;
  bool is_ready() const { return compiled_->ready.load(std::memory_order_acquire); }
  void get_code(double ahead);
  double expected_seconds(const Context& context, const KernelCall& call) const;
  std::string compiled_text() const;
  void add_time(double seconds);
  bool has_one_segment(const KernelCall& call) const;
  bool takes_at_once(std::int64_t elements) const;
  bool run_at_once(Context& context, const KernelCall& call) const;

  Compilation compilation_;
  const TilePlan plan_;
  std::unique_ptr<CpuKernel> of_one_segment_;  ///< runs calls with single segments only; null if its plan would be the
                                               ///< same
  const std::string compiled_name_;            ///< prefix of the names of compiled functions
  const int only_region_;
  const double seconds_per_element_;  ///< estimate for the tile engine, on one thread
  std::atomic<double> seconds_ = 0;   ///< time that the kernel has run uncompiled
  std::mutex getting_code_;
  bool searched_ = false;  ///< the cache has been asked; only with getting_code_
  std::atomic<bool> submitted_ = false;
  std::shared_ptr<Compiled> compiled_ = std::make_shared<Compiled>();
};

}  // namespace cvl::cpu
