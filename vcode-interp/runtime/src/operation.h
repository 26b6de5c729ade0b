#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "known_lengths.h"
#include "placement.h"
#include "runtime/evaluator.h"
#include "vcode/op_semantics.h"

namespace runtime {

/// One application of an operation: row, operands, and the lengths that the signature binds; makes its error messages.
struct Operation {
  Evaluator& ev;
  const vcode::OpInfo& row;
  vcode::Suffix suffix;
  Value* base;
  std::array<std::int64_t, vcode::kMaxLengthVars + 1> lengths{1, -1, -1, -1, -1, -1, -1};
  std::int64_t longest = 1;  ///< largest bound length
  Placement placement{ev.at_};

  Heap& heap() { return ev.at_.heap; }
  HostBackend& host() { return ev.at_.host; }
  RandomKey& random_key() { return ev.random_key_; }
  ElemType int_type() const { return ev.widths_.int_type; }
  bool fail(std::string message, Fault fault = {}) { return ev.fail(std::move(message), fault); }

  // Binding of operands to the signature. Each function fails, with a message, if a kind or a length does not fit.

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
    constexpr vcode::Role role = vcode::row_of(op).signature.operands[k];
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
    constexpr int n = vcode::row_of(op).signature.operand_count;
    const bool bound = [&]<int... k>(std::integer_sequence<int, k...>) { return (bind<op, k>() && ...); }
    (std::make_integer_sequence<int, n>{});
    if (bound) placement.on_host = longest <= ev.at_.host_limit && (makes_descriptor<op>() || !waits_for_operand<n>());
    return bound && (placement.on_host || ev.begin_device_operation());
  }

  /// True for operations with a descriptor as result: the host needs its length and has to wait in any case.
  template <Op op>
  static constexpr bool makes_descriptor() {
    constexpr const vcode::Signature& signature = vcode::row_of(op).signature;
    for (int k = 0; k < signature.result_count; ++k)
      if (signature.results[k].type == vcode::RoleType::kSegdes) return true;
    return false;
  }
  /// True if the host would have to wait for one of n operands: short results that the device still computes stay on
  /// the device until control flow or output needs them.
  template <int n>
  bool waits_for_operand() const {
    return std::any_of(base, base + n, [&](const Value& v) { return waits_for(v); });
  }
  bool waits_for(const Value& v) const {
    if (ev.at_.unified || v.tag() != Value::Tag::kVector) return false;
    const VectorObject& object = *v.vector();
    return object.host == nullptr && object.device != nullptr && !has_known_elements(object) &&
           ev.at_.heap.device().would_wait(object.device);
  }

  bool type_failure(int k);
  bool length_failure(int k);

  // Operands and results in the types of the backend interface. Valid only if ready() is true.

  Backend& backend() { return placement.backend(); }
  /// Issues an operation. The functions of the host are called directly, since short operations take a few nanoseconds.
  template <class T>
  void issue(const T& op) {
    if constexpr (requires(HostBackend & host) { host.compute(op); }) {
      if (placement.on_host) return host().compute(op);
    }
    backend().run(op);
  }
  /// Computes an operation, all of whose members but the result are set, into `value`, and replaces the operands by it.
  template <class T>
  bool run(T& op, Value&& value) {
    if (!ready()) return false;
    op.result = result(value);
    issue(op);
    return checked() && finish(std::move(value));
  }
  ElemType result_type(int k = 0) { return vcode::role_type(row.signature.results[k], suffix, ev.widths_); }
  Operand operand(int k) { return placement.operand(base[k]); }
  SegmentDescriptor descriptor(int k) { return placement.descriptor(base[k]); }
  SegmentDescriptor descriptor_of_starts(int k) { return placement.descriptor_of_starts(base[k]); }
  Value fresh(ElemType type, std::int64_t length) { return placement.fresh(type, length); }
  template <std::size_t n>
  Value reuse(const std::array<int, n>& candidates, ElemType type, std::int64_t length) {
    return placement.reuse(base, candidates, type, length);
  }
  Result result(Value& v) { return placement.result(v); }
  // Members of a description that are not there, or not there yet. They are calls because compilers fill all of an
  // aggregate with zeros first where constants among its members are zero, which costs more than a short operation.
  static Result later() { return {}; }
  template <int k>
  std::optional<Operand> optional_operand() {
    if constexpr (k >= 0)
      return operand(k);
    else
      return {};
  }

  /// Replaces the operands by one result.
  bool finish(Value&& value) {
    VC_CHECK(value.tag() != Value::Tag::kNone);
    if (value.is_scalar()) value.settle();
    base[0] = std::move(value);
    for (int k = 1; k < row.signature.operand_count; ++k) base[k].reset();
    return true;
  }
  /// False, with a message, if memory ran out for an operand or a result, or a descriptor could not be expanded.
  bool ready() { return placement.succeeded() || (placement.failed ? fail_fault() : ev.fail_memory()); }
  /// False, with a message, if the backend found a fault in this operation or, on an asynchronous backend, an earlier
  /// one.
  bool checked() {
    if (!backend().has_fault() && (ev.at_.unified || !heap().device().has_fault())) return true;
    return fail_fault();
  }
  bool fail_fault();
  /// The position of a fault as text, for the end of a message.
  std::string location_of(const Fault& fault);
  /// The position of an element as text: its index and, if there are several segments, its segment.
  std::string index_location(std::int64_t position);
};

/// The name of an instruction as in VCODE: "+ INT", "PACK FLOAT", "INDEX".
std::string instruction_name(Op op, vcode::Suffix suffix);

/// A size as text: "123 bytes", "45.6 MiB".
std::string bytes_text(std::size_t bytes);

}  // namespace runtime
