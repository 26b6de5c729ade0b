#include "staging/staged_backend.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "staging/can_fault.h"
#include "vcode/grouping.h"
#include "vcode/kernel.h"
#include "vcode/kernel_rules.h"
#include "vcode/op.h"

namespace cvl::mpi {

namespace {

struct StagedPackPlan final : PackPlan {
  std::unique_ptr<PackPlan> on_device;
};

/// Whether the host computes an operation.
template <class T>
bool is_of_host(const T& op) {
  if constexpr (std::is_same_v<T, Scan> || std::is_same_v<T, Reduce>)
    return vcode::rounds(op.monoid, op.a.type);
  else if constexpr (std::is_same_v<T, Accumulate>)
    return vcode::rounds(op.monoid, op.source.type);
  else
    return std::is_same_v<T, MakeOffsets>;
}

/// Whether some step of a kernel sums FLOATs, or multiplies them.
bool sums_floats(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths) {
  return std::ranges::any_of(kernel.steps, [&](const vcode::Kernel::Step& step) {
    if (step.is_constant()) return false;
    const vcode::Producer producer = facts.producers[step.results[0]];
    const bool combines = producer == vcode::Producer::kScan || producer == vcode::Producer::kReduce ||
                          producer == vcode::Producer::kScatter;
    return combines && vcode::rounds(vcode::info(step.op).monoid, widths.of(kernel.values[step.results[0]].kind));
  });
}

std::size_t bytes_of(const Operand& vector) { return static_cast<std::size_t>(vector.length) * elem_size(vector.type); }
std::size_t bytes_of(const Result& vector) { return static_cast<std::size_t>(vector.length) * elem_size(vector.type); }

}  // namespace

/// A kernel of the device or of the host.
struct StagedBackend::Plan final : KernelPlan {
  bool is_faster(std::int64_t elements, bool single) override { return plan->is_faster(elements, single); }
  std::string native_code() const override { return plan->native_code(); }
  std::optional<MachineCode> machine_code() override { return plan->machine_code(); }

  /// The elements of a PACK, and those of the first one with the same flags and segments.
  struct Packed {
    vcode::KernelVar value, first;
  };

  std::unique_ptr<KernelPlan> plan;
  bool is_of_host = false;
  bool can_fault = false;
  std::vector<bool> is_read;  ///< of each value: whether a step reads it
  std::vector<Packed> packed;
};

StagedBackend::StagedBackend(std::unique_ptr<Backend> device, std::unique_ptr<Backend> host)
    : device_(std::move(device)), host_(std::move(host)), copies_(*device_) {
  VC_CHECK(!device_->unified_memory() && host_->unified_memory());
}

StagedBackend::~StagedBackend() = default;

void StagedBackend::before_reading(const void* data, std::size_t bytes) {
  copies_.before_reading(data, bytes);
  if (!device_->has_fault()) return;
  note(device_->take_fault());
  // The bytes were not computed.
  if (fault_.kind == FaultKind::kOutOfMemory)
    throw BackendLost(fmt::format("out of memory: the device has no {} bytes for an operation", fault_.value));
}

std::string StagedBackend::description() const {
  return fmt::format("{}, with sums of floats by {}", device_->description(), host_->description());
}

void* StagedBackend::allocate(std::size_t bytes) noexcept {
  constexpr std::size_t kAlignment = 64, kMost = SIZE_MAX / 2;
  if (bytes > kMost) return nullptr;
  return std::aligned_alloc(kAlignment, std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment));
}

void StagedBackend::deallocate(void* data, std::size_t bytes) noexcept {
  forget(data, bytes);
  std::free(data);
}

void StagedBackend::upload(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  before_writing(to, bytes);
  std::memcpy(to, from, bytes);
}

void StagedBackend::download(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  copies_.before_reading(from, bytes);
  std::memcpy(to, from, bytes);
}

void StagedBackend::set_site(std::uint32_t site) {
  site_ = site;
  device_->set_site(site);
  host_->set_site(site);
}

bool StagedBackend::has_fault() const {
  return fault_.kind != FaultKind::kNone || device_->has_fault() || host_->has_fault();
}

Fault StagedBackend::take_fault() {
  if (std::exchange(can_fault_, false) || device_->has_fault()) note(device_->take_fault());
  note(host_->take_fault());
  return std::exchange(fault_, {});
}

void StagedBackend::note(const Fault& fault) {
  if (fault_.kind == FaultKind::kNone) fault_ = fault;
}

Operand StagedBackend::on_device(const Operand& operand) {
  if (operand.on_host) return operand;
  return {operand.type, operand.length, copies_.operand(operand.data, bytes_of(operand))};
}

Result StagedBackend::on_device(const Result& result) {
  return {result.type, result.length, copies_.result(result.data, bytes_of(result))};
}

bool StagedBackend::are_on_device() {
  const std::size_t failed = copies_.failed_bytes();
  if (failed > 0) note({FaultKind::kOutOfMemory, site_, 0, static_cast<std::int64_t>(failed), 0});
  return failed == 0;
}

void StagedBackend::read(const Operand& operand) {
  if (!operand.on_host && operand.data != nullptr) copies_.before_reading(operand.data, bytes_of(operand));
}

void StagedBackend::read(const SegmentDescriptor& descriptor) {
  if (!descriptor.is_regular() && descriptor.offsets != nullptr)
    read(Operand{ElemType::kI64, descriptor.segments + 1, descriptor.offsets});
}

