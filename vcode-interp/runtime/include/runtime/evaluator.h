#pragma once

#include <array>
#include <optional>
#include <string>

#include "runtime/locations.h"
#include "runtime/prepared_kernel.h"
#include "vcode/op.h"

namespace runtime {

/// Runs the operations of ops.def (all but the system class) on values: checks kinds and lengths against
/// the signatures, computes short operands on the host and long ones on the device, and gives the storage
/// of dying operands to results.
class Evaluator {
 public:
  /// `host_limit`: see Locations.
  Evaluator(Backend& device, vcode::Widths widths, std::int64_t host_limit = kShortLimit);

  /// Applies an operation to the values at `base` (deepest first), consuming them and leaving the results
  /// in their place; base must have room for the larger of the two numbers. On failure returns false, and
  /// failure() says why; the operands are then unspecified but valid.
  [[nodiscard]] bool apply(Op op, vcode::Suffix suffix, Value* base);

  /// Runs a kernel on the inputs at `base` (deepest first) and leaves its outputs in their place; base must have
  /// room for them, and what is behind the inputs is overwritten unseen. The backend computes it in one go, or it is
  /// computed step by step: if a vector or an element is at fault, if all vectors are short, or if the backend cannot.
  /// On failure returns false, and failure() and failed_step() say why; of the inputs, those are then still
  /// there, descriptors in any case, that no step before used up.
  [[nodiscard]] bool run_kernel(const PreparedKernel& kernel, Value* base);
  /// The step of the kernel that the last failure of run_kernel was about.
  std::uint32_t failed_step() const { return failed_step_; }

  /// One sentence, beginning with the instruction, for the last failure.
  const std::string& failure() const { return failure_; }
  /// What the last failure was about: which element and which value, if the data were at fault (kNone if kinds or
  /// lengths were), kOutOfMemory if memory ran out.
  const Fault& fault() const { return fault_; }
  /// If the last failure is about an earlier instruction than the one to be applied, as happens on an asynchronous
  /// backend: the site that set_site() set for that instruction.
  std::optional<std::uint32_t> late_site() const { return late_site_; }

  /// False if the backend has found a fault in an earlier operation that has not been reported: failure() is then about
  /// that fault. To be asked when elements have been read, since they mean nothing after a fault.
  [[nodiscard]] bool is_sound() { return !at_.heap.device().has_fault() || fail_late(at_.heap.device().take_fault()); }
  /// Waits for all operations applied before; then as is_sound().
  [[nodiscard]] bool settle();

  /// Forgets a fault that has not been reported, which a run that was stopped for another reason (a timeout) may have
  /// left.
  void forget_fault() { (void)at_.heap.device().take_fault(); }

  Heap& heap() { return at_.heap; }
  /// Whether the host writes a new vector of this many elements to memory of its own, rather than uploading it.
  bool makes_on_host(std::int64_t length) const { return at_.unified || length <= at_.host_limit; }
  vcode::Widths widths() const { return widths_; }

  /// Which instruction the next operations belong to: see late_site().
  void set_site(std::uint32_t site) { site_ = site; }

  /// Starts the sequence of random numbers that belongs to a seed.
  void seed(std::uint64_t seed) { random_key_ = {seed, 0}; }

  /// The lengths of a descriptor, as an INT vector. kNone on failure.
  Value lengths_of(const Value& segdes);
  /// The descriptor with these lengths (an INT vector). kNone on failure.
  Value make_segdes(Value lengths);
  /// Describes a failure to allocate what the heap was last asked for.
  std::string memory_failure(std::string_view who) const;

 private:
  friend struct Operation;
  friend class CutCall;
  friend class KernelRun;

  bool run_steps(const PreparedKernel& kernel, Value* base);
  bool fail(std::string message, Fault fault = {});
  bool fail_memory();
  /// Fails for a fault of the device, of whichever operation.
  bool fail_late(Fault fault);
  std::string fault_sentence(const std::string& instruction, const Fault& fault, const std::string& where) const;

  /// Tells the device which operation the following calls belong to. False, with failure(), if it first had to wait for
  /// the device, and that had a fault.
  [[nodiscard]] bool begin_device_operation() {
    if (issued_ + 1 - settled_ == kRecent && !settle()) return false;
    recent_[++issued_ % kRecent] = {site_, step_, op_, suffix_};
    at_.heap.device().set_site(issued_);
    return true;
  }
  bool is_latest(const Fault& fault) const { return fault.site == issued_; }
  /// The same for the steps of a kernel that the device is to run in one go, as far as it does so asynchronously.
  [[nodiscard]] bool begin_kernel(const vcode::Kernel& kernel);
  bool is_of_latest_kernel(const Fault& fault, const vcode::Kernel& kernel) const;

  Locations at_;
  const vcode::Widths widths_;
  RandomKey random_key_;
  std::uint32_t site_ = 0;
  std::string failure_;
  Fault fault_;
  std::uint32_t failed_step_ = 0;
  std::optional<std::uint32_t> late_site_;
  /// The operations issued to the device last, by number. A fault may be about any that the device has not been waited
  /// for, so there are never more of these.
  struct Issued {
    std::uint32_t site, step;
    Op op;
    vcode::Suffix suffix;
  };
  static constexpr std::uint32_t kRecent = 4096;
  std::array<Issued, kRecent> recent_{};
  std::uint32_t issued_ = 0;
  std::uint32_t settled_ = 0;  ///< issued_ when the device was last waited for
  std::uint32_t step_ = 0;     ///< of the kernel being run step by step
  // Of the kernel being run step by step; nothing between runs.
  std::vector<Value> kernel_values_;
  std::array<Value, vcode::Signature::kMaxRoles> kernel_stack_;  ///< the operands and results of a step
  Op op_ = Op::kExit;
  vcode::Suffix suffix_ = vcode::Suffix::kNone;
};

}  // namespace runtime
