#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/device_faults.h"
#include "executor/executor.h"
#include "generated/generated_kernel.h"
#include "kernels/kernel_store.h"
#include "vcode/kernel_rules.h"

namespace cvl::cuda {

/// A kernel that is generated when it first runs over a long vector, and compiled then or concurrently. A kernel that
/// first meets single descriptors and later others is generated twice, and so is one that packs lengths and other INTs.
class DeviceKernel final : public KernelPlan {
 public:
  /// `kernel`, `facts` and `store` outlive this object.
  DeviceKernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths,
               std::string_view position, KernelStore& store);
  ~DeviceKernel() override;

  bool is_faster(std::int64_t elements, bool single) override;
  std::string native_code() const override;
  bool associates_otherwise() const override { return true; }

  /// Launches the kernel, and, if `awaits_kept`, waits for the number of elements that each PACK keeps; and for their
  /// sums, if `wants_sums` and the sum of the elements that they are of is known. False if it is not compiled yet, or
  /// if an operand has a form that generated kernels do not support. Throws OutOfMemory.
  bool run(Executor& executor, const Faults& faults, const KernelCall& call, bool awaits_kept, bool wants_sums);
  /// The flags of the PACKs that count, the elements and the lengths: the first PACKs with the same flags and segments.
  struct Counts {
    vcode::KernelVar flags, elements, lengths;
  };
  std::span<const Counts> counts() const { return counts_; }
  /// Whether a result has the elements that a PACK keeps.
  bool is_packed(vcode::KernelVar result) const {
    return facts_.producers[result] == vcode::Producer::kPack && kernel_.values[result].kind != vcode::Kind::kSegdes;
  }
  /// Whether a run sums floats, in another association than the steps. Known since the first run.
  bool rounds() const {
    return std::ranges::any_of(variants_, [](const Variant& made) { return made.generated.rounds; });
  }
  /// The number of elements of a result that a run has filled; for a PACK, the number of kept elements.
  std::int64_t filled(vcode::KernelVar result, const KernelCall& call) const;

 private:
  enum class State : std::uint8_t { kNew, kCompiling, kCompiled, kFailed };
  /// The kernel generated for descriptors of one form.
  struct Variant {
    bool submitted = false;
    // Written by the compiling thread until the state is kCompiled or kFailed.
    GeneratedKernel generated;
    KernelStore::Code code;
    LaunchedFunction function = nullptr, finish = nullptr;
    std::string failure;
    std::atomic<State> state = State::kNew;

    State now() const { return state.load(std::memory_order_acquire); }
    bool is_worth_a_try() const { return now() == State::kNew || now() == State::kCompiled; }
  };

  Variant& variant(Form form) { return variants_[static_cast<std::size_t>(form)]; }
  Form form_for(const KernelCall& call, bool wants_sums);
  void begin_compiling(Form form, const KernelCall& call);
  void compile(Variant& made) noexcept;
  void fail(Variant& made, std::string reason);
  void fail(Variant& made, std::uint32_t step, const std::string& reason);

  const vcode::Kernel& kernel_;
  const vcode::KernelFacts& facts_;
  const vcode::Widths widths_;
  const bool sums_kept_;     ///< whether there is a text of the form kPackedLengths
  const std::string title_;  ///< name and location of the kernel
  KernelStore& store_;
  std::vector<Counts> counts_;
  std::array<Variant, kForms> variants_;
};

}  // namespace cvl::cuda
