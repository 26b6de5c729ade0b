#include "device_backend.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cvl/compose.h"
#include "cvl/dispatch.h"
#include "executor/blocks.h"
#include "executor/foreign_work.h"
#include "operations/bit_plan.h"
#include "operations/lengths_summary.h"
#include "vcode/kernel_rules.h"

namespace cvl::cuda {

/// Counts the waits of its lifetime by their cause, unless another counter does so already.
class DeviceBackend::WaitCounter {
 public:
  WaitCounter(DeviceBackend& backend, WaitFor cause)
      : backend_(backend), cause_(cause), counts_(!std::exchange(backend.counts_waits_, true)), before_(waits()) {}
  ~WaitCounter() {
    if (!counts_) return;
    backend_.waits_[static_cast<std::size_t>(cause_)] += waits() - before_;
    backend_.counts_waits_ = false;
  }
  WaitCounter(const WaitCounter&) = delete;
  WaitCounter& operator=(const WaitCounter&) = delete;

 private:
  std::uint64_t waits() const { return backend_.counters().waits; }

  DeviceBackend& backend_;
  const WaitFor cause_;
  const bool counts_;
  const std::uint64_t before_;
};

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

 private:
  Operand operand_;
  std::optional<Scratch<std::byte>> copy_;
};

/// An operation whose operands are on the device, except those that it takes from the host. The copies live as long as
/// this object.
template <class T>
class DeviceBackend::OpOnDevice {
 public:
  OpOnDevice(Executor& executor, const T& op) : op_(op) {
    for_each_operand(op_, [&]<class O>(O& operand) {
      // An elementwise operation with an operand on the host, which is one element, is always the step of a batch.
      if constexpr (!std::is_const_v<O>)
        if (operand.on_host && !takes_from_host(op_, operand)) operand = copies_[count_++].emplace(executor, operand);
    });
  }
  const T& operator*() const { return op_; }

 private:
  T op_;
  std::optional<OnDevice> copies_[4];
  std::size_t count_ = 0;
};

void DeviceBackend::issue(const MakeOffsets& offsets) {
  // The batch may compute the lengths.
  if (!batch_.is_empty()) flush();
  const auto needs_another_launch = [&](const MakeOffsets& before) {
    return before.lengths.type != offsets.lengths.type || before.result.data == offsets.lengths.data ||
           before.nonempty.data == offsets.lengths.data || before.lengths.data == offsets.result.data ||
           before.lengths.data == offsets.nonempty.data;
  };
  const auto begin = offsets_.ops.begin();
  if (offsets_.count == offsets_.ops.size() || std::any_of(begin, begin + offsets_.count, needs_another_launch))
    launch_offsets();
  if (host_fault_.kind != FaultKind::kNone) return;
  short_results_.wrote(offsets.result.data,
                       static_cast<std::size_t>(offsets.result.length) * elem_size(offsets.result.type));
  if (offsets_.count == 0) offsets_.sites.first = site_;
  offsets_.sites.last = site_;
  offsets_.ops[offsets_.count++] = offsets;
}

void DeviceBackend::issue(const Merge& merge) {
  std::optional<BitPlan> plan;
  const std::int64_t flags = merge.flags.length;
  try {
    if (0 < flags && flags <= kShort) plan.emplace(executor_.pool(), flags);
  } catch (const OutOfMemory& failure) {
    host_fault_ = {FaultKind::kOutOfMemory, site_, 0, static_cast<std::int64_t>(failure.bytes), 0};
    return;
  }
  const std::optional<Step> step = plan ? step_of_chosen(merge.flags, *plan) : std::nullopt;
  if (step) {
    if (batch_.is_full()) flush();
    if (host_fault_.kind == FaultKind::kNone) batch_.add(*step, site_);
  }
  issue(merge.result, [&](const Context& context) {
    const OpOnDevice<Merge> op(executor_, merge);
    step ? merge_by(context, *op, plan->positions()) : cuda::run(context, *op);
  });
}

void DeviceBackend::issue(const Rank& rank) {
  const WaitCounter counter(*this, WaitFor::kLengths);
  issue(step_of(rank), rank.result,
        [&](const Context& context) { cuda::run(context, *OpOnDevice<Rank>(executor_, rank)); });
}

void DeviceBackend::launch_offsets() {
  const std::size_t count = std::exchange(offsets_.count, 0);
  if (count == 0) return;
  executor_.set_sites(offsets_.sites);
  try {
    make_offsets_of({executor_, executor_.faults(offsets_.sites.first)}, std::span(offsets_.ops).first(count));
  } catch (const OutOfMemory& failure) {
    host_fault_ = {FaultKind::kOutOfMemory, offsets_.sites.first, 0, static_cast<std::int64_t>(failure.bytes), 0};
  }
}

