#include "runtime/divided_call.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "placement.h"

namespace runtime {

using vcode::PieceOperand;

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

std::int64_t DividedCall::bytes(const Value& value) {
  if (value.is_pair()) return 0;
  return (value.is_vector() ? value.length() : value.segments()) * bytes_of_entry(value);
}

DividedCall::Size DividedCall::size(const vcode::PieceOperands& piece_operands, const Value* operands) {
  Size size;
  for (const PieceOperand& cut : piece_operands) {
    const Value& value = *operands++;
    if (cut.how != PieceOperand::How::kEach || value.is_pair()) continue;
    if (cut.of == vcode::kIndexSpace) size.elements = value.is_vector() ? value.length() : value.segments();
    size.bytes += bytes(value);
  }
  return size;
}

DividedCall::DividedCall(Evaluator& evaluator, const vcode::PieceOperands& piece_operands, const Value* operands)
    : evaluator_(evaluator) {
  parts_.reserve(piece_operands.size());
  for (const PieceOperand& cut : piece_operands) {
    parts_.push_back({operands++, cut});
    if (cut.how == PieceOperand::How::kWhole) instances_ = cut.of;
    if (!look_at(parts_.back())) {
      fits_ = false;
      return;
    }
  }
  fits_ = elements_ >= 0;
}

bool DividedCall::look_at(Part& part) {
  const Value& value = *part.value;
  const auto agree = [&](std::int64_t n) {
    if (part.cut.of == vcode::kIndexSpace && elements_ < 0) elements_ = n;
    return count(part.cut.of) == n;
  };
  switch (part.cut.how) {
    case PieceOperand::How::kShared:
      return value.is_vector() || value.is_segdes();
    case PieceOperand::How::kWhole:
      return value.is_segdes() && value.segments() == 1 && agree(value.elements());
    case PieceOperand::How::kEach:
      break;
  }
  if (value.is_pair()) return false;
  part.bytes = bytes_of_entry(value);
  return value.is_vector() ? agree(value.length()) : agree(value.segments()) && look_at_descriptor(part);
}

bool DividedCall::look_at_descriptor(Part& part) {
  const Value value = *part.value;
  Placement placement{evaluator_.at_};
  const SegmentDescriptor descriptor = placement.descriptor(value);
  if (!placement.succeeded()) return false;
  part.starts = descriptor.offsets;
  part.regular_length = descriptor.regular_length;
  return true;
}

std::int64_t DividedCall::count(std::uint32_t of) const {
  if (of == vcode::kIndexSpace) return elements_;
  const Value& descriptor = *parts_[of].value;
  return descriptor.is_segdes() ? descriptor.elements() : -1;
}

std::int64_t DividedCall::before(std::uint32_t of, std::int64_t element) const {
  if (of == vcode::kIndexSpace) return element;
  const Part& part = parts_[of];
  const std::int64_t segment = before(part.cut.of, element);
  return part.starts != nullptr ? part.starts[segment] : segment * part.regular_length;
}

std::vector<std::uint32_t> DividedCall::spaces() const {
  std::vector<std::uint32_t> spaces{vcode::kIndexSpace};
  for (std::size_t k = 0; k < parts_.size(); ++k)
    if (parts_[k].cut.how == PieceOperand::How::kEach && parts_[k].value->is_segdes())
      spaces.push_back(static_cast<std::uint32_t>(k));
  return spaces;
}

std::int64_t DividedCall::instances_before(std::int64_t element) const { return before(instances_, element); }

std::int64_t DividedCall::bytes_before(std::int64_t element) const {
  std::int64_t bytes = 0;
  for (const Part& part : parts_)
    if (part.cut.how == PieceOperand::How::kEach) bytes += part.bytes * before(part.cut.of, element);
  return bytes;
}

std::int64_t DividedCall::end_of_piece(std::int64_t begin, std::int64_t bytes) const {
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

bool DividedCall::copy_to_host() const {
  return std::ranges::all_of(parts_, [this](const Part& part) {
    const Value& value = *part.value;
    const Value* const vector = value.is_vector()                    ? &value
                                : value.tag() == Value::Tag::kSegdes ? &value.segdes()->lengths
                                                                     : nullptr;
    return vector == nullptr || vector->tag() == Value::Tag::kNone || data_of(*vector, evaluator_) != nullptr ||
           vector->length() == 0;
  });
}

std::vector<Value> DividedCall::piece(std::int64_t begin, std::int64_t end, Evaluator& worker) const {
  std::vector<Value> operands;
  operands.reserve(parts_.size());
  for (const Part& part : parts_) {
    const std::int64_t first = before(part.cut.of, begin), last = before(part.cut.of, end);
    switch (part.cut.how) {
      case PieceOperand::How::kShared:
        operands.push_back(share(*part.value, worker));
        break;
      case PieceOperand::How::kEach:
        operands.push_back(take(part, first, last, worker));
        break;
      case PieceOperand::How::kWhole:
        operands.push_back(Value::single_segment(last - first));
        break;
    }
    if (operands.back().tag() == Value::Tag::kNone) return {};
  }
  return operands;
}

/// The entries [begin, end) of an operand: elements of a vector, segments of a descriptor.
Value DividedCall::take(const Part& part, std::int64_t begin, std::int64_t end, Evaluator& worker) const {
  const Value& value = *part.value;
  if (value.is_vector()) return elements_of(value, begin, end, worker);
  const auto start = [&](std::int64_t segment) {
    return part.starts != nullptr ? part.starts[segment] : segment * part.regular_length;
  };
  const std::int64_t elements = start(end) - start(begin);
  if (end - begin == 1) return Value::single_segment(elements);
  if (part.starts == nullptr) {
    SegdesObject* const object = worker.heap().make_segdes();
    if (object == nullptr) return Value();
    object->segments = end - begin;
    object->elements = elements;
    object->regular_length = part.regular_length;
    return Value::adopt(object);
  }
  const Value& lengths = value.segdes()->lengths;
  VC_CHECK(lengths.tag() != Value::Tag::kNone);
  Value some = elements_of(lengths, begin, end, worker);
  return some.tag() == Value::Tag::kNone ? Value() : worker.heap().make_segdes(std::move(some), elements);
}

/// The elements [begin, end) of a vector.
Value DividedCall::elements_of(const Value& vector, std::int64_t begin, std::int64_t end, Evaluator& worker) const {
  if (evaluator_.at_.unified || &worker != &evaluator_) {
    const auto size = static_cast<std::int64_t>(elem_size(vector.type()));
    return worker.heap().view(vector.type(), data_of(vector, evaluator_) + begin * size, end - begin);
  }
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

Value DividedCall::share(const Value& value, Evaluator& worker) const {
  // Reference counts are not atomic, so another worker gets a view and not a reference.
  if (&worker == &evaluator_ || value.is_scalar() || value.tag() == Value::Tag::kSingle) return value;
  if (value.is_vector()) return worker.heap().view(value.type(), data_of(value, evaluator_), value.length());
  SegdesObject* const object = worker.heap().make_segdes();
  if (object == nullptr) return Value();
  Value copy = Value::adopt(object);
  const SegdesObject& original = *value.segdes();
  object->segments = original.segments;
  object->elements = original.elements;
  object->regular_length = original.regular_length;
  object->has_empty = original.has_empty;
  for (const auto part : {&SegdesObject::lengths, &SegdesObject::offsets, &SegdesObject::starts}) {
    // Another device makes offsets and starts itself.
    if (!evaluator_.at_.unified && part != &SegdesObject::lengths) break;
    if ((original.*part).tag() == Value::Tag::kNone) continue;
    object->*part = share(original.*part, worker);
    if ((object->*part).tag() == Value::Tag::kNone) return Value();
  }
  return copy;
}

}  // namespace runtime
