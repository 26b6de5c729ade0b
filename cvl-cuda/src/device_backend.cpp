#include "device_backend.h"

#include "vcode/kernel_rules.h"

#include <optional>

namespace cvl::cuda {

/// An operand in memory of the device. A host operand is copied there; the copy lives as long as this object.
class DeviceBackend::OnDevice {
 public:
  OnDevice(Executor& executor, const Operand& operand) : operand_(operand) {
    if (!operand.on_host) return;
    const std::size_t bytes = elem_size(operand.type);
    copy_.emplace(executor.pool(), static_cast<std::int64_t>(bytes));
    executor.upload(copy_->data(), operand.data, bytes);
    operand_ = {operand.type, operand.length, copy_->data()};
  }
  operator const Operand&() const { return operand_; }
  const Operand* operator&() const { return &operand_; }

 private:
  Operand operand_;
  std::optional<Scratch<std::byte>> copy_;
};

void DeviceBackend::flush() {
  if (batch_.is_empty()) return;
  const std::uint32_t site = batch_.site();
  executor_.set_sites({site, batch_.last_site()});
  try {
    batch_.launch(executor_);
  } catch (const OutOfMemory& failure) {
    host_fault_ = {FaultKind::kOutOfMemory, site, 0, static_cast<std::int64_t>(failure.bytes), 0};
  }
}

void DeviceBackend::flush_quietly() noexcept {
  try {
    flush();
  } catch (const BackendLost&) {
  }
}

template <class F>
void DeviceBackend::issue(const Result& result, F&& operation) {
  flush();
  if (host_fault_.kind != FaultKind::kNone) return;
  short_results_.wrote(result.data, static_cast<std::size_t>(result.length) * elem_size(result.type));
  executor_.set_sites({site_, site_});
  try {
    operation(Context{executor_, executor_.faults(site_)});
  } catch (const OutOfMemory& failure) {
    host_fault_ = {FaultKind::kOutOfMemory, site_, 0, static_cast<std::int64_t>(failure.bytes), 0};
  }
}

template <class F>
void DeviceBackend::issue(const std::optional<Step>& step, const Result& result, F&& operation) {
  if (!step) return issue(result, operation);
  if (batch_.is_full()) flush();
  if (host_fault_.kind != FaultKind::kNone) return;
  short_results_.wrote(result.data, static_cast<std::size_t>(result.length) * elem_size(result.type));
  batch_.add(*step, site_);
}

void DeviceBackend::deallocate(void* data, std::size_t bytes) noexcept {
  short_results_.forget(data);
  executor_.pool().deallocate(data, bytes);
}

void DeviceBackend::upload(void* device, const void* host, std::size_t bytes) {
  short_results_.forget(device);
  if (batch_.refers_to(device)) flush();
  executor_.upload(device, host, bytes);
}

void DeviceBackend::download(void* host, const void* device, std::size_t bytes) {
  if (bytes == 0) return;
  if (would_wait(device)) flush();
  if (!short_results_.read(executor_, host, device, bytes)) executor_.download(host, device, bytes);
}

std::string DeviceBackend::description() const {
  const std::string kernels =
      store_ == nullptr ? "kernels not compiled" : "kernels compiled by " + store_->compiler().name();
  return executor_.description() + ", " + kernels;
}

std::string DeviceBackend::traffic() const {
  const Traffic& t = executor_.traffic();
  return std::to_string(t.launches) + " launches, " + std::to_string(t.waits) + " waits, " +
         std::to_string(t.bytes_up) + " bytes to the device, " + std::to_string(t.bytes_down) + " bytes from it";
}

Fault DeviceBackend::take_fault() {
  flush();
  const FaultRecord record = executor_.take_fault();
  const Fault on_host = std::exchange(host_fault_, Fault{});
  // A fault of the device belongs to an operation before the one that the host could not issue, since none was issued
  // after that.
  if (record.kind == FaultKind::kNone) return on_host;
  const std::uint64_t step = record.position >> kPositionBits;
  return {record.kind, static_cast<std::uint32_t>(record.site + step),
          static_cast<std::int64_t>(record.position ^ step << kPositionBits), record.value, record.bound};
}

void DeviceBackend::elementwise(Op op, std::span<const Operand> operands, const Result& result) {
  issue(elementwise_step(op, operands, result), result,
        [&](const Context& context) { cuda::elementwise(context, op, operands, result); });
}
void DeviceBackend::random(const Operand& bounds, RandomKey key, const Result& result) {
  issue(result, [&](const Context& context) { cuda::random(context, bounds, key, result); });
}
void DeviceBackend::scan(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) {
  issue(scan_step(monoid, a, descriptor, result), result,
        [&](const Context& context) { cuda::scan(context, monoid, OnDevice(executor_, a), descriptor, result); });
}
void DeviceBackend::reduce(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) {
  issue(reduce_step(monoid, a, descriptor, result), result,
        [&](const Context& context) { cuda::reduce(context, monoid, OnDevice(executor_, a), descriptor, result); });
}
void DeviceBackend::arg_reduce(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor,
                               const Result& result) {
  issue(result,
        [&](const Context& context) { cuda::arg_reduce(context, monoid, OnDevice(executor_, a), descriptor, result); });
}
void DeviceBackend::scatter(const Scatter& scatter, const Result& result) {
  issue(scatter_step(scatter, result), result, [&](const Context& context) {
    const OnDevice source(executor_, scatter.source), indices(executor_, scatter.indices);
    const OnDevice flags(executor_, scatter.flags != nullptr ? *scatter.flags : Operand{});
    const OnDevice defaults(executor_, scatter.defaults != nullptr ? *scatter.defaults : Operand{});
    cuda::scatter(context,
                  {source, indices, scatter.flags != nullptr ? &flags : nullptr,
                   scatter.defaults != nullptr ? &defaults : nullptr, scatter.from, scatter.to},
                  result);
  });
}
void DeviceBackend::gather(const Gather& gather, const Result& result) {
  issue(gather_step(gather, result), result, [&](const Context& context) {
    const OnDevice source(executor_, gather.source), indices(executor_, gather.indices);
    const OnDevice flags(executor_, gather.flags != nullptr ? *gather.flags : Operand{});
    cuda::gather(context, {source, indices, gather.flags != nullptr ? &flags : nullptr, gather.from, gather.to},
                 result);
  });
}
void DeviceBackend::extract(const Operand& a, const Operand& i, const SegmentDescriptor& descriptor,
                            const Result& result) {
  issue(extract_step(a, i, descriptor, result), result,
        [&](const Context& context) { cuda::extract(context, OnDevice(executor_, a), i, descriptor, result); });
}
void DeviceBackend::replace(const Operand& a, const Operand& i, const Operand& v, const SegmentDescriptor& descriptor,
                            const Result& result) {
  issue(replace_step(a, i, v, descriptor, result), result,
        [&](const Context& context) { cuda::replace(context, OnDevice(executor_, a), i, v, descriptor, result); });
}
void DeviceBackend::dist(const Operand& v, const SegmentDescriptor& descriptor, const Result& result) {
  issue(dist_step(v, descriptor, result), result,
        [&](const Context& context) { cuda::dist(context, v, descriptor, result); });
}
void DeviceBackend::index(const Operand& start, const Operand& stride, const SegmentDescriptor& descriptor,
                          const Result& result) {
  issue(index_step(start, stride, descriptor, result), result,
        [&](const Context& context) { cuda::index(context, start, stride, descriptor, result); });
}
void DeviceBackend::slice(const Operand& a, const Operand& start, const SegmentDescriptor& descriptor,
                          const Result& result) {
  issue(slice_step(a, start, descriptor, result), result,
        [&](const Context& context) { cuda::slice(context, OnDevice(executor_, a), start, descriptor, result); });
}
void DeviceBackend::append(const Join& join, const Result& result) {
  issue(append_step(join, result), result, [&](const Context& context) {
    const OnDevice a(executor_, join.a), b(executor_, join.b);
    cuda::append(context, {a, b, join.of_a, join.of_b, join.to}, result);
  });
}
void DeviceBackend::merge(const Operand& flags, const Join& join, const Result& result) {
  issue(merge_step(flags, join, result), result, [&](const Context& context) {
    const OnDevice a(executor_, join.a), b(executor_, join.b);
    cuda::merge(context, OnDevice(executor_, flags), {a, b, join.of_a, join.of_b, join.to}, result);
  });
}
void DeviceBackend::rank(bool descending, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) {
  issue(rank_step(descending, a, descriptor, result), result,
        [&](const Context& context) { cuda::rank(context, descending, OnDevice(executor_, a), descriptor, result); });
}
void DeviceBackend::count(const Operand& a, const Operand& start, const SegmentDescriptor& from,
                          const SegmentDescriptor& to, const Result& result) {
  issue(result, [&](const Context& context) { cuda::count(context, OnDevice(executor_, a), start, from, to, result); });
}
std::unique_ptr<PackPlan> DeviceBackend::plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                                   const Result& lengths) {
  std::unique_ptr<PackPlan> plan;
  issue(lengths, [&](const Context& context) {
    plan = cuda::plan_pack(context, OnDevice(executor_, flags), descriptor, lengths);
  });
  return plan;
}
void DeviceBackend::pack(const PackPlan& plan, const Operand& a, const Operand& flags, const Result& result) {
  issue(result, [&](const Context& context) {
    cuda::pack(context, plan, OnDevice(executor_, a), OnDevice(executor_, flags), result);
  });
}
std::unique_ptr<KernelPlan> DeviceBackend::plan_kernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts,
                                                       vcode::Widths widths, std::string_view position) {
  return store_ == nullptr ? nullptr : std::make_unique<DeviceKernel>(kernel, facts, widths, position, *store_);
}
bool DeviceBackend::run_kernel(KernelPlan& plan, const KernelCall& call) {
  flush();
  if (host_fault_.kind != FaultKind::kNone) return false;
  auto& kernel = static_cast<DeviceKernel&>(plan);
  executor_.set_sites({site_, site_});
  try {
    if (!kernel.run(executor_, executor_.faults(site_), call)) return false;
  } catch (const OutOfMemory&) {
    return false;  // the steps of the kernel may need less memory
  }
  for (vcode::KernelVar v = 0; v < call.results.size(); ++v)
    if (const Result& result = call.results[v]; result.data != nullptr)
      short_results_.wrote(result.data, static_cast<std::size_t>(kernel.filled(v, call)) * elem_size(result.type));
  return true;
}
KernelCacheUse DeviceBackend::kernel_cache_use() const {
  return store_ == nullptr ? Backend::kernel_cache_use() : store_->cache().use();
}
void DeviceBackend::clear_kernel_cache() {
  if (store_ != nullptr) store_->cache().clear();
}
LengthsSummary DeviceBackend::summarize_lengths(const Operand& lengths) {
  LengthsSummary summary;
  issue({}, [&](const Context& context) { summary = cuda::summarize_lengths(context, OnDevice(executor_, lengths)); });
  return summary;
}
void DeviceBackend::make_offsets(const Operand& lengths, const Result& result) {
  issue(result, [&](const Context& context) { cuda::make_offsets(context, OnDevice(executor_, lengths), result); });
}
void DeviceBackend::make_segment_heads(const SegmentDescriptor& descriptor, const Result& heads,
                                       const Result& nonempty) {
  issue(heads_step(descriptor, heads, nonempty), heads,
        [&](const Context& context) { cuda::make_segment_heads(context, descriptor, heads, nonempty); });
}

}  // namespace cvl::cuda
