#include "device_vectors.h"

#include <fmt/format.h>

#include <algorithm>

#include "cvl/dispatch.h"

namespace device_check {

DeviceVectors::~DeviceVectors() {
  for (const auto& [data, bytes] : blocks_) backend_.deallocate(data, bytes);
}

Result DeviceVectors::make(ElemType type, std::int64_t n) {
  const std::size_t bytes = std::max<std::size_t>(1, static_cast<std::size_t>(n) * cvl::elem_size(type));
  void* data = backend_.allocate(bytes);
  if (data == nullptr) throw NoMemory();
  blocks_.emplace_back(data, bytes);
  return {type, n, data};
}

Operand DeviceVectors::ints(ElemType type, std::int64_t n, std::int64_t x) {
  return cvl::with_int(type, [&]<class I>() { return constant(n, static_cast<I>(x)); });
}

Operand DeviceVectors::sequence(ElemType type, std::int64_t n, std::int64_t start, std::int64_t stride) {
  const Result result = make(type, n);
  cvl::with_int(type, [&]<class I>() {
    const I first = static_cast<I>(start), step = static_cast<I>(stride);
    backend_.run(cvl::Index{scalar(first), scalar(step), SegmentDescriptor::single(n), result});
  });
  return operand(result);
}

Operand DeviceVectors::roots(ElemType type, std::int64_t n) {
  const Operand bounds = constant(n, std::int32_t{1} << 20);
  const Result drawn = make(ElemType::kI32, n);
  backend_.run(cvl::Random{bounds, {.seed = 1, .call = ++drawn_}, drawn});
  return elementwise(Op::kSqrt, type, {elementwise(Op::kIntToFloat, type, {operand(drawn)})});
}

Operand DeviceVectors::elementwise(Op op, ElemType type, std::initializer_list<Operand> operands) {
  const Result result = make(type, operands.begin()->length);
  backend_.run(cvl::Elementwise{op, {operands.begin(), operands.size()}, result});
  return operand(result);
}

Operand DeviceVectors::scan(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor) {
  const Result result = make(a.type, a.length);
  backend_.run(cvl::Scan{monoid, a, descriptor, result});
  return operand(result);
}

Operand DeviceVectors::reduce(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor) {
  const Result result = make(a.type, descriptor.segments);
  backend_.run(cvl::Reduce{monoid, a, descriptor, result});
  return operand(result);
}

Operand DeviceVectors::permute(const Operand& source, const Operand& indices) {
  const Result result = make(source.type, source.length);
  const SegmentDescriptor descriptor = SegmentDescriptor::single(source.length);
  backend_.run(cvl::Scatter{source, indices, {}, {}, descriptor, descriptor, result});
  return operand(result);
}

Operand DeviceVectors::gather(const Operand& source, const Operand& indices) {
  const Result result = make(source.type, indices.length);
  backend_.run(cvl::Gather{source,
                           indices,
                           {},
                           SegmentDescriptor::single(source.length),
                           SegmentDescriptor::single(indices.length),
                           result});
  return operand(result);
}

Operand DeviceVectors::rank(bool descending, const Operand& a, ElemType type) {
  const Result result = make(type, a.length);
  backend_.run(cvl::Rank{descending, a, SegmentDescriptor::single(a.length), result});
  return operand(result);
}

Operand DeviceVectors::pack(const Operand& a, const Operand& flags, ElemType int_type) {
  const Result length = make(int_type, 1);
  const auto plan = backend_.plan_pack(flags, SegmentDescriptor::single(a.length), length);
  check_faults();
  const Result result = make(a.type, plan->kept);
  backend_.run(cvl::Pack{*plan, a, flags, result});
  return operand(result);
}

SegmentDescriptor DeviceVectors::segments(const Operand& lengths) {
  const bool has_heads = backend_.wants_segment_heads();
  const Result offsets = make(ElemType::kI64, lengths.length + 1);
  const Result nonempty = has_heads ? make(ElemType::kI32, lengths.length + 1) : Result{};
  SegmentDescriptor descriptor{lengths.length, backend_.summarize_lengths({lengths, offsets, nonempty}).total};
  check_faults();
  descriptor.offsets = static_cast<const std::int64_t*>(offsets.data);
  if (!has_heads) return descriptor;
  descriptor.nonempty = static_cast<const std::int32_t*>(nonempty.data);
  const Result heads = make(ElemType::kI64, cvl::head_words(descriptor.elements));
  backend_.run(cvl::MakeSegmentHeads{descriptor, heads});
  check_faults();
  descriptor.heads = static_cast<const cvl::SegmentHeads*>(heads.data);
  return descriptor;
}

bool DeviceVectors::same(const Operand& a, const Operand& b) {
  if (a.length != b.length) return false;
  const Operand equal = elementwise(Op::kEqual, ElemType::kB8, {a, b});
  return first<bool>(reduce(Monoid::kAll, equal, SegmentDescriptor::single(a.length)));
}

void DeviceVectors::check_faults() {
  const cvl::Fault fault = backend_.take_fault();
  if (fault.kind == cvl::FaultKind::kOutOfMemory) throw NoMemory();
  if (fault.kind != cvl::FaultKind::kNone)
    throw std::runtime_error(fmt::format("an operation reports a fault of kind {} at element {}, value {}",
                                         static_cast<int>(fault.kind), fault.position, fault.value));
}

}  // namespace device_check
