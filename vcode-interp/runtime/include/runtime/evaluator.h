#pragma once

#include <array>
#include <optional>
#include <string>

#include "runtime/locations.h"
#include "runtime/prepared_kernel.h"
#include "vcode/op.h"

namespace runtime {

/// Applies the operations of ops.def (all but the system class) to values: checks kinds and lengths against the
/// signatures, computes short vectors on the host and longer ones on the device, and reuses the storage of dead
/// operands for results.
class Evaluator {
 public:
  /// `host_limit`: see Locations.
  Evaluator(Backend& device, vcode::Widths widths, std::int64_t host_limit = kShortLimit);

  /// Applies an operation to the operands at `base` (deepest first) and replaces them by the results; `base` must have
  /// room for the larger number of values. On failure returns false, with the reason in failure(); the operands are
  /// then unspecified but valid.
  [[nodiscard]] bool apply(Op op, vcode::Suffix suffix, Value* base);

  /// Runs a kernel on the inputs at `base` (deepest first) and replaces them by its outputs. `base` must have room for
  /// the outputs; room behind the inputs must hold no values. The kernel is run by the backend as a whole, or step by
  /// step: after a fault, if all vectors are short, or if the backend cannot run it. On failure returns false, with the
  /// reason in failure() and failed_step(); descriptors, and other inputs that no earlier step consumed, are then still
  /// at `base`.
  [[nodiscard]] bool run_kernel(const PreparedKernel& kernel, Value* base);
  /// The number of the step that made run_kernel fail last.
  std::uint32_t failed_step() const { return failed_step_; }

  /// One sentence, beginning with the instruction, for the last failure.
  const std::string& failure() const { return failure_; }
  /// Cause of the last failure: element and value for an error in the data, kOutOfMemory if memory ran out, kNone if
  /// kinds or lengths did not fit.
  const Fault& fault() const { return fault_; }
  /// Site, as given to set_site(), of the instruction at fault, if that is an earlier instruction than the one that was
  /// applied: asynchronous backends find faults late. Else empty.
  std::optional<std::uint32_t> late_site() const { return late_site_; }

  /// False if the backend has found a fault in an earlier operation that has not been reported; failure() then
  /// describes that fault. Must be called after elements have been read, since these are undefined after a fault.
  [[nodiscard]] bool is_sound() { return !at_.heap.device().has_fault() || fail_late(at_.heap.device().take_fault()); }
  /// Waits for all operations that were applied; then like is_sound().
  [[nodiscard]] bool settle();

  /// Discards an unreported fault. A run that was stopped for another reason (a timeout) may leave one.
  void forget_fault() { (void)at_.heap.device().take_fault(); }

  Heap& heap() { return at_.heap; }
  /// Whether the host writes a new vector of this many elements to memory of its own, rather than uploading it.
  bool makes_on_host(std::int64_t length) const { return at_.unified || length <= at_.host_limit; }
  vcode::Widths widths() const { return widths_; }

  /// Sets the number of the instruction that the next operations belong to; see late_site().
  void set_site(std::uint32_t site) { site_ = site; }

  /// Restarts the random numbers with a seed.
  void seed(std::uint64_t seed) { random_key_ = {seed, 0}; }

  /// The lengths of a descriptor, as an INT vector. kNone on failure.
  Value lengths_of(const Value& segdes);
  /// The descriptor with these lengths (an INT vector). kNone on failure.
  Value make_segdes(Value lengths);
  /// Error message for the last request that the heap could not meet; `who` is its subject.
  std::string memory_failure(std::string_view who) const;

 private:
  friend struct Operation;
  friend class DividedCall;
  friend class KernelRun;

  bool run_steps(const PreparedKernel& kernel, Value* base);
  bool fail(std::string message, Fault fault = {});
  bool fail_memory();
  /// Fails with a fault that the device found, possibly in an earlier operation.
  bool fail_late(Fault fault);
  std::string fault_sentence(const std::string& instruction, const Fault& fault, const std::string& where) const;

  /// Numbers the operation for the device. False, with failure(), if kRecent operations were outstanding, and waiting
  /// for the device revealed a fault.
  [[nodiscard]] bool begin_device_operation() {
    if (issued_ + 1 - settled_ == kRecent && !settle()) return false;
    recent_[++issued_ % kRecent] = {site_, step_, op_, suffix_};
    at_.heap.device().set_site(issued_);
    return true;
  }
  bool is_latest(const Fault& fault) const { return fault.site == issued_; }
  /// Numbers the steps of a kernel that an asynchronous device runs as a whole; false as for begin_device_operation().
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
  /// The last operations issued to the device, by number modulo kRecent. A fault may concern any operation since the
  /// last settle(), so at most kRecent operations are issued between two waits.
  struct Issued {
    std::uint32_t site, step;
    Op op;
    vcode::Suffix suffix;
  };
  static constexpr std::uint32_t kRecent = 4096;
  std::array<Issued, kRecent> recent_{};
  std::uint32_t issued_ = 0;
  std::uint32_t settled_ = 0;  ///< issued_ when the device was last waited for
  std::uint32_t step_ = 0;     ///< number of the current step of a kernel that runs step by step
  // The values of a kernel that runs step by step; kNone between runs.
  std::vector<Value> kernel_values_;
  std::array<Value, vcode::Signature::kMaxRoles> kernel_stack_;  ///< the operands and results of a step
  Op op_ = Op::kExit;
  vcode::Suffix suffix_ = vcode::Suffix::kNone;
};

}  // namespace runtime
