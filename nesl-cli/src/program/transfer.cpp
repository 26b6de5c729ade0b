#include "transfer.h"

#include <cstring>

#include "base/check.h"

namespace nesl_cli {

using runtime::Value;

runtime::Value transfer(const Value& value, runtime::Evaluator& from, runtime::Evaluator& to) {
  if (value.is_scalar() || value.tag() == Value::Tag::kSingle) return value;
  if (value.is_segdes()) {
    const Value lengths = from.lengths_of(value);
    if (lengths.tag() == Value::Tag::kNone) return {};
    Value moved = transfer(lengths, from, to);
    return moved.tag() == Value::Tag::kNone ? Value() : to.make_segdes(std::move(moved));
  }
  const void* elements = from.heap().host_data(value);
  if (elements == nullptr && value.length() > 0) return {};
  const std::size_t bytes = static_cast<std::size_t>(value.length()) * vcode::elem_size(value.type());
  runtime::Heap& heap = to.heap();
  const bool on_host = to.makes_on_host(value.length());
  runtime::VectorObject* vector =
      on_host ? heap.make_vector(value.type(), value.length()) : heap.make_device_vector(value.type(), value.length());
  if (vector == nullptr) return {};
  Value moved = Value::adopt(vector);
  if (bytes > 0) {
    VC_CHECK(elements != nullptr);
    if (on_host)
      std::memcpy(vector->host, elements, bytes);
    else
      heap.device().upload(vector->device, elements, bytes);
  }
  return moved;
}

}  // namespace nesl_cli
