#pragma once

#include <array>
#include <cstddef>

#include "runtime/locations.h"

namespace runtime {

/// The addresses of operands and results of one operation, on the host or on the device: elements, maps of segments,
/// storage for results. If these cannot be had, out_of_memory or failed is set and the returned values must not be
/// used.
struct Placement {
  Locations& at;
  bool on_host = true;
  bool out_of_memory = false;  ///< for an operand or a result
  bool failed = false;         ///< the device has a fault that became known while a descriptor was expanded

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

  /// The segments of a descriptor, with offsets if it is irregular, and heads if the backend wants them. The descriptor
  /// keeps these, unless the device could not make them.
  SegmentMap map(const Value& descriptor);

  /// A fresh result; a scalar where that is possible.
  Value fresh(ElemType type, std::int64_t length);

  /// A result in the storage of the first candidate among the operands at `base` that fits and has a reference count of
  /// 1, else in fresh storage.
  template <std::size_t n>
  Value reuse(Value* base, const std::array<int, n>& candidates, ElemType type, std::int64_t length) {
    if (length != 1) {
      for (int k : candidates) {
        Value& v = base[k];
        if (v.tag() != Value::Tag::kVector || !v.is_unique() || v.length() != length ||
            elem_size(v.type()) != elem_size(type))
          continue;
        VectorObject* object = v.vector();
        // With separate memories the other side's copy would go stale.
        if (!at.unified && (on_host ? object->device != nullptr : object->host != nullptr)) continue;
        ++object->refs;
        object->type = type;
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
  bool make_offsets(SegdesObject& s);
  bool make_heads(SegdesObject& s, const SegmentMap& map);
  /// False, and failed is set, if the device has a fault: what was issued last may not have been done.
  bool is_done() { return !(failed = device().has_fault()); }
};

}  // namespace runtime
