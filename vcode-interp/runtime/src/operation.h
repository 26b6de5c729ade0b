#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "cvl/dispatch.h"
#include "runtime/evaluator.h"

namespace runtime {

/// One operation in flight: its operands, the lengths its signature binds, and where it runs.
struct Operation {
  Evaluator& ev;
  const vcode::OpInfo& row;
  vcode::Suffix suffix;
  Value* base;
  std::array<std::int64_t, vcode::kMaxLengthVars + 1> lengths{1, -1, -1, -1, -1, -1, -1};
  std::int64_t longest = 1;  ///< of the lengths bound
  bool on_host = true;
  bool out_of_memory = false;

  Heap& heap() { return ev.heap_; }
  HostBackend& host() { return ev.host_; }
  RandomKey& random_key() { return ev.random_key_; }
  ElemType int_type() const { return ev.widths_.int_type; }
  bool fail(std::string message, Fault fault = {}) { return ev.fail(std::move(message), fault); }

  // Binding operands to the signature. Each fails, with a sentence, if a kind or a length does not fit.

  template <vcode::LengthVar var>
  bool bind_length(std::int64_t n) {
    std::int64_t& bound = lengths[var];
    if (bound < 0) {
      bound = n;
      longest = std::max(longest, n);
    }
    return bound == n;
  }

  template <Op op, int k>
  bool bind() {
    constexpr vcode::Role role = vcode::info(op).signature.operands[k];
    const Value& v = base[k];
    if constexpr (role.type == vcode::RoleType::kSegdes) {
      if (!v.is_segdes()) return type_failure(k);
      return (bind_length<role.segments>(v.segments()) && bind_length<role.length>(v.elements())) || length_failure(k);
    } else {
      if (!v.is_vector()) return type_failure(k);
      if constexpr (role.type != vcode::RoleType::kVector)
        if (v.type() != vcode::role_type(role, suffix, ev.widths_)) return type_failure(k);
      return bind_length<role.length>(v.length()) || length_failure(k);
    }
  }

  template <Op op>
  bool bind_all() {
    constexpr int n = vcode::info(op).signature.operand_count;
    const bool bound = [&]<int... k>(std::integer_sequence<int, k...>) { return (bind<op, k>() && ...); }
    (std::make_integer_sequence<int, n>{});
    if (bound) {
      on_host = longest <= kShortLimit;
      if (!on_host) ev.begin_device_operation();
    }
    return bound;
  }

  bool type_failure(int k);
  bool length_failure(int k);

  // Operands and results as the backend sees them. Where memory runs out, out_of_memory is set and what is
  // returned must not be used: see ready().

  Backend& backend() { return on_host ? static_cast<Backend&>(host()) : heap().device(); }

  ElemType result_type(int k = 0) { return vcode::role_type(row.signature.results[k], suffix, ev.widths_); }

  Operand vector_operand(Value& v) {
    if (v.is_scalar()) return {v.type(), 1, v.scalar_data(), !on_host && !ev.unified_};
    const void* data = on_host ? heap().host_data(v) : heap().device_data(v);
    if (data == nullptr && v.length() > 0) out_of_memory = true;
    return {v.type(), v.length(), data};
  }
  Operand operand(int k) { return vector_operand(base[k]); }

  /// The segments of descriptor operand k, with offsets if it is irregular, and heads if the backend wants them.
  SegmentMap map(int k);
  bool make_offsets(SegdesObject& s);
  bool make_heads(SegdesObject& s, const SegmentMap& map);

  /// A fresh result; a scalar where that is possible.
  Value fresh(ElemType type, std::int64_t length);

  /// Operand k's storage as the result if nobody else holds it and it fits, else fresh storage.
  template <std::size_t n>
  Value reuse(const std::array<int, n>& candidates, ElemType type, std::int64_t length) {
    if (length != 1) {
      for (int k : candidates) {
        Value& v = base[k];
        if (v.tag() != Value::Tag::kVector || !v.is_unique() || v.length() != length ||
            elem_size(v.type()) != elem_size(type))
          continue;
        VectorObject* object = v.vector();
        // With separate memories the other side's copy would go stale.
        if (!ev.unified_ && (on_host ? object->device != nullptr : object->host != nullptr)) continue;
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

  /// Replaces the operands by one result.
  bool finish(Value&& value) {
    if (value.is_scalar()) value.settle();
    base[0] = std::move(value);
    for (int k = 1; k < row.signature.operand_count; ++k) base[k].reset();
    return true;
  }
  /// False, with a sentence, if memory ran out for an operand or result.
  bool ready() { return !out_of_memory || ev.fail_memory(); }
  /// False, with a sentence, if the backend found something wrong with the elements, of this operation or, if the
  /// backend is asynchronous, of an earlier one.
  bool checked() {
    if (!backend().has_fault() && (ev.unified_ || !heap().device().has_fault())) return true;
    return fail_fault();
  }
  bool fail_fault();
  /// Where what is at fault stands, as the end of a sentence.
  std::string place_of(const Fault& fault);
  /// Where an index stands: its element and, if there are several, its segment.
  std::string index_place(std::int64_t position);
};

/// "+ INT", "PACK FLOAT", "INDEX".
std::string instruction_name(Op op, vcode::Suffix suffix);

/// "123 bytes", "45.6 MiB".
std::string bytes_text(std::size_t bytes);

}  // namespace runtime
