#include "placement.h"

namespace runtime {

SegmentDescriptor Placement::segments(SegdesObject& s, bool with_heads) {
  SegmentDescriptor descriptor{s.segments, s.elements, s.regular_length};
  if (descriptor.is_regular()) return descriptor;
  if (s.offsets.tag() == Value::Tag::kNone && !make_offsets(s)) return descriptor;
  descriptor.offsets =
      static_cast<const std::int64_t*>(on_host ? at.heap.host_data(s.offsets) : at.heap.device_data(s.offsets));
  if (descriptor.offsets == nullptr) {
    out_of_memory = true;
    return descriptor;
  }
  if (!with_heads || on_host || !at.has_heads(s.segments)) return descriptor;
  if (s.has_empty) descriptor.nonempty = reinterpret_cast<const std::int32_t*>(descriptor.offsets + s.segments + 1);
  if (s.heads.tag() == Value::Tag::kNone && !make_heads(s, descriptor)) return descriptor;
  descriptor.heads = static_cast<const SegmentHeads*>(at.heap.device_data(s.heads));
  return descriptor;
}

bool Placement::make_heads(SegdesObject& s, const SegmentDescriptor& descriptor) {
  const std::int64_t words = head_words(s.elements);
  VectorObject* object = at.heap.make_device_vector(ElemType::kI64, words);
  if (object == nullptr) {
    out_of_memory = true;
    return false;
  }
  Value heads = Value::adopt(object);
  device().run(MakeSegmentHeads{descriptor, {ElemType::kI64, words, object->device}});
  if (!is_done()) return false;
  s.heads = std::move(heads);
  return true;
}

bool Placement::make_offsets(SegdesObject& s) {
  const bool short_one = s.segments <= at.host_limit;
  const std::int64_t room = at.room_of_offsets(s.segments);
  VectorObject* object =
      short_one ? at.heap.make_vector(ElemType::kI64, room) : at.heap.make_device_vector(ElemType::kI64, room);
  if (object == nullptr) {
    out_of_memory = true;
    return false;
  }
  Value offsets = Value::adopt(object);
  const Operand from{s.lengths.type(), s.segments,
                     short_one ? at.heap.host_data(s.lengths) : at.heap.device_data(s.lengths)};
  const MakeOffsets op = at.make_offsets(from, short_one ? object->host : object->device);
  if (short_one) {
    at.host.compute(op);
  } else {
    device().run(op);
    if (!is_done()) return false;
  }
  s.offsets = std::move(offsets);
  return true;
}

Value Placement::fresh(ElemType type, std::int64_t length) {
  if (length == 1 && (on_host || at.unified)) return Value::zero(type);
  VectorObject* object = on_host ? at.heap.make_vector(type, length) : at.heap.make_device_vector(type, length);
  if (object == nullptr) {
    out_of_memory = true;
    return Value();
  }
  return Value::adopt(object);
}

}  // namespace runtime
