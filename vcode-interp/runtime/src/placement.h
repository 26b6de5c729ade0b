#pragma once

#include <array>
#include <cstddef>

#include "runtime/locations.h"

namespace runtime {

/// Addresses of the operands and results of one operation, on the host or on the device. Its functions set
/// `out_of_memory` or `failed` if they cannot give an address; their results must then not be used.
struct Placement {
  Locations& at;
  bool on_host = true;
  bool out_of_memory = false;  ///< no memory for an operand or a result
  bool failed = false;         ///< the device reported a fault while a descriptor was expanded

  bool succeeded() const { return !out_of_memory && !failed; }
  Backend& device() { return at.heap.device(); }
  /// The backend that computes the operation.
  Backend& backend() { return on_host ? static_cast<Backend&>(at.host) : device(); }

  Operand operand(Value& v) {
    if (v.is_scalar()) return {v.type(), 1, v.scalar_data(), !on_host && !at.unified};
    const void* data = on_host ? at.heap.host_data(v) : at.heap.device_data(v);
    if (data == nullptr && v.length() > 0) out_of_memory = true;
    return {v.type(), v.length(), data};
  }

  /// The segments of a descriptor, with offsets if irregular, and with heads if the backend wants them. Offsets and
  /// heads are kept in the descriptor.
  SegmentDescriptor descriptor(const Value& v) { return descriptor(v, true); }
  /// The same without heads, for operations that do not look for the segments of its elements.
  SegmentDescriptor descriptor_of_starts(const Value& v) { return descriptor(v, false); }

  /// A result in new storage; a scalar held in place for length 1 where the backend can write it.
  Value fresh(ElemType type, std::int64_t length);

  /// A result in the storage of an operand: the first candidate (an index into `base`) of the same length and element
  /// size with a reference count of 1; else in new storage. Backends may rely on the alignment of what they write,
  /// which Heap::extend() does not keep.
  template <std::size_t n>
  Value reuse(Value* base, const std::array<int, n>& candidates, ElemType type, std::int64_t length) {
    if (length != 1) {
      for (int k : candidates) {
        Value& v = base[k];
        if (v.tag() != Value::Tag::kVector || !v.is_unique() || v.length() != length ||
            elem_size(v.type()) != elem_size(type))
          continue;
        VectorObject* object = v.vector();
        if (!on_host && object->has_room_before) continue;
        // With separate memories, the copy in the other memory would become stale.
        if (!at.unified && (on_host ? object->device != nullptr : object->host != nullptr)) continue;
        ++object->refs;
        object->type = type;
        object->known = Known::kNothing;
        return Value::adopt(object);
      }
    }
    return fresh(type, length);
  }

  Result result(Value& v) {
    if (v.tag() == Value::Tag::kNone) return {};
    void* data = v.is_scalar() ? v.scalar_data() : on_host ? v.vector()->host : v.vector()->device;
    return {v.type(), v.length(), data};
  }

 private:
  SegmentDescriptor descriptor(const Value& v, bool with_heads) {
    return v.tag() == Value::Tag::kSingle ? SegmentDescriptor::single(v.elements()) : segments(*v.segdes(), with_heads);
  }
  SegmentDescriptor segments(SegdesObject& s, bool with_heads);
  bool make_offsets(SegdesObject& s);
  bool make_heads(SegdesObject& s, const SegmentDescriptor& descriptor);
  /// False, with `failed` set, if the device has a fault: the last operations may not have been executed.
  bool is_done() { return !(failed = device().has_fault()); }
};

}  // namespace runtime
