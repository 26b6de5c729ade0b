#include "separate_memory.h"

#include <cstdint>
#include <vector>

#include "oracle.h"

namespace cvl::conformance {

namespace {

// Flips the top bit: no address the processor would accept.
template <class T>
T* disguise(T* address) {
  constexpr std::uintptr_t kTop = std::uintptr_t{1} << 63;
  return address == nullptr ? nullptr : reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) ^ kTop);
}

Operand real(Operand o) { return {o.type, o.length, disguise(o.data)}; }
Result real(Result r) { return {r.type, r.length, disguise(r.data)}; }
SegmentMap real(SegmentMap m) {
  m.offsets = disguise(m.offsets);
  return m;
}

class SeparateMemory final : public Backend {
 public:
  explicit SeparateMemory(std::unique_ptr<Backend> oracle) : oracle_(std::move(oracle)) {}

  std::string description() const override { return "oracle with a memory of its own (for tests)"; }
  bool unified_memory() const override { return false; }
  void* allocate(std::size_t bytes) noexcept override { return disguise(oracle_->allocate(bytes)); }
  void deallocate(void* data, std::size_t bytes) noexcept override { oracle_->deallocate(disguise(data), bytes); }
  MemoryUse memory_use() const override { return oracle_->memory_use(); }
  void upload(void* device, const void* host, std::size_t bytes) override {
    oracle_->upload(disguise(device), host, bytes);
  }
  void download(void* host, const void* device, std::size_t bytes) override {
    oracle_->download(host, disguise(device), bytes);
  }
  void set_site(std::uint32_t site) override { oracle_->set_site(site); }
  bool has_fault() const override { return oracle_->has_fault(); }
  Fault take_fault() override { return oracle_->take_fault(); }

  void elementwise(Op op, std::span<const Operand> operands, Result result) override {
    std::vector<Operand> real_operands;
    for (const Operand& o : operands) real_operands.push_back(real(o));
    oracle_->elementwise(op, real_operands, real(result));
  }
  void random(Operand bounds, RandomKey key, Result result) override {
    oracle_->random(real(bounds), key, real(result));
  }
  void scan(Monoid monoid, Operand a, const SegmentMap& map, Result result) override {
    oracle_->scan(monoid, real(a), real(map), real(result));
  }
  void reduce(Monoid monoid, Operand a, const SegmentMap& map, Result result) override {
    oracle_->reduce(monoid, real(a), real(map), real(result));
  }
  void scatter(const Scatter& s, Result result) override {
    Operand flags, defaults;
    if (s.flags != nullptr) flags = real(*s.flags);
    if (s.defaults != nullptr) defaults = real(*s.defaults);
    oracle_->scatter({real(s.source), real(s.indices), s.flags != nullptr ? &flags : nullptr,
                      s.defaults != nullptr ? &defaults : nullptr, real(s.from), real(s.to)},
                     real(result));
  }
  void gather(const Gather& g, Result result) override {
    Operand flags;
    if (g.flags != nullptr) flags = real(*g.flags);
    oracle_->gather({real(g.source), real(g.indices), g.flags != nullptr ? &flags : nullptr, real(g.from), real(g.to)},
                    real(result));
  }
  void extract(Operand a, Operand i, const SegmentMap& map, Result result) override {
    oracle_->extract(real(a), real(i), real(map), real(result));
  }
  void replace(Operand a, Operand i, Operand v, const SegmentMap& map, Result result) override {
    oracle_->replace(real(a), real(i), real(v), real(map), real(result));
  }
  void dist(Operand v, const SegmentMap& map, Result result) override {
    oracle_->dist(real(v), real(map), real(result));
  }
  void index(Operand start, Operand stride, const SegmentMap& map, Result result) override {
    oracle_->index(real(start), real(stride), real(map), real(result));
  }
  void rank(bool descending, Operand a, const SegmentMap& map, Result result) override {
    oracle_->rank(descending, real(a), real(map), real(result));
  }
  std::unique_ptr<PackPlan> plan_pack(Operand flags, const SegmentMap& map, Result lengths) override {
    return oracle_->plan_pack(real(flags), real(map), real(lengths));
  }
  void pack(const PackPlan& plan, Operand a, Operand flags, Result result) override {
    oracle_->pack(plan, real(a), real(flags), real(result));
  }
  LengthsSummary summarize_lengths(Operand lengths) override { return oracle_->summarize_lengths(real(lengths)); }
  void make_offsets(Operand lengths, Result result) override { oracle_->make_offsets(real(lengths), real(result)); }
  void make_segment_ids(const SegmentMap& map, Result result) override {
    oracle_->make_segment_ids(real(map), real(result));
  }

 private:
  std::unique_ptr<Backend> oracle_;
};

}  // namespace

std::unique_ptr<Backend> make_separate_memory(const BackendOptions& options) {
  return std::make_unique<SeparateMemory>(make_oracle(options));
}

}  // namespace cvl::conformance
