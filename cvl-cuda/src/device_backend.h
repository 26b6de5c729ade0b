#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "batches/short_batch.h"
#include "cvl/shared_device.h"
#include "executor/current_device.h"
#include "kernels/device_kernel.h"
#include "operations/device_operations.h"
#include "short_results.h"

namespace cvl::cuda {

/// The backend of this library, on the executor that it is compiled for. Its device is that of the thread that
/// constructs it (current_device.h); any thread may then use it, one at a time.
class DeviceBackend final : public Backend, public SharedDevice {
 public:
  /// Constructs the executor from the arguments.
  template <class... Arguments>
  explicit DeviceBackend(Arguments&&... arguments) : executor_(std::forward<Arguments>(arguments)...) {
    executor_.pool().before_giving_back([this] { flush_quietly(); });
  }
  ~DeviceBackend() override {
    ending_.emplace(device_);
    executor_.pool().before_giving_back(nullptr);
  }

  std::string description() const override;
  bool unified_memory() const override { return false; }
  bool wants_segment_heads() const override { return true; }
  void* allocate(std::size_t bytes) noexcept override {
    const UsingDevice device(device_);
    return executor_.pool().allocate(bytes);
  }
  void deallocate(void* data, std::size_t bytes) noexcept override;
  MemoryUse memory_use() const override { return executor_.pool().use(); }
  std::string traffic() const override;
  const Traffic& counters() const { return executor_.traffic(); }
  /// For tests, which make the executor run out of memory.
  Executor& executor() { return executor_; }
  /// Sets the store that compiles the kernels planned from now on; each is then one launch or two.
  void compile_kernels(std::unique_ptr<KernelStore> store) { store_ = std::move(store); }
  /// Launches offsets that wait, and then the pending batch. True if it gives the reply with `letters`: one is wanted,
  /// there is a batch, and it has room.
  bool flush(const Letters& letters = {});
  void upload(void* device, const void* host, std::size_t bytes) override;
  void download(void* host, const void* device, std::size_t bytes) override;
  bool would_wait(const void* device) const override { return !short_results_.knows(device); }

  void set_site(std::uint32_t site) override { site_ = site; }
  bool has_fault() const override { return host_fault_.kind != FaultKind::kNone || executor_.has_fault(); }
  Fault take_fault() override;

  void run(VectorOp op) override;
  std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                      const Result& lengths) override;
  std::unique_ptr<KernelPlan> plan_kernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts,
                                          vcode::Widths widths, std::string_view position) override;
  bool run_kernel(KernelPlan& plan, const KernelCall& call) override;
  KernelCacheUse kernel_cache_use() const override;
  void clear_kernel_cache() override;
  LengthsSummary summarize_lengths(const MakeOffsets& op) override;

  DeviceId device() const override;
  bool can_read(const void* address) const override;
  void await_stream(std::uintptr_t stream) override;
  void await_event(std::uintptr_t event) override;
  void await_all() override;
  void copy(void* to, const void* from, std::size_t bytes) override;

 private:
  /// Issues an operation that fills `result`. Does nothing after an operation that could not be issued, since its
  /// results, which may be operands, were not computed.
  template <class F>
  void issue(const Result& result, F&& operation);
  /// Adds an operation to the batch if `step` is given, and issues it otherwise.
  template <class F>
  void issue(const std::optional<Step>& step, const Result& result, F&& operation);
  /// Has offsets of many lengths wait for others that are made next: see WaitingOffsets.
  void issue(const MakeOffsets& offsets);
  void launch_offsets();
  /// Merges long vectors. The batch makes the positions of the flags, if they are few.
  void issue(const Merge& merge);
  /// Ranks; waits to learn whether all segments are short, if their lengths differ.
  void issue(const Rank& rank);
  /// Whether a PACK has so few segments that the host reads the numbers of elements kept in each, and adds them up: it
  /// needs them next, for the descriptor of what was kept.
  static bool is_read_by_lengths(std::int64_t elements, const Result& lengths);
  /// Waits for these lengths, and for other short results, and returns their sum.
  std::int64_t read_sum(const Result& lengths);
  /// flush() for callers that cannot report a lost device. The next call to the device reports it again.
  void flush_quietly() noexcept;
  /// The host waits for the numbers of elements that PACKs keep, for summaries of lengths, for values that it reads,
  /// and for all that was issued.
  enum class WaitFor : std::uint8_t { kKept, kLengths, kValues, kAll };
  class WaitCounter;
  class OnDevice;
  template <class T>
  class OpOnDevice;

  std::optional<UsingDevice> ending_;  ///< used by the destructors of the other members
  const int device_ = current_device();
  std::unique_ptr<KernelStore> store_;  ///< null: kernels run step by step; outlives the launches of its kernels
  Executor executor_;
  /// Offsets that are launched together, in front of the batch: descriptors are often made one after the other.
  struct WaitingOffsets {
    std::array<MakeOffsets, kMostOffsets> ops;
    std::size_t count = 0;
    Sites sites;
  } offsets_;
  ShortBatch batch_;
  ShortResults short_results_;
  std::uint32_t site_ = 0;
  Fault host_fault_;                      ///< found by the host while it issued an operation
  std::array<std::uint64_t, 4> waits_{};  ///< by WaitFor
  bool counts_waits_ = false;             ///< whether a WaitCounter counts
};

/// Constructs a backend. Null, with a sentence in `error`, if the device fails or has no memory for what every backend
/// holds.
template <class... Arguments>
std::unique_ptr<DeviceBackend> make_device_backend(std::string& error, Arguments&&... arguments) {
  try {
    return std::make_unique<DeviceBackend>(std::forward<Arguments>(arguments)...);
  } catch (const BackendLost& failure) {
    error = failure.what();
  } catch (const OutOfMemory& failure) {
    error = "the device has no " + std::to_string(failure.bytes) + " bytes of free memory for the library itself";
  }
  return nullptr;
}

}  // namespace cvl::cuda
