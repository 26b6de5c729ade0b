#include "runtime/cut_call.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "placement.h"

namespace runtime {

using vcode::Cut;

namespace {

/// Bytes counted for one segment of a descriptor: length and start.
constexpr std::int64_t kSegmentBytes = 16;

/// Bytes of one element of a vector, or of one segment of a descriptor.
std::int64_t bytes_of_entry(const Value& value) {
  return value.is_vector() ? static_cast<std::int64_t>(elem_size(value.type())) : kSegmentBytes;
}

const char* data_of(const Value& vector, Evaluator& evaluator) {
  return static_cast<const char*>(evaluator.heap().host_data(vector));
}

}  // namespace

std::int64_t CutCall::bytes(const Value& value) {
  if (value.is_pair()) return 0;
  return (value.is_vector() ? value.length() : value.segments()) * bytes_of_entry(value);
}

CutCall::Size CutCall::size(const vcode::Cuts& cuts, const Value* operands) {
  Size size;
  for (const Cut& cut : cuts) {
    const Value& value = *operands++;
    if (cut.how != Cut::How::kEach || value.is_pair()) continue;
    if (cut.of == vcode::kIndexSpace) size.elements = value.is_vector() ? value.length() : value.segments();
    size.bytes += bytes(value);
  }
  return size;
}

CutCall::CutCall(Evaluator& evaluator, const vcode::Cuts& cuts, const Value* operands) : evaluator_(evaluator) {
  parts_.reserve(cuts.size());
  for (const Cut& cut : cuts) {
    parts_.push_back({operands++, cut});
    if (cut.how == Cut::How::kWhole) instances_ = cut.of;
    if (!look_at(parts_.back())) {
      fits_ = false;
      return;
    }
  }
  fits_ = elements_ >= 0;
}

bool CutCall::look_at(Part& part) {
  const Value& value = *part.value;
  const auto agree = [&](std::int64_t n) {
    if (part.cut.of == vcode::kIndexSpace && elements_ < 0) elements_ = n;
    return count(part.cut.of) == n;
  };
  switch (part.cut.how) {
    case Cut::How::kShared:
      return value.is_vector() || value.is_segdes();
    case Cut::How::kWhole:
      return value.is_segdes() && value.segments() == 1 && agree(value.elements());
    case Cut::How::kEach:
      break;
  }
  if (value.is_pair()) return false;
  part.bytes = bytes_of_entry(value);
  return value.is_vector() ? agree(value.length()) : agree(value.segments()) && look_at_descriptor(part);
}

bool CutCall::look_at_descriptor(Part& part) {
  Value descriptor = *part.value;
  Placement place{evaluator_.at_};
  const SegmentMap map = place.map(descriptor);
  if (!place.succeeded()) return false;
  part.starts = map.offsets;
  part.regular_length = map.regular_length;
  return true;
}

std::int64_t CutCall::count(std::uint32_t of) const {
  if (of == vcode::kIndexSpace) return elements_;
  const Value& descriptor = *parts_[of].value;
  return descriptor.is_segdes() ? descriptor.elements() : -1;
}

std::int64_t CutCall::before(std::uint32_t of, std::int64_t element) const {
  if (of == vcode::kIndexSpace) return element;
  const Part& part = parts_[of];
  const std::int64_t segment = before(part.cut.of, element);
  return part.starts != nullptr ? part.starts[segment] : segment * part.regular_length;
}

std::vector<std::uint32_t> CutCall::spaces() const {
  std::vector<std::uint32_t> spaces{vcode::kIndexSpace};
  for (std::size_t k = 0; k < parts_.size(); ++k)
    if (parts_[k].cut.how == Cut::How::kEach && parts_[k].value->is_segdes())
      spaces.push_back(static_cast<std::uint32_t>(k));
  return spaces;
}

std::int64_t CutCall::instances_before(std::int64_t element) const { return before(instances_, element); }

std::int64_t CutCall::bytes_before(std::int64_t element) const {
  std::int64_t bytes = 0;
  for (const Part& part : parts_)
    if (part.cut.how == Cut::How::kEach) bytes += part.bytes * before(part.cut.of, element);
  return bytes;
}

std::int64_t CutCall::end_of_piece(std::int64_t begin, std::int64_t bytes) const {
  const std::int64_t most = bytes_before(begin) + bytes;
  std::int64_t low = begin + 1, high = elements_;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (bytes_before(middle) <= most)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

std::vector<Value> CutCall::piece(std::int64_t begin, std::int64_t end, Evaluator& lane) const {
  std::vector<Value> operands;
  operands.reserve(parts_.size());
  for (const Part& part : parts_) {
    const std::int64_t first = before(part.cut.of, begin), last = before(part.cut.of, end);
    switch (part.cut.how) {
      case Cut::How::kShared:
        operands.push_back(share(*part.value, lane));
        break;
      case Cut::How::kEach:
        operands.push_back(take(part, first, last, lane));
        break;
      case Cut::How::kWhole:
        operands.push_back(Value::single_segment(last - first));
        break;
    }
    if (operands.back().tag() == Value::Tag::kNone) return {};
  }
  return operands;
}

/// The entries [begin, end) of an operand: elements of a vector, segments of a descriptor.
Value CutCall::take(const Part& part, std::int64_t begin, std::int64_t end, Evaluator& lane) const {
  const Value& value = *part.value;
  if (value.is_vector()) return elements_of(value, begin, end, lane);
  const auto start = [&](std::int64_t segment) {
    return part.starts != nullptr ? part.starts[segment] : segment * part.regular_length;
  };
  const std::int64_t elements = start(end) - start(begin);
  if (end - begin == 1) return Value::single_segment(elements);
  if (part.starts == nullptr) {
    SegdesObject* const object = lane.heap().make_segdes();
    if (object == nullptr) return Value();
    object->segments = end - begin;
    object->elements = elements;
    object->regular_length = part.regular_length;
    return Value::adopt(object);
  }
  const Value& lengths = value.segdes()->lengths;
  VC_CHECK(lengths.tag() != Value::Tag::kNone);
  Value some = elements_of(lengths, begin, end, lane);
  return some.tag() == Value::Tag::kNone ? Value() : lane.heap().make_segdes(std::move(some), elements);
}

/// The elements [begin, end) of a vector.
Value CutCall::elements_of(const Value& vector, std::int64_t begin, std::int64_t end, Evaluator& lane) const {
  if (evaluator_.at_.unified) {
    const auto size = static_cast<std::int64_t>(elem_size(vector.type()));
    return lane.heap().view(vector.type(), data_of(vector, evaluator_) + begin * size, end - begin);
  }
  // Backends with separate memory have no workers, so `lane` is evaluator_; the backend copies the elements.
  if (begin == 0 && end == vector.length()) return vector;
  Value start;
  with_type(evaluator_.widths().int_type, [&]<class T>() {
    start.set_scalar(static_cast<T>(begin));
    VC_CHECK(static_cast<std::int64_t>(start.get<T>()) == begin);
  });
  std::array<Value, 3> base{vector, std::move(start), Value::single_segment(end - begin)};
  const bool succeeded = evaluator_.apply(Op::kSlice, suffix_of(vector.kind()), base.data());
  return succeeded ? std::move(base[0]) : Value();
}

Value CutCall::share(const Value& value, Evaluator& lane) const {
  // Reference counts are not atomic, so another worker gets a view and not a reference.
  if (&lane == &evaluator_ || value.is_scalar() || value.tag() == Value::Tag::kSingle) return value;
  if (value.is_vector()) return lane.heap().view(value.type(), data_of(value, evaluator_), value.length());
  SegdesObject* const object = lane.heap().make_segdes();
  if (object == nullptr) return Value();
  Value copy = Value::adopt(object);
  const SegdesObject& original = *value.segdes();
  object->segments = original.segments;
  object->elements = original.elements;
  object->regular_length = original.regular_length;
  object->has_empty = original.has_empty;
  for (const auto part : {&SegdesObject::lengths, &SegdesObject::offsets, &SegdesObject::starts}) {
    if ((original.*part).tag() == Value::Tag::kNone) continue;
    object->*part = share(original.*part, lane);
    if ((object->*part).tag() == Value::Tag::kNone) return Value();
  }
  return copy;
}

}  // namespace runtime