bool DeviceBackend::flush(const Letters& letters) {
  launch_offsets();
  if (batch_.is_empty()) return false;
  const UsingDevice device(device_);
  const Sites sites = batch_.sites(site_);
  executor_.set_sites(sites);
  bool replies = false;
  try {
    replies = batch_.launch(executor_, letters);
  } catch (const OutOfMemory& failure) {
    host_fault_ = {FaultKind::kOutOfMemory, sites.first, 0, static_cast<std::int64_t>(failure.bytes), 0};
  }
  executor_.pool().end_waiting();
  return replies;
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
  const UsingDevice device(device_);
  short_results_.forget(data, bytes);
  // An upload to memory that the batch refers to would launch it, so short vectors are not allocated there.
  constexpr std::size_t kShortBytes = kShort * sizeof(std::int64_t);
  executor_.pool().deallocate(data, bytes, bytes <= kShortBytes && batch_.refers_to(data, bytes));
}

void DeviceBackend::upload(void* device, const void* host, std::size_t bytes) {
  if (bytes == 0) return;
  const UsingDevice use(device_);
  short_results_.forget(device, bytes);
  const bool is_delivered = Deliveries::suit(device, bytes);
  if (batch_.refers_to(device, bytes) || (is_delivered && !batch_.has_room_for_upload(bytes))) flush();
  if (is_delivered) return batch_.upload(device, host, bytes);
  launch_offsets();  // they may read what was in that memory before
  executor_.upload(device, host, bytes);
}

void DeviceBackend::download(void* host, const void* device, std::size_t bytes) {
  if (bytes == 0) return;
  if (short_results_.read(host, device, bytes)) return;
  const UsingDevice use(device_);
  const WaitCounter counter(*this, WaitFor::kValues);
  if (!short_results_.has(device, bytes)) {
    flush();
    return executor_.download(host, device, bytes);
  }
  // The kernel of the batch copies the results to the host itself.
  const ShortResults::Transfers transfers = short_results_.unknown();
  if (!batch_.is_empty() && flush({transfers.pieces.data(), transfers.count, executor_.next_reply()}))
    executor_.await_reply(transfers.pieces.data(), transfers.count);
  else
    executor_.download(transfers.pieces.data(), transfers.count);
  short_results_.fetched();
  [[maybe_unused]] const bool is_known = short_results_.read(host, device, bytes);
  VC_CHECK(is_known);
}

std::string DeviceBackend::description() const {
  const UsingDevice device(device_);
  const std::string kernels =
      store_ == nullptr ? "kernels not compiled" : "kernels compiled by " + store_->compiler().name();
  return executor_.description() + ", " + kernels;
}

std::string DeviceBackend::traffic() const {
  const Traffic& t = executor_.traffic();
  std::string text = std::to_string(t.launches) + " launches, " + std::to_string(t.waits) + " waits, " +
                     std::to_string(t.uploads) + " uploads, " + std::to_string(t.bytes_up) + " bytes to the device, " +
                     std::to_string(t.bytes_down) + " bytes from it";
  constexpr std::array kCauses = {"for what PACKs keep", "for lengths", "for values", "for all operations"};
  const char* separator = "; waits: ";
  for (std::size_t c = 0; c < waits_.size(); ++c) {
    if (waits_[c] == 0) continue;
    text += separator + std::to_string(waits_[c]) + " " + kCauses[c];
    separator = ", ";
  }
  return text;
}