void StagedBackend::write(const Result& result) {
  if (result.data != nullptr) copies_.before_writing(result.data, bytes_of(result));
}

void StagedBackend::run(VectorOp op) {
  op.visit([this]<class T>(const T& description) {
    if (is_of_host(description)) return run_on_host(description);
    can_fault_ = can_fault_ || can_fault(description);
    if constexpr (std::is_same_v<T, Pack>)
      run_on_device(Pack{*static_cast<const StagedPackPlan&>(description.plan).on_device, description.a,
                         description.flags, description.result});
    else
      run_on_device(description);
  });
}

void StagedBackend::run_on_device(VectorOp op) {
  with_translated(
      op, [this](const auto& vector) { return on_device(vector); },
      [this](VectorOp translated) {
        if (are_on_device()) device_->run(translated);
      });
  copies_.end_operation();
}

template <class T>
void StagedBackend::run_on_host(const T& op) {
  for_each_operand(op, [this](const Operand& operand) { read(operand); });
  for_each_descriptor(op, [this](const SegmentDescriptor& descriptor) { read(descriptor); });
  // Operands that the device has not computed must not be read.
  if (device_->has_fault()) return;
  for_each_result(op, [this](const Result& result) { write(result); });
  host_->run(op);
}

std::unique_ptr<PackPlan> StagedBackend::plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                                   const Result& lengths) {
  const Operand of_flags = on_device(flags);
  const SegmentDescriptor of_descriptor = on_device(descriptor);
  const Result of_lengths = on_device(lengths);
  auto plan = std::make_unique<StagedPackPlan>();
  if (are_on_device()) plan->on_device = device_->plan_pack(of_flags, of_descriptor, of_lengths);
  copies_.end_operation();
  if (plan->on_device == nullptr) return nullptr;
  plan->kept = plan->on_device->kept;
  return plan;
}

std::unique_ptr<KernelPlan> StagedBackend::plan_kernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts,
                                                       vcode::Widths widths, std::string_view location) {
  auto made = std::make_unique<Plan>();
  made->is_of_host = sums_floats(kernel, facts, widths);
  made->plan = (made->is_of_host ? host_ : device_)->plan_kernel(kernel, facts, widths, location);
  if (made->plan == nullptr) return nullptr;
  made->is_read.resize(kernel.values.size());
  for (std::uint32_t s = 0; s < kernel.steps.size(); ++s) {
    const vcode::Kernel::Step& step = kernel.steps[s];
    if (step.is_constant()) {
      made->is_read[step.results[0]] = true;
      continue;
    }
    for (const vcode::KernelVar v : step.operands) made->is_read[v] = true;
    const vcode::Producer producer = facts.producers[step.results[0]];
    made->can_fault = made->can_fault || vcode::info(step.op).can_fault(step.suffix) ||
                      producer == vcode::Producer::kGather || producer == vcode::Producer::kScatter;
    if (producer == vcode::Producer::kPack)
      made->packed.push_back({step.results[0], kernel.steps[vcode::first_pack_like(kernel, s)].results[0]});
  }
  return made;
}

bool StagedBackend::run_kernel(KernelPlan& plan, const KernelCall& call) {
  auto& own = static_cast<Plan&>(plan);
  if (!own.is_of_host) return run_kernel_on_device(own, call);
  for (std::size_t v = 0; v < call.operands.size(); ++v)
    if (own.is_read[v]) read(call.operands[v]);
  for (std::size_t v = 0; v < call.descriptors.size(); ++v)
    if (own.is_read[v]) read(call.descriptors[v]);
  if (device_->has_fault()) return false;
  for (const Result& result : call.results) write(result);
  return host_->run_kernel(*own.plan, call);
}

bool StagedBackend::run_kernel_on_device(Plan& plan, const KernelCall& call) {
  std::vector<Operand> operands(call.operands.begin(), call.operands.end());
  std::vector<SegmentDescriptor> descriptors(call.descriptors.begin(), call.descriptors.end());
  std::vector<Result> results(call.results.begin(), call.results.end());
  for (std::size_t v = 0; v < operands.size(); ++v)
    operands[v] = plan.is_read[v] ? on_device(operands[v]) : Operand{operands[v].type, operands[v].length};
  for (std::size_t v = 0; v < descriptors.size(); ++v)
    if (plan.is_read[v]) descriptors[v] = on_device(descriptors[v]);
  for (Result& result : results) result = on_device(result);
  bool ran = false;
  if (are_on_device()) {
    ran = device_->run_kernel(*plan.plan, {call.elements, operands, descriptors, results, call.kept, call.sums});
    can_fault_ = can_fault_ || plan.can_fault;
  }
  copies_.end_operation();
  if (ran)
    for (const auto& [value, first] : plan.packed)
      if (const Result& kept = call.results[value]; kept.data != nullptr)
        copies_.shorten(kept.data, static_cast<std::size_t>(call.kept[first]) * elem_size(kept.type));
  return ran;
}

void StagedBackend::clear_kernel_cache() {
  device_->clear_kernel_cache();
  host_->clear_kernel_cache();
}

void StagedBackend::leave_process() {
  device_->leave_process();
  host_->leave_process();
}

LengthsSummary StagedBackend::summarize_lengths(const MakeOffsets& op) {
  read(op.lengths);
  if (device_->has_fault()) return {};
  for (const Result& result : {op.result, op.nonempty}) write(result);
  return host_->summarize_lengths(op);
}

}  // namespace cvl::mpi
