// Messages of failed operations.

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "operation.h"

#include "base/check.h"

namespace runtime {

using vcode::OpInfo;
using vcode::Role;
using vcode::RoleType;
using vcode::Signature;
using vcode::Suffix;

namespace {

std::string describe(const Value& v) {
  if (v.tag() == Value::Tag::kNone) return "nothing";
  if (v.is_vector()) return fmt::format("{} of length {}", vcode::kind_name(v.kind()), v.length());
  if (v.is_segdes()) return fmt::format("Segdes of {} segments, {} elements", v.segments(), v.elements());
  return "Pair";
}

std::string_view operand_name(const Role& role) { return role.name.empty() ? "the operand" : role.name; }

// Number of the segment that has an element.
std::int64_t segment_of(const SegmentDescriptor& descriptor, std::int64_t element) {
  if (descriptor.is_regular()) return descriptor.regular_length == 0 ? 0 : element / descriptor.regular_length;
  return std::upper_bound(descriptor.offsets, descriptor.offsets + descriptor.segments + 1, element) -
         descriptor.offsets - 1;
}

}  // namespace

std::string instruction_name(Op op, Suffix suffix) {
  const OpInfo& row = vcode::info(op);
  return suffix == Suffix::kNone ? std::string(row.text) : fmt::format("{} {}", row.text, vcode::suffix_name(suffix));
}

std::string bytes_text(std::size_t bytes) {
  if (bytes < std::size_t{10} << 20) return fmt::format("{} bytes", bytes);
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

bool Operation::fill_result(std::string_view what, std::span<const std::int64_t> parts, std::int64_t result) {
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0}) == result ||
         fail(fmt::format("{}: {} {} do not make {}", instruction_name(row.op, suffix), fmt::join(parts, " and "), what,
                          result));
}

bool Operation::type_failure(int k) {
  const Role& role = row.signature.operands[k];
  return fail(fmt::format("{}: {} must be {} but is {}", instruction_name(row.op, suffix), operand_name(role),
                          role.type == RoleType::kVector ? "a vector" : vcode::kind_name(Signature::kind(role, suffix)),
                          base[k].tag() == Value::Tag::kNone ? "nothing" : vcode::kind_name(base[k].kind())));
}

bool Operation::length_failure(int k) {
  // Name the first earlier operand that bound one of this operand's lengths to another value.
  const Signature& sig = row.signature;
  for (int j = 0; j < k; ++j) {
    const Role &a = sig.operands[j], &b = sig.operands[k];
    const bool a_seg = a.type == RoleType::kSegdes, b_seg = b.type == RoleType::kSegdes;
    auto complain = [&](std::string_view a_what, std::int64_t a_n, std::string_view b_what, std::int64_t b_n) {
      return fail(fmt::format("{}: {} has {} {} but {} has {} {}", instruction_name(row.op, suffix), operand_name(b),
                              b_n, b_what, operand_name(a), a_n, a_what));
    };
    auto elements = [&](int i) {
      return sig.operands[i].type == RoleType::kSegdes ? base[i].elements() : base[i].length();
    };
    if (a.length == b.length && elements(j) != elements(k))
      return complain("elements", elements(j), "elements", elements(k));
    if (b_seg && a_seg && a.segments == b.segments && base[j].segments() != base[k].segments())
      return complain("segments", base[j].segments(), "segments", base[k].segments());
    if (b_seg && !a_seg && a.length == b.segments && base[j].length() != base[k].segments())
      return complain("elements", base[j].length(), "segments", base[k].segments());
  }
  return fail(fmt::format("{}: {} has the wrong length ({})", instruction_name(row.op, suffix),
                          operand_name(sig.operands[k]), describe(base[k])));
}

bool Operation::fail_fault() {
  Backend& device = heap().device();
  if (!device.has_fault()) {
    const Fault fault = host().take_fault();
    return fail(ev.fault_sentence(instruction_name(row.op, suffix), fault, location_of(fault)), fault);
  }
  (void)host().take_fault();  // a consequence of the device's fault
  Fault fault = device.take_fault();
  // An operation on the host is not issued to the device, so that a fault of the device belongs to an earlier
  // operation.
  if (placement.on_host || !ev.is_latest(fault)) return ev.fail_late(fault);
  fault.site = ev.site_;
  return fail(ev.fault_sentence(instruction_name(row.op, suffix), fault, location_of(fault)), fault);
}

