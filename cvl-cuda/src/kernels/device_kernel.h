#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "base/device_faults.h"
#include "executor/executor.h"
#include "generated/generated_kernel.h"
#include "kernels/kernel_store.h"

namespace cvl::cuda {

/// A kernel that is generated when it first runs over a long vector, and compiled then or beside the run.
class DeviceKernel final : public KernelPlan {
 public:
  /// The kernel, its facts and the store outlive this.
  DeviceKernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths,
               std::string_view place, KernelStore& store);
  ~DeviceKernel() override;

  bool is_faster(std::int64_t elements, bool single) override;
  std::string native_code() const override;

  /// Launches it. False if it is not compiled yet, or an operand has a form that generated kernels do not read. Throws
  /// OutOfMemory.
  bool run(Executor& executor, const Faults& faults, const KernelCall& call);
  /// How many elements of a result a run has filled: of a PACK those that are kept.
  std::int64_t filled(vcode::KernelVar result, const KernelCall& call) const;

 private:
  enum class State : std::uint8_t { kNew, kCompiling, kCompiled, kFailed };

  void begin_compiling(const KernelCall& call);
  void compile() noexcept;
  void fail(std::string reason);
  void fail(std::uint32_t step, const std::string& reason);

  const vcode::Kernel& kernel_;
  const vcode::KernelFacts& facts_;
  const vcode::Widths widths_;
  const std::string title_;  ///< name and place
  KernelStore& store_;
  bool submitted_ = false;
  // Written by whoever compiles until the state is kCompiled or kFailed.
  GeneratedKernel generated_;
  KernelStore::Code code_;
  LaunchedFunction function_ = nullptr, finish_ = nullptr;
  std::string failure_;
  std::atomic<State> state_ = State::kNew;
};

}  // namespace cvl::cuda
