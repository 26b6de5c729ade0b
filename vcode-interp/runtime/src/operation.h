#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "known_lengths.h"
#include "placement.h"
#include "runtime/evaluator.h"
#include "vcode/op_semantics.h"

namespace runtime {

/// Number of the operand of which an operation touches no more than the elements at some indices, or runs from there
/// on; -1 if it traverses all of its vectors. Updates leave the others as they are.
template <Op op>
inline constexpr int kTable = -1;
template <Op op>
inline constexpr bool kUpdatesTable = false;
template <>
inline constexpr int kTable<Op::kBpermute> = 0;
template <>
inline constexpr int kTable<Op::kBfpermute> = 0;
template <>
inline constexpr int kTable<Op::kExtract> = 0;
template <>
inline constexpr int kTable<Op::kSlice> = 0;
template <>
inline constexpr int kTable<Op::kLatest> = 3;  // the descriptor of an indexed vector that it does not read
template <>
inline constexpr int kTable<Op::kReplace> = 0;
template <>
inline constexpr bool kUpdatesTable<Op::kReplace> = true;
template <>
inline constexpr int kTable<Op::kDpermute> = 2;
template <>
inline constexpr bool kUpdatesTable<Op::kDpermute> = true;
template <>
inline constexpr int kTable<Op::kDfpermute> = 3;
template <>
inline constexpr bool kUpdatesTable<Op::kDfpermute> = true;

/// One application of an operation: row, operands, and the lengths that the signature binds; makes its error messages.
struct Operation {
  Evaluator& ev;
  const vcode::OpInfo& row;
  vcode::Suffix suffix;
  Value* base;
  std::array<std::int64_t, vcode::kMaxLengthVars + 1> lengths{1, -1, -1, -1, -1, -1, -1};
  std::int64_t longest = 1;  ///< largest bound length, without that of the table
  Placement placement{ev.at_};

  Heap& heap() { return ev.at_.heap; }
  HostBackend& host() { return ev.at_.host; }
  RandomKey& random_key() { return ev.random_key_; }
  ElemType int_type() const { return ev.widths_.int_type; }
  bool fail(std::string message, Fault fault = {}) { return ev.fail(std::move(message), fault); }

  // Binding of operands to the signature. Each function fails, with a message, if a kind or a length does not fit.

  template <vcode::LengthVar var, vcode::LengthVar table>
  bool bind_length(std::int64_t n) {
    std::int64_t& bound = lengths[var];
    if (bound < 0) {
      bound = n;
      if constexpr (var != table) longest = std::max(longest, n);
    }
    return bound == n;
  }

  /// The length variable of the table; that of scalars if there is none.
  template <Op op>
  static constexpr vcode::LengthVar table_length() {
    if constexpr (kTable<op> < 0)
      return vcode::kScalarLength;
    else
      return vcode::row_of(op).signature.operands[kTable<op>].length;
  }

  template <Op op, int k>
  bool bind() {
    constexpr vcode::Role role = vcode::row_of(op).signature.operands[k];
    constexpr vcode::LengthVar table = table_length<op>();
    const Value& v = base[k];
    if constexpr (role.type == vcode::RoleType::kSegdes) {
      if (!v.is_segdes()) return type_failure(k);
      return (bind_length<role.segments, table>(v.segments()) && bind_length<role.length, table>(v.elements())) ||
             length_failure(k);
    } else {
      if (!v.is_vector()) return type_failure(k);
      if constexpr (role.type != vcode::RoleType::kVector)
        if (v.type() != vcode::role_type(role, suffix, ev.widths_)) return type_failure(k);
      return bind_length<role.length, table>(v.length()) || length_failure(k);
    }
  }

  template <Op op>
  bool bind_all() {
    constexpr int n = vcode::row_of(op).signature.operand_count;
    const bool bound = [&]<int... k>(std::integer_sequence<int, k...>) { return (bind<op, k>() && ...); }
    (std::make_integer_sequence<int, n>{});
    if (bound)
      placement.on_host =
          longest <= ev.at_.host_limit && fits_table<op>() && (makes_descriptor<op>() || !waits_for_operand<n>());
    return bound && (placement.on_host || ev.begin_device_operation());
  }

  /// Whether the table lets the host compute the operation: it is short, or elements of it are read or written where
  /// they are.
  template <Op op>
  bool fits_table() const {
    if constexpr (kTable<op> < 0) {
      return true;
    } else {
      if (lengths[table_length<op>()] <= ev.at_.host_limit) return true;
      return ev.at_.unified && (!kUpdatesTable<op> || base[kTable<op>].is_unique());
    }
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
    return !ev.at_.unified && std::any_of(base, base + n, [&](const Value& v) { return waits_for(v); });
  }
  bool waits_for(const Value& v) const {
    if (ev.at_.unified || v.tag() != Value::Tag::kVector) return false;
    const VectorObject& object = *v.vector();
    return object.host == nullptr && object.device != nullptr && !has_known_elements(object) &&
           ev.at_.heap.device().would_wait(object.device);
  }

  /// Checks a rule that signatures cannot express: the numbers of the joined segments, or of their elements, add up to
  /// that of the result.
  bool fill_result(std::string_view what, std::span<const std::int64_t> parts, std::int64_t result);
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
    for (int k = 0; k < row.signature.operand_count; ++k) base[k].reset();
    new (base) Value(std::move(value));
    return true;
  }
  /// False, with a message, if memory ran out for an operand or a result, or a descriptor could not be expanded.
  bool ready() { return placement.succeeded() || (placement.failed ? fail_fault() : ev.fail_memory()); }
  /// False, with a message, if the backend found a fault in this operation or, on an asynchronous backend, an earlier
  /// one.
  bool checked() {
    const bool has_fault = (placement.on_host && host().has_fault()) ||
                           (!(placement.on_host && ev.at_.unified) && heap().device().has_fault());
    return !has_fault || fail_fault();
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
