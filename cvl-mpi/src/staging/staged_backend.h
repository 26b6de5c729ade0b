#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cvl/backend.h"
#include "staging/device_copies.h"

namespace cvl::mpi {

/// The backend of a rank with a device. Vectors are at addresses of the host, so that ranks can exchange them, but
/// operations run on the device, on copies (device_copies.h): a vector goes from one to the other only when that reads
/// it.
///
/// The host itself computes sums and products of FLOATs: a device associates them by their places in a vector, which
/// are others for each number of ranks. So they have the bits of the host's backend. The host also makes descriptors,
/// which it needs.
///
/// Whoever reads or writes memory of this backend on the host calls before_reading() or before_writing() first.
class StagedBackend final : public Backend {
 public:
  /// The memory of `host` is that of the host. `device` is a SharedDevice.
  StagedBackend(std::unique_ptr<Backend> device, std::unique_ptr<Backend> host);
  ~StagedBackend() override;

  /// Brings what the device has computed of these bytes to the host. Throws BackendLost if the device had no memory for
  /// it.
  void before_reading(const void* data, std::size_t bytes);
  /// The host then writes these bytes.
  void before_writing(void* data, std::size_t bytes) { copies_.before_writing(data, bytes); }
  /// These bytes are undefined from now on.
  void discard(void* data, std::size_t bytes) { copies_.discard(data, bytes); }
  /// These bytes are freed.
  void forget(void* data, std::size_t bytes) { copies_.forget(data, bytes); }
  const Transfers& transfers() const { return copies_.transfers(); }

  std::string description() const override;
  bool unified_memory() const override { return false; }
  void* allocate(std::size_t bytes) noexcept override;
  void deallocate(void* data, std::size_t bytes) noexcept override;
  MemoryUse memory_use() const override { return device_->memory_use(); }
  void upload(void* to, const void* from, std::size_t bytes) override;
  void download(void* to, const void* from, std::size_t bytes) override;
  bool would_wait(const void* data) const override { return copies_.would_wait(data); }

  void set_site(std::uint32_t site) override;
  bool has_fault() const override;
  Fault take_fault() override;

  void run(VectorOp op) override;
  std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                      const Result& lengths) override;
  std::unique_ptr<KernelPlan> plan_kernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts,
                                          vcode::Widths widths, std::string_view location) override;
  bool run_kernel(KernelPlan& plan, const KernelCall& call) override;
  KernelCacheUse kernel_cache_use() const override { return device_->kernel_cache_use(); }
  void clear_kernel_cache() override;
  void leave_process() override;
  LengthsSummary summarize_lengths(const MakeOffsets& op) override;

 private:
  struct Plan;

  Operand on_device(const Operand& operand);
  Result on_device(const Result& result);
  SegmentDescriptor on_device(const SegmentDescriptor& descriptor) { return copies_.descriptor(descriptor); }
  /// Whether all vectors of an operation are on the device; else reports that it has no memory.
  bool are_on_device();
  void read(const Operand& operand);
  void read(const SegmentDescriptor& descriptor);
  void write(const Result& result);
  void run_on_device(VectorOp op);
  template <class T>
  void run_on_host(const T& op);
  bool run_kernel_on_device(Plan& plan, const KernelCall& call);
  void note(const Fault& fault);

  const std::unique_ptr<Backend> device_, host_;
  DeviceCopies copies_;
  std::uint32_t site_ = 0;
  Fault fault_;             ///< the first one that is known
  bool can_fault_ = false;  ///< whether the device may find a fault in what it has not computed yet
};

}  // namespace cvl::mpi
