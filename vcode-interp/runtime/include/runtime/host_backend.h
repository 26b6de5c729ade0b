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

  void run(VectorOp op) override;
  std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                      const Result& lengths) override;
  LengthsSummary summarize_lengths(const MakeOffsets& op) override;

  // The operations that run() does not compose of others, for callers that know which one they need. The result of a
  // scatter without defaults has at most kShortLimit elements.
#define CVL_DECLARE(Name) void compute(const Name& description);
  CVL_BASIC_OPS(CVL_DECLARE)
#undef CVL_DECLARE
  /// Needs no room, and so no time for it; at most kShortLimit elements.
  void compute(const Latest& latest);

  /// plan_pack without a plan object: the number of true flags.
  std::int64_t count_flags(const Operand& flags, const SegmentDescriptor& descriptor, const Result& lengths);

 private:
  template <class T, class I, bool kFlagged>
  void scatter_as(const Scatter& scatter);
  void find_duplicate(const Scatter& scatter);
  void fault(FaultKind kind, std::int64_t position, std::int64_t value, std::int64_t bound);

  std::uint32_t site_ = 0;
  Fault fault_;
};

}  // namespace runtime
