#include "separate_memory.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/stop_request.h"
#include "vcode/kernel_rules.h"

namespace cvl::conformance {

namespace {

// Flips the top bit, which makes an address that the processor rejects.
template <class T>
T* disguise(T* address) {
  constexpr std::uintptr_t kTop = std::uintptr_t{1} << 63;
  return address == nullptr ? nullptr : reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) ^ kTop);
}

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

class SeparateMemory final : public Backend {
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

  void elementwise(Op op, std::span<const Operand> operands, const Result& result) override {
    std::vector<Operand> real_operands;
    for (const Operand& o : operands) real_operands.push_back(real(o));
    backend_->elementwise(op, real_operands, real(result));
  }
  void random(const Operand& bounds, RandomKey key, const Result& result) override {
    backend_->random(real(bounds), key, real(result));
  }
  void scan(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override {
    backend_->scan(monoid, real(a), real(descriptor), real(result));
  }
  void reduce(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override {
    backend_->reduce(monoid, real(a), real(descriptor), real(result));
  }
  void arg_reduce(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override {
    backend_->arg_reduce(monoid, real(a), real(descriptor), real(result));
  }
  void scatter(const Scatter& s, const Result& result) override {
    Operand flags, defaults;
    if (s.flags != nullptr) flags = real(*s.flags);
    if (s.defaults != nullptr) defaults = real(*s.defaults);
    backend_->scatter({real(s.source), real(s.indices), s.flags != nullptr ? &flags : nullptr,
                       s.defaults != nullptr ? &defaults : nullptr, real(s.from), real(s.to)},
                      real(result));
  }
  void gather(const Gather& g, const Result& result) override {
    Operand flags;
    if (g.flags != nullptr) flags = real(*g.flags);
    backend_->gather({real(g.source), real(g.indices), g.flags != nullptr ? &flags : nullptr, real(g.from), real(g.to)},
                     real(result));
  }
  void extract(const Operand& a, const Operand& i, const SegmentDescriptor& descriptor, const Result& result) override {
    backend_->extract(real(a), real(i), real(descriptor), real(result));
  }
  void replace(const Operand& a, const Operand& i, const Operand& v, const SegmentDescriptor& descriptor,
               const Result& result) override {
    backend_->replace(real(a), real(i), real(v), real(descriptor), real(result));
  }
  void dist(const Operand& v, const SegmentDescriptor& descriptor, const Result& result) override {
    backend_->dist(real(v), real(descriptor), real(result));
  }
  void index(const Operand& start, const Operand& stride, const SegmentDescriptor& descriptor,
             const Result& result) override {
    backend_->index(real(start), real(stride), real(descriptor), real(result));
  }
  void slice(const Operand& a, const Operand& start, const SegmentDescriptor& descriptor,
             const Result& result) override {
    backend_->slice(real(a), real(start), real(descriptor), real(result));
  }
  void append(const Join& join, const Result& result) override {
    backend_->append({real(join.a), real(join.b), real(join.of_a), real(join.of_b), real(join.to)}, real(result));
  }
  void merge(const Operand& flags, const Join& join, const Result& result) override {
    backend_->merge(real(flags), {real(join.a), real(join.b), real(join.of_a), real(join.of_b), real(join.to)},
                    real(result));
  }
  void rank(bool descending, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override {
    backend_->rank(descending, real(a), real(descriptor), real(result));
  }
  void count(const Operand& a, const Operand& start, const SegmentDescriptor& from, const SegmentDescriptor& to,
             const Result& result) override {
    backend_->count(real(a), real(start), real(from), real(to), real(result));
  }
  std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                      const Result& lengths) override {
    waited_ = true;
    return backend_->plan_pack(real(flags), real(descriptor), real(lengths));
  }
  void pack(const PackPlan& plan, const Operand& a, const Operand& flags, const Result& result) override {
    backend_->pack(plan, real(a), real(flags), real(result));
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
    return backend_->run_kernel(*own.plan, {call.elements, operands, descriptors, results, call.kept});
  }
  KernelCacheUse kernel_cache_use() const override { return backend_->kernel_cache_use(); }
  void clear_kernel_cache() override { backend_->clear_kernel_cache(); }
  LengthsSummary summarize_lengths(const Operand& lengths) override {
    waited_ = true;
    return backend_->summarize_lengths(real(lengths));
  }
  void make_offsets(const Operand& lengths, const Result& result) override {
    backend_->make_offsets(real(lengths), real(result));
  }
  void make_segment_heads(const SegmentDescriptor& descriptor, const Result& heads, const Result& nonempty) override {
    backend_->make_segment_heads(real(descriptor), real(heads), real(nonempty));
  }

 private:
  std::unique_ptr<Backend> backend_;
  bool waited_ = false;  ///< whether the host has waited since the last operation began
  int operations_ = 0, downloads_ = 0;
  const SeparateMemoryOptions options_;
};

}  // namespace

std::unique_ptr<Backend> make_separate_memory(std::unique_ptr<Backend> backend, SeparateMemoryOptions options) {
  return std::make_unique<SeparateMemory>(std::move(backend), options);
}

}  // namespace cvl::conformance
