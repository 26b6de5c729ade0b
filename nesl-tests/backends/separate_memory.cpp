#include "separate_memory.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/stop_request.h"
#include "cvl/shared_device.h"
#include "vcode/kernel_rules.h"

namespace cvl::conformance {

namespace {

// The top bit makes an address that the processor rejects.
constexpr std::uintptr_t kTop = std::uintptr_t{1} << 63;

template <class T>
T* disguise(T* address) {
  return address == nullptr ? nullptr : reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) ^ kTop);
}

bool is_disguised(const void* address) { return (reinterpret_cast<std::uintptr_t>(address) & kTop) != 0; }

Operand real(Operand o) { return o.on_host ? o : Operand{o.type, o.length, disguise(o.data)}; }
Result real(Result r) { return {r.type, r.length, disguise(r.data)}; }
SegmentDescriptor real(SegmentDescriptor m) {
  m.offsets = disguise(m.offsets);
  m.heads = disguise(m.heads);
  m.nonempty = disguise(m.nonempty);
  return m;
}

/// A kernel of the wrapped backend, and whether running it waits.
struct SeparatePlan final : KernelPlan {
  SeparatePlan(std::unique_ptr<KernelPlan> behind, bool waits) : plan(std::move(behind)), packs(waits) {}
  bool is_faster(std::int64_t elements, bool single) override { return plan->is_faster(elements, single); }
  std::string native_code() const override { return plan->native_code(); }

  const std::unique_ptr<KernelPlan> plan;
  const bool packs;
};

class SeparateMemory : public Backend {
 public:
  SeparateMemory(std::unique_ptr<Backend> backend, SeparateMemoryOptions options)
      : backend_(std::move(backend)), options_(options) {}

  std::string description() const override { return backend_->description() + ", with a memory of its own"; }
  bool unified_memory() const override { return false; }
  bool wants_segment_heads() const override { return backend_->wants_segment_heads(); }
  void* allocate(std::size_t bytes) noexcept override { return disguise(backend_->allocate(bytes)); }
  void deallocate(void* data, std::size_t bytes) noexcept override { backend_->deallocate(disguise(data), bytes); }
  MemoryUse memory_use() const override { return backend_->memory_use(); }
  std::string traffic() const override { return backend_->traffic(); }
  void upload(void* device, const void* host, std::size_t bytes) override {
    backend_->upload(disguise(device), host, bytes);
  }
  void download(void* host, const void* device, std::size_t bytes) override {
    if (++downloads_ == options_.stopped_at) throw base::Stopped{};
    backend_->download(host, disguise(device), bytes);
    waited_ = true;
  }
  bool would_wait(const void* device) const override { return backend_->would_wait(disguise(device)); }
  void set_site(std::uint32_t site) override {
    if (++operations_ == options_.lost_at) throw BackendLost("the device is lost");
    backend_->set_site(site);
    waited_ = false;
  }
  bool has_fault() const override { return waited_ && backend_->has_fault(); }
  Fault take_fault() override { return backend_->take_fault(); }

  void run(VectorOp op) override {
    with_translated(
        op, [](const auto& vector) { return real(vector); }, [&](VectorOp translated) { backend_->run(translated); });
  }
  std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                      const Result& lengths) override {
    waited_ = true;
    return backend_->plan_pack(real(flags), real(descriptor), real(lengths));
  }
  std::unique_ptr<KernelPlan> plan_kernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts,
                                          vcode::Widths widths, std::string_view position) override {
    std::unique_ptr<KernelPlan> plan = backend_->plan_kernel(kernel, facts, widths, position);
    if (plan == nullptr) return nullptr;
    const bool packs =
        std::find(facts.producers.begin(), facts.producers.end(), vcode::Producer::kPack) != facts.producers.end();
    return std::make_unique<SeparatePlan>(std::move(plan), packs);
  }
  bool run_kernel(KernelPlan& plan, const KernelCall& call) override {
    auto& own = static_cast<SeparatePlan&>(plan);
    std::vector<Operand> operands(call.operands.size());
    std::vector<SegmentDescriptor> descriptors(call.descriptors.size());
    std::vector<Result> results(call.results.size());
    const auto real_one = [](const auto& x) { return real(x); };
    std::transform(call.operands.begin(), call.operands.end(), operands.begin(), real_one);
    std::transform(call.descriptors.begin(), call.descriptors.end(), descriptors.begin(), real_one);
    std::transform(call.results.begin(), call.results.end(), results.begin(), real_one);
    if (own.packs) waited_ = true;
    return backend_->run_kernel(*own.plan, {call.elements, operands, descriptors, results, call.kept, call.sums});
  }
  KernelCacheUse kernel_cache_use() const override { return backend_->kernel_cache_use(); }
  void clear_kernel_cache() override { backend_->clear_kernel_cache(); }
  LengthsSummary summarize_lengths(const MakeOffsets& op) override {
    waited_ = true;
    return backend_->summarize_lengths({real(op.lengths), real(op.result), real(op.nonempty)});
  }

 private:
  std::unique_ptr<Backend> backend_;
  bool waited_ = false;  ///< whether the host has waited since the last operation began
  int operations_ = 0, downloads_ = 0;
  const SeparateMemoryOptions options_;
};

/// The wrapper of a backend whose memory others can address: they use disguised addresses, too.
class SharedSeparateMemory final : public SeparateMemory, public SharedDevice {
 public:
  SharedSeparateMemory(SharedDevice& shared, std::unique_ptr<Backend> backend, SeparateMemoryOptions options)
      : SeparateMemory(std::move(backend), options), shared_(shared) {}

  DeviceId device() const override { return shared_.device(); }
  bool can_read(const void* address) const override { return is_disguised(address); }
  void await_stream(std::uintptr_t stream) override { shared_.await_stream(stream); }
  void await_event(std::uintptr_t event) override { shared_.await_event(event); }
  void await_all() override { shared_.await_all(); }
  void copy(void* to, const void* from, std::size_t bytes) override {
    shared_.copy(disguise(to), disguise(from), bytes);
  }

 private:
  SharedDevice& shared_;  ///< the wrapped backend
};

}  // namespace

std::unique_ptr<Backend> make_separate_memory(std::unique_ptr<Backend> backend, SeparateMemoryOptions options) {
  if (auto* const shared = dynamic_cast<SharedDevice*>(backend.get()))
    return std::make_unique<SharedSeparateMemory>(*shared, std::move(backend), options);
  return std::make_unique<SeparateMemory>(std::move(backend), options);
}

}  // namespace cvl::conformance
