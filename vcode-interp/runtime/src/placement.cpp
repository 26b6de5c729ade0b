#include "placement.h"

#include <limits>

#include "cvl/dispatch.h"

namespace runtime {

SegmentDescriptor Placement::segments(SegdesObject& s) {
  SegmentDescriptor descriptor{s.segments, s.elements, s.regular_length};
  if (descriptor.is_regular()) return descriptor;
  if (s.offsets.tag() == Value::Tag::kNone && !make_offsets(s)) return descriptor;
  descriptor.offsets =
      static_cast<const std::int64_t*>(on_host ? at.heap.host_data(s.offsets) : at.heap.device_data(s.offsets));
  if (descriptor.offsets == nullptr) {
    out_of_memory = true;
    return descriptor;
  }
  if (on_host || !at.wants_heads || s.segments > std::numeric_limits<std::int32_t>::max()) return descriptor;
  if (s.heads.tag() == Value::Tag::kNone && !make_heads(s, descriptor)) return descriptor;
  descriptor.heads = static_cast<const SegmentHeads*>(at.heap.device_data(s.heads));
  if (s.has_empty) descriptor.nonempty = static_cast<const std::int32_t*>(at.heap.device_data(s.nonempty));
  return descriptor;
}

bool Placement::make_heads(SegdesObject& s, const SegmentDescriptor& descriptor) {
  const std::int64_t words = head_words(s.elements);
  Value heads, nonempty;
  const auto device_vector = [&](Value& v, ElemType type, std::int64_t length) -> Result {
    VectorObject* object = at.heap.make_device_vector(type, length);
    if (object == nullptr) {
      out_of_memory = true;
      return {};
    }
    v = Value::adopt(object);
    return {type, length, object->device};
  };
  const Result to = device_vector(heads, ElemType::kI64, words);
  const Result numbers = s.has_empty ? device_vector(nonempty, ElemType::kI32, s.segments) : Result{};
  if (out_of_memory) return false;
  device().run(MakeSegmentHeads{descriptor, to, numbers});
  if (!is_done()) return false;
  s.heads = std::move(heads);
  s.nonempty = std::move(nonempty);
  return true;
}

bool Placement::make_offsets(SegdesObject& s) {
  const bool short_one = s.segments <= at.host_limit;
  VectorObject* object = short_one ? at.heap.make_vector(ElemType::kI64, s.segments + 1)
                                   : at.heap.make_device_vector(ElemType::kI64, s.segments + 1);
  if (object == nullptr) {
    out_of_memory = true;
    return false;
  }
  Value offsets = Value::adopt(object);
  const Operand from{s.lengths.type(), s.segments,
                     short_one ? at.heap.host_data(s.lengths) : at.heap.device_data(s.lengths)};
  const Result to{ElemType::kI64, s.segments + 1, short_one ? object->host : object->device};
  if (short_one) {
    at.host.compute(MakeOffsets{from, to});
  } else {
    device().run(MakeOffsets{from, to});
    if (!is_done()) return false;
  }
  s.offsets = std::move(offsets);
  return true;
}

Value Placement::fresh(ElemType type, std::int64_t length) {
  if (length == 1 && (on_host || at.unified)) {
    Value v = Value::scalar(std::int64_t{0});
    with_type(type, [&]<class T>() { v.set_scalar(T()); });
    return v;
  }
  VectorObject* object = on_host ? at.heap.make_vector(type, length) : at.heap.make_device_vector(type, length);
  if (object == nullptr) {
    out_of_memory = true;
    return Value();
  }
  return Value::adopt(object);
}

}  // namespace runtime
