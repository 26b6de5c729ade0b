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

  void elementwise(Op op, std::span<const Operand> operands, const Result& result) override {
    host_.elementwise(op, operands, result);
  }
  void random(const Operand& bounds, RandomKey key, const Result& result) override {
    host_.random(bounds, key, result);
  }
  void scan(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override {
    host_.scan(monoid, a, descriptor, result);
  }
  void reduce(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override {
    host_.reduce(monoid, a, descriptor, result);
  }
  void arg_reduce(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override {
    host_.arg_reduce(monoid, a, descriptor, result);
  }
  void scatter(const Scatter& scatter, const Result& result) override { host_.scatter(scatter, result); }
  void gather(const Gather& gather, const Result& result) override { host_.gather(gather, result); }
  void extract(const Operand& a, const Operand& i, const SegmentDescriptor& descriptor, const Result& result) override {
    host_.extract(a, i, descriptor, result);
  }
  void replace(const Operand& a, const Operand& i, const Operand& v, const SegmentDescriptor& descriptor,
               const Result& result) override {
    host_.replace(a, i, v, descriptor, result);
  }
  void dist(const Operand& v, const SegmentDescriptor& descriptor, const Result& result) override {
    host_.dist(v, descriptor, result);
  }
  void index(const Operand& start, const Operand& stride, const SegmentDescriptor& descriptor,
             const Result& result) override {
    host_.index(start, stride, descriptor, result);
  }
  void slice(const Operand& a, const Operand& start, const SegmentDescriptor& descriptor,
             const Result& result) override {
    host_.slice(a, start, descriptor, result);
  }
  void append(const Join& join, const Result& result) override { host_.append(join, result); }
  void merge(const Operand& flags, const Join& join, const Result& result) override {
    host_.merge(flags, join, result);
  }
  void rank(bool descending, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override {
    host_.rank(descending, a, descriptor, result);
  }
  void count(const Operand& a, const Operand& start, const SegmentDescriptor& from, const SegmentDescriptor& to,
             const Result& result) override {
    host_.count(a, start, from, to, result);
  }
  std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                      const Result& lengths) override {
    return host_.plan_pack(flags, descriptor, lengths);
  }
  void pack(const PackPlan& plan, const Operand& a, const Operand& flags, const Result& result) override {
    host_.pack(plan, a, flags, result);
  }
  LengthsSummary summarize_lengths(const Operand& lengths) override { return host_.summarize_lengths(lengths); }
  void make_offsets(const Operand& lengths, const Result& result) override { host_.make_offsets(lengths, result); }

 private:
  std::unique_ptr<Backend> memory_;
  runtime::HostBackend host_;
};

}  // namespace

std::unique_ptr<Backend> make_host_with_memory(const BackendOptions& options) {
  return std::make_unique<HostWithMemory>(options);
}

}  // namespace cvl::conformance