Fault DeviceBackend::take_fault() {
  const UsingDevice device(device_);
  const WaitCounter counter(*this, WaitFor::kAll);
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

void DeviceBackend::run(VectorOp op) {
  const UsingDevice device(device_);
  op.visit([this]<class T>(const T& description) {
    if constexpr (std::is_same_v<T, MakeOffsets> || std::is_same_v<T, Merge>)
      if (!step_of(description)) return issue(description);
    if constexpr (std::is_same_v<T, Rank>) return issue(description);
    if constexpr (requires(const Context& context) { cuda::run(context, description); })
      issue(step_of(description), result_of(description),
            [&](const Context& context) { cuda::run(context, *OpOnDevice<T>(executor_, description)); });
    else
      compose(*this, description);
  });
}
std::unique_ptr<PackPlan> DeviceBackend::plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                                   const Result& lengths) {
  const UsingDevice device(device_);
  const WaitCounter counter(*this, WaitFor::kKept);
  std::unique_ptr<PackPlan> plan;
  const bool by_lengths = is_read_by_lengths(flags.length, lengths);
  issue(lengths, [&](const Context& context) {
    plan = cuda::plan_pack(context, OnDevice(executor_, flags), descriptor, lengths, !by_lengths);
  });
  if (plan != nullptr && by_lengths) plan->kept = read_sum(lengths);
  return plan;
}
bool DeviceBackend::is_read_by_lengths(std::int64_t elements, const Result& lengths) {
  constexpr std::int64_t kFew = 64;  // the host computes with so many lengths
  static_assert(kFew * sizeof(std::int64_t) <= kMostTransferBytes);
  return elements > 0 && elements <= std::numeric_limits<std::int32_t>::max() && 1 < lengths.length &&
         lengths.length <= kFew;
}
std::int64_t DeviceBackend::read_sum(const Result& lengths) {
  return with_int(lengths.type, [&]<class I>() {
    std::array<I, kMostTransferBytes / sizeof(I)> read;
    const auto end = read.begin() + lengths.length;
    download(read.data(), lengths.data, static_cast<std::size_t>(lengths.length) * sizeof(I));
    return std::accumulate(read.begin(), end, std::int64_t{0});
  });
}
std::unique_ptr<KernelPlan> DeviceBackend::plan_kernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts,
                                                       vcode::Widths widths, std::string_view position) {
  return store_ == nullptr ? nullptr : std::make_unique<DeviceKernel>(kernel, facts, widths, position, *store_);
}
bool DeviceBackend::run_kernel(KernelPlan& plan, const KernelCall& call) {
  const UsingDevice device(device_);
  const WaitCounter counter(*this, WaitFor::kKept);
  flush();
  if (host_fault_.kind != FaultKind::kNone) return false;
  auto& kernel = static_cast<DeviceKernel&>(plan);
  executor_.set_sites({site_, site_});
  std::vector<DeviceKernel::Counts> unknown;
  for (const DeviceKernel::Counts& c : kernel.counts())
    if ((call.kept[c.elements] = call.sum(c.flags)) < 0) unknown.push_back(c);
  const bool by_lengths = !unknown.empty() && std::ranges::all_of(unknown, [&](const DeviceKernel::Counts& c) {
    return is_read_by_lengths(call.elements, call.results[c.lengths]);
  });
  try {
    const bool awaits_kept = !unknown.empty() && !by_lengths;
    if (!kernel.run(executor_, executor_.faults(site_), call, awaits_kept, !by_lengths)) return false;
  } catch (const OutOfMemory& failure) {
    // The steps of the kernel may need less memory. But they associate sums of floats in another way, and results must
    // not depend on the memory that is free.
    if (kernel.rounds()) host_fault_ = {FaultKind::kOutOfMemory, site_, 0, static_cast<std::int64_t>(failure.bytes), 0};
    return false;
  }
  const auto note_results = [&](bool packed) {
    for (vcode::KernelVar v = 0; v < call.results.size(); ++v)
      if (const Result& result = call.results[v]; result.data != nullptr && kernel.is_packed(v) == packed)
        short_results_.wrote(result.data, static_cast<std::size_t>(kernel.filled(v, call)) * elem_size(result.type));
  };
  note_results(false);
  if (by_lengths)
    for (const DeviceKernel::Counts& c : unknown) call.kept[c.elements] = read_sum(call.results[c.lengths]);
  note_results(true);
  return true;
}
KernelCacheUse DeviceBackend::kernel_cache_use() const {
  return store_ == nullptr ? Backend::kernel_cache_use() : store_->cache().use();
}
void DeviceBackend::clear_kernel_cache() {
  if (store_ != nullptr) store_->cache().clear();
}
LengthsSummary DeviceBackend::summarize_lengths(const MakeOffsets& op) {
  const UsingDevice device(device_);
  const WaitCounter counter(*this, WaitFor::kLengths);
  LengthsSummary summary;
  std::optional<Step> step = step_of(op);
  if (!step) {
    issue(op.result, [&](const Context& context) {
      summary = cuda::summarize_lengths(context, *OpOnDevice<MakeOffsets>(executor_, op));
    });
    return summary;
  }
  // The batch replies with the summary, and with other results that it computes.
  Summary all{0, 0};
  const Result room{ElemType::kI64, sizeof all / sizeof(std::int64_t), allocate(sizeof all)};
  if (room.data == nullptr) {
    host_fault_ = {FaultKind::kOutOfMemory, site_, 0, sizeof all, 0};
    return summary;
  }
  add_summary(*step, room.data);
  issue(step, room, [](const Context&) {});
  if (host_fault_.kind == FaultKind::kNone) download(&all, room.data, sizeof all);
  deallocate(room.data, sizeof all);
  if (has_fault()) return summary;
  executor_.set_sites({site_, site_});
  return read_summary(Context{executor_, executor_.faults(site_)}, op.lengths, all);
}

DeviceId DeviceBackend::device() const { return {DeviceId::kCuda, device_}; }
bool DeviceBackend::can_read(const void* address) const {
  const UsingDevice device(device_);
  return is_on_device(address);
}
void DeviceBackend::await_stream(std::uintptr_t stream) {
  const UsingDevice device(device_);
  await_foreign_stream(stream);
}
void DeviceBackend::await_event(std::uintptr_t event) {
  const UsingDevice device(device_);
  await_foreign_event(event);
}
void DeviceBackend::await_all() {
  const UsingDevice device(device_);
  flush();
  await_device();
}
void DeviceBackend::copy(void* to, const void* from, std::size_t bytes) {
  const UsingDevice device(device_);
  flush();
  short_results_.forget(to, bytes);
  executor_.copy(to, from, bytes);
  executor_.wait();
}

}  // namespace cvl::cuda
