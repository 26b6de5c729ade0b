#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/native_compiler.h"
#include "native/llvm_text.h"
#include "operations/context.h"
#include "tiles/tile_plan.h"

namespace cvl::cpu {

/// When kernels are compiled to machine code.
enum class Native : std::uint8_t {
  kOff,
  kHot,     ///< when a kernel has run for longer than compiling it takes; until it is compiled, the tile engine runs it
  kAlways,  ///< before it runs for the first time
};

/// A kernel, with what runs it: the tile engine, or the same with native code for its regions. Both give the same
/// results, bit for bit.
class CpuKernel final : public KernelPlan {
 public:
  /// What a process needs to compile kernels.
  struct Compilation {
    Native when = Native::kOff;
    const NativeTarget* target = nullptr;  ///< null: none for this instruction set
    NativeCompiler* compiler = nullptr;
  };

  /// With `one_segment` it is to run over single segments only. Throws std::runtime_error if the kernel is to be
  /// compiled before it runs and cannot be.
  CpuKernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths, std::string_view place,
            const Compilation& compilation, bool one_segment = false);
  ~CpuKernel() override;

  bool is_faster(std::int64_t elements, bool single) override;
  std::string native_code() const override;
  std::int64_t machine_code_bytes() override;
  /// Several threads may run a kernel at a time, each in a context of its own.
  void run(Context& context, const KernelCall& call);

  /// The LLVM assembly that the kernel is compiled from for these vectors, where there may be several segments if that
  /// is compiled; empty if the tile engine is as fast for it.
  std::string assembly(const NativeTarget& target) const;

 private:
  bool is_worth_compiling() const;
  std::string assembly(const NativeTarget& target, const std::string& name) const;
  /// What a kernel is compiled to. The compiler's thread makes it, whether there still is the kernel or not.
  struct Compiled {
    std::vector<CompiledRegion> regions;  ///< of the plan
    std::unique_ptr<NativeCode> code;
    bool was_cached = false;
    double seconds = 0;  ///< that it took
    std::atomic<bool> ready = false;
  };
  std::function<void()> begin_compiling();
  bool is_ready() const { return compiled_->ready.load(std::memory_order_acquire); }
  std::string compiled_text() const;
  void add_time(double seconds);
  bool has_one_segment(const KernelCall& call) const;
  bool takes_at_once(std::int64_t elements) const;
  bool run_at_once(Context& context, const KernelCall& call) const;

  Compilation compilation_;
  const TilePlan plan_;
  std::unique_ptr<CpuKernel> of_one_segment_;  ///< which runs over single segments in its place; null if it would not
                                               ///< be another one
  const std::string compiled_name_;            ///< with which the names of compiled functions begin
  const int only_region_;
  std::atomic<double> seconds_ = 0;  ///< that it has run without native code
  std::atomic<bool> submitted_ = false;
  std::shared_ptr<Compiled> compiled_ = std::make_shared<Compiled>();
};

}  // namespace cvl::cpu
