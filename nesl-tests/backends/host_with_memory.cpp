#include "host_with_memory.h"

#include "oracle.h"
#include "runtime/host_backend.h"

namespace cvl::conformance {

namespace {

class HostWithMemory final : public Backend {
 public:
  explicit HostWithMemory(const BackendOptions& options) : memory_(make_oracle(options)) {}

  std::string description() const override { return host_.description(); }
  bool unified_memory() const override { return true; }
  void* allocate(std::size_t bytes) noexcept override { return memory_->allocate(bytes); }
  void deallocate(void* data, std::size_t bytes) noexcept override { memory_->deallocate(data, bytes); }
  MemoryUse memory_use() const override { return memory_->memory_use(); }
  void upload(void* device, const void* host, std::size_t bytes) override { memory_->upload(device, host, bytes); }
  void download(void* host, const void* device, std::size_t bytes) override { memory_->download(host, device, bytes); }
  void set_site(std::uint32_t site) override { host_.set_site(site); }
  bool has_fault() const override { return host_.has_fault(); }
  Fault take_fault() override { return host_.take_fault(); }
  void run(VectorOp op) override { host_.run(op); }
  std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                      const Result& lengths) override {
    return host_.plan_pack(flags, descriptor, lengths);
  }
  LengthsSummary summarize_lengths(const MakeOffsets& op) override { return host_.summarize_lengths(op); }

 private:
  std::unique_ptr<Backend> memory_;
  runtime::HostBackend host_;
};

}  // namespace

std::unique_ptr<Backend> make_host_with_memory(const BackendOptions& options) {
  return std::make_unique<HostWithMemory>(options);
}

}  // namespace cvl::conformance