std::string Operation::location_of(const Fault& fault) {
  if (fault.kind == FaultKind::kIndexRange || fault.kind == FaultKind::kDuplicateTarget)
    return index_location(fault.position);
  const bool scalar = std::all_of(lengths.begin(), lengths.end(), [](std::int64_t n) { return n <= 1; });
  return scalar ? "" : fmt::format(" (element {})", fault.position);
}

bool Evaluator::fail_late(Fault fault) {
  VC_CHECK(issued_ - fault.site < kRecent);
  const Issued& issued = recent_[fault.site % kRecent];
  fault.site = issued.site;
  fail(fault_sentence(instruction_name(issued.op, issued.suffix), fault, fmt::format(" (element {})", fault.position)),
       fault);
  failed_step_ = issued.step;
  late_site_ = issued.site;
  return false;
}

std::string Evaluator::fault_sentence(const std::string& name, const Fault& fault, const std::string& where) const {
  const int int_bits = static_cast<int>(elem_size(widths_.int_type)) * 8;
  switch (fault.kind) {
    case FaultKind::kDivideByZero:
      return fmt::format("{}: division by zero{}", name, where);
    case FaultKind::kDivideOverflow:
      return fmt::format("{}: the quotient of the most negative INT and -1 does not fit{}", name, where);
    case FaultKind::kShiftCount:
      return fmt::format("{}: shift count {} is not in 0..{}{}", name, fault.value, int_bits - 1, where);
    case FaultKind::kFloatToInt:
      return fmt::format("{}: the value is NaN or does not fit in an INT of {} bits{}", name, int_bits, where);
    case FaultKind::kRandomBound:
      return fmt::format("{}: the bound is 0{}", name, where);
    case FaultKind::kIndexRange:
      return fmt::format("{}: index {} is out of range for a segment of {} elements{}", name, fault.value, fault.bound,
                         where);
    case FaultKind::kFalse:
      return fmt::format("{}: it does not hold{}", name, where);
    case FaultKind::kUnmet:
      return fmt::format("{}: it does not hold for {} and {}{}", name, fault.bound, fault.value, where);
    case FaultKind::kOutside:
      return fmt::format("{}: index {} is out of range, the bound is {}{}", name, fault.value, fault.bound, where);
    case FaultKind::kDuplicateTarget:
      return fmt::format("{}: index {} occurs twice in its segment{}", name, fault.value, where);
    case FaultKind::kLengthMismatch:
      return fmt::format("{}: segment {} of the result has {} elements, but {} are to go there", name, fault.position,
                         fault.bound, fault.value);
    case FaultKind::kFlagCount:
      return fmt::format("{}: {} flags are true, but there are {} elements to be taken for them", name, fault.value,
                         fault.bound);
    case FaultKind::kNegativeLength:
      return fmt::format("{}: segment {} has the negative length {}", name, fault.position, fault.value);
    case FaultKind::kLengthOverflow:
      return fmt::format("{}: the lengths add up to more than 2^63 elements", name);
    case FaultKind::kOutOfMemory:
      if (fault.value == 0)
        return fmt::format("{}: out of memory: none is left on the device to load a kernel (see --memory)", name);
      return memory_failure(
          fmt::format("{} (working memory of {})", name, bytes_text(static_cast<std::size_t>(fault.value))));
    case FaultKind::kNone:
      break;
  }
  VC_CHECK(fault.kind != FaultKind::kNone);
  return fmt::format("{}: failed", name);
}

std::string Operation::index_location(std::int64_t position) {
  const Signature& sig = row.signature;
  // SLICE has no operand with indices; its positions are those of the result.
  const vcode::LengthVar targets = (row.op == Op::kSlice ? sig.results[0] : sig.operands[1]).length;
  for (int k = 0; k < sig.operand_count; ++k) {
    const Role& role = sig.operands[k];
    if (role.type != RoleType::kSegdes) continue;
    if (role.segments == targets)
      return base[k].segments() == 1 ? std::string() : fmt::format(" (segment {})", position);
    if (role.length != targets) continue;
    if (base[k].segments() == 1) return fmt::format(" (element {})", position);
    placement.on_host = true;
    const SegmentDescriptor segments = descriptor(k);
    const std::int64_t segment = segment_of(segments, position);
    return fmt::format(" (element {} of segment {})", position - segments.start(segment), segment);
  }
  return fmt::format(" (element {})", position);
}

}  // namespace runtime
