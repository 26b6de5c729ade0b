#pragma once

#include "cvl/backend.h"

namespace cvl {

/// The operations on short vectors, computed sequentially in host memory by the calling thread: no
/// threads, no allocation, a few nanoseconds a call. It owns no memory; allocate always fails.
class HostBackend final : public Backend {
 public:
  std::string description() const override { return "host (short vectors)"; }
  bool unified_memory() const override { return true; }
  void* allocate(std::size_t) noexcept override { return nullptr; }
  void deallocate(void*, std::size_t) noexcept override {}
  MemoryUse memory_use() const override { return {}; }
  void upload(void* device, const void* host, std::size_t bytes) override;
  void download(void* host, const void* device, std::size_t bytes) override;
  void set_site(std::uint32_t site) override { site_ = site; }
  bool has_fault() const override { return fault_.kind != FaultKind::kNone; }
  Fault take_fault() override;

  void elementwise(Op op, std::span<const Operand> operands, Result result) override;
  void random(Operand bounds, RandomKey key, Result result) override;
  void scan(Monoid monoid, Operand a, const SegmentMap& map, Result result) override;
  void reduce(Monoid monoid, Operand a, const SegmentMap& map, Result result) override;
  /// At most kShortLimit places.
  void scatter(const Scatter& scatter, Result result) override;
  void gather(const Gather& gather, Result result) override;
  void extract(Operand a, Operand i, const SegmentMap& map, Result result) override;
  void replace(Operand a, Operand i, Operand v, const SegmentMap& map, Result result) override;
  void dist(Operand v, const SegmentMap& map, Result result) override;
  void index(Operand start, Operand stride, const SegmentMap& map, Result result) override;
  void rank(bool descending, Operand a, const SegmentMap& map, Result result) override;
  std::unique_ptr<PackPlan> plan_pack(Operand flags, const SegmentMap& map, Result lengths) override;
  void pack(const PackPlan& plan, Operand a, Operand flags, Result result) override;
  LengthsSummary summarize_lengths(Operand lengths) override;
  void make_offsets(Operand lengths, Result result) override;

  /// plan_pack without a plan object: the number of true flags.
  std::int64_t count_flags(Operand flags, const SegmentMap& map, Result lengths);

 private:
  template <class T, class I, bool kFlagged>
  void scatter_as(const Scatter& scatter, Result result);
  void fault(FaultKind kind, std::int64_t position, std::int64_t value, std::int64_t bound);

  std::uint32_t site_ = 0;
  Fault fault_;
};

}  // namespace cvl
