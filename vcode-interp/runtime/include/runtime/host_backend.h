#pragma once

#include "cvl/backend.h"

namespace runtime {

using namespace cvl;

/// Backend for short vectors, sequential in the calling thread and in host memory: a few nanoseconds a call, without
/// allocation. It owns no memory; allocate() always fails.
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

  void elementwise(Op op, std::span<const Operand> operands, const Result& result) override;
  void random(const Operand& bounds, RandomKey key, const Result& result) override;
  void scan(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override;
  void reduce(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override;
  void arg_reduce(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override;
  /// The result has at most kShortLimit elements.
  void scatter(const Scatter& scatter, const Result& result) override;
  void gather(const Gather& gather, const Result& result) override;
  void extract(const Operand& a, const Operand& i, const SegmentDescriptor& descriptor, const Result& result) override;
  void replace(const Operand& a, const Operand& i, const Operand& v, const SegmentDescriptor& descriptor,
               const Result& result) override;
  void dist(const Operand& v, const SegmentDescriptor& descriptor, const Result& result) override;
  void index(const Operand& start, const Operand& stride, const SegmentDescriptor& descriptor,
             const Result& result) override;
  void slice(const Operand& a, const Operand& start, const SegmentDescriptor& descriptor,
             const Result& result) override;
  void append(const Join& join, const Result& result) override;
  void merge(const Operand& flags, const Join& join, const Result& result) override;
  void rank(bool descending, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override;
  void count(const Operand& a, const Operand& start, const SegmentDescriptor& from, const SegmentDescriptor& to,
             const Result& result) override;
  std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                      const Result& lengths) override;
  void pack(const PackPlan& plan, const Operand& a, const Operand& flags, const Result& result) override;
  LengthsSummary summarize_lengths(const Operand& lengths) override;
  void make_offsets(const Operand& lengths, const Result& result) override;

  /// plan_pack without a plan object: the number of true flags.
  std::int64_t count_flags(const Operand& flags, const SegmentDescriptor& descriptor, const Result& lengths);

 private:
  template <class T, class I, bool kFlagged>
  void scatter_as(const Scatter& scatter, const Result& result);
  void find_duplicate(const Scatter& scatter);
  void fault(FaultKind kind, std::int64_t position, std::int64_t value, std::int64_t bound);

  std::uint32_t site_ = 0;
  Fault fault_;
};

}  // namespace runtime
