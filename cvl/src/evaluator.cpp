#include "cvl/evaluator.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "cvl/dispatch.h"

namespace cvl {

using vcode::OpClass;
using vcode::OpInfo;
using vcode::Role;
using vcode::RoleType;
using vcode::Signature;
using vcode::Suffix;

namespace {

std::string instruction_name(Op op, Suffix suffix) {
  const OpInfo& row = vcode::info(op);
  return suffix == Suffix::kNone ? std::string(row.text) : fmt::format("{} {}", row.text, vcode::suffix_name(suffix));
}

std::string describe(const Value& v) {
  if (v.tag() == Value::Tag::kNone) return "nothing";
  if (v.is_vector()) return fmt::format("{} of length {}", vcode::kind_name(v.kind()), v.length());
  if (v.is_segdes()) return fmt::format("Segdes of {} segments, {} elements", v.segments(), v.elements());
  return "Pair";
}

std::string_view operand_name(const Role& role) { return role.name.empty() ? "the operand" : role.name; }

std::string bytes_text(std::size_t bytes) {
  if (bytes < std::size_t{10} << 20) return fmt::format("{} bytes", bytes);
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

// The segment of a descriptor that an element lies in.
std::int64_t segment_of(const SegmentMap& map, std::int64_t element) {
  if (map.is_regular()) return map.regular_length == 0 ? 0 : element / map.regular_length;
  return std::upper_bound(map.offsets, map.offsets + map.segments + 1, element) - map.offsets - 1;
}

std::int64_t int_limit(ElemType type) {
  return with_int(type, []<class I>() -> std::int64_t { return std::numeric_limits<I>::max(); });
}

}  // namespace

/// One operation in flight: its operands, the lengths its signature binds, and where it runs.
struct Operation {
  Evaluator& ev;
  const OpInfo& row;
  Suffix suffix;
  Value* base;
  std::array<std::int64_t, vcode::kMaxLengthVars + 1> lengths{1, -1, -1, -1, -1, -1, -1};
  bool on_host = true;
  bool out_of_memory = false;

  Heap& heap() { return ev.heap_; }
  HostBackend& host() { return ev.host_; }
  RandomKey& random_key() { return ev.random_key_; }
  ElemType int_type() const { return ev.widths_.int_type; }
  bool fail(std::string message) { return ev.fail(std::move(message)); }

  // Binding operands to the signature.

  bool type_failure(int k) {
    const Role& role = row.signature.operands[k];
    return fail(
        fmt::format("{}: {} must be {} but is {}", instruction_name(row.op, suffix), operand_name(role),
                    role.type == RoleType::kVector ? "a vector" : vcode::kind_name(Signature::kind(role, suffix)),
                    base[k].tag() == Value::Tag::kNone ? "nothing" : vcode::kind_name(base[k].kind())));
  }

  bool length_failure(int k) {
    // Blame the first earlier operand that bound one of this operand's lengths to something else.
    const Signature& sig = row.signature;
    for (int j = 0; j < k; ++j) {
      const Role &a = sig.operands[j], &b = sig.operands[k];
      const bool a_seg = a.type == RoleType::kSegdes, b_seg = b.type == RoleType::kSegdes;
      auto complain = [&](std::string_view a_what, std::int64_t a_n, std::string_view b_what, std::int64_t b_n) {
        return fail(fmt::format("{}: {} has {} {} but {} has {} {}", instruction_name(row.op, suffix), operand_name(b),
                                b_n, b_what, operand_name(a), a_n, a_what));
      };
      auto elements = [&](int i) {
        return sig.operands[i].type == RoleType::kSegdes ? base[i].elements() : base[i].length();
      };
      if (a.length == b.length && elements(j) != elements(k))
        return complain("elements", elements(j), "elements", elements(k));
      if (b_seg && a_seg && a.segments == b.segments && base[j].segments() != base[k].segments())
        return complain("segments", base[j].segments(), "segments", base[k].segments());
      if (b_seg && !a_seg && a.length == b.segments && base[j].length() != base[k].segments())
        return complain("elements", base[j].length(), "segments", base[k].segments());
    }
    return fail(fmt::format("{}: {} has the wrong length ({})", instruction_name(row.op, suffix),
                            operand_name(sig.operands[k]), describe(base[k])));
  }

  template <vcode::LengthVar var>
  bool bind_length(std::int64_t n) {
    std::int64_t& bound = lengths[var];
    if (bound < 0) bound = n;
    return bound == n;
  }

  template <Op op, int k>
  bool bind() {
    constexpr Role role = vcode::info(op).signature.operands[k];
    const Value& v = base[k];
    if constexpr (role.type == RoleType::kSegdes) {
      if (!v.is_segdes()) return type_failure(k);
      return (bind_length<role.segments>(v.segments()) && bind_length<role.length>(v.elements())) || length_failure(k);
    } else {
      if (!v.is_vector()) return type_failure(k);
      if constexpr (role.type != RoleType::kVector)
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
      on_host = true;
      for (std::int64_t length : lengths) on_host &= length <= kShortLimit;
      if (!on_host) heap().device().set_site(ev.site_);
    }
    return bound;
  }

  // Operands and results as the backend sees them.

  Backend& backend() { return on_host ? static_cast<Backend&>(host()) : heap().device(); }

  ElemType result_type(int k = 0) { return vcode::role_type(row.signature.results[k], suffix, ev.widths_); }

  Operand vector_operand(Value& v) {
    const void* data;
    if (on_host) {
      data = heap().host_data(v);
    } else {
      if (v.is_scalar() && !ev.unified_) spill(v);
      data = v.is_scalar() ? v.scalar_data() : heap().device_data(v);
    }
    if (data == nullptr && v.length() > 0) out_of_memory = true;
    return {v.type(), v.length(), data};
  }
  Operand operand(int k) { return vector_operand(base[k]); }

  // Moves a scalar into an object of its own, so that the device can have a copy.
  void spill(Value& scalar) {
    VectorObject* object = heap().make_vector(scalar.type(), 1);
    if (object == nullptr) {
      out_of_memory = true;
      return;
    }
    std::memcpy(object->host, scalar.scalar_data(), elem_size(scalar.type()));
    scalar = Value::adopt(object);
  }

  SegmentMap map(int k) {
    const Value& v = base[k];
    if (v.tag() == Value::Tag::kSingle) return SegmentMap::single(v.elements());
    SegdesObject& s = *v.segdes();
    SegmentMap map{s.segments, s.elements, s.regular_length, nullptr};
    if (map.is_regular()) return map;
    if (s.offsets.tag() == Value::Tag::kNone && !make_offsets(s)) return map;
    map.offsets =
        static_cast<const std::int64_t*>(on_host ? heap().host_data(s.offsets) : heap().device_data(s.offsets));
    if (map.offsets == nullptr) out_of_memory = true;
    return map;
  }

  bool make_offsets(SegdesObject& s) {
    VectorObject* object = heap().make_vector(ElemType::kI64, s.segments + 1);
    if (object == nullptr) {
      out_of_memory = true;
      return false;
    }
    Value offsets = Value::adopt(object);
    const bool short_one = s.segments <= kShortLimit;
    const Operand from{s.lengths.type(), s.segments,
                       short_one ? heap().host_data(s.lengths) : heap().device_data(s.lengths)};
    const Result to{ElemType::kI64, s.segments + 1, short_one ? object->host : object->device};
    if (short_one)
      host().make_offsets(from, to);
    else
      heap().device().make_offsets(from, to);
    s.offsets = std::move(offsets);
    return true;
  }

  /// A fresh result; a scalar where that is possible.
  Value fresh(ElemType type, std::int64_t length) {
    if (length == 1 && (on_host || ev.unified_)) {
      Value v = Value::scalar(std::int64_t{0});
      with_type(type, [&]<class T>() { v.set_scalar(T()); });
      return v;
    }
    VectorObject* object = on_host ? heap().make_vector(type, length) : heap().make_device_vector(type, length);
    if (object == nullptr) {
      out_of_memory = true;
      return Value();
    }
    return Value::adopt(object);
  }

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

  /// Replaces the operands by one result, or fails.
  bool finish(Value value) {
    base[0] = std::move(value);
    for (int k = 1; k < row.signature.operand_count; ++k) base[k] = Value();
    return true;
  }
  bool ready() { return !out_of_memory || ev.fail_memory(); }
  bool checked() { return !backend().has_fault() || fail_fault(); }

  bool fail_fault() {
    const Fault fault = backend().take_fault();
    const std::string name = instruction_name(row.op, suffix);
    const bool scalar = std::all_of(lengths.begin(), lengths.end(), [](std::int64_t n) { return n <= 1; });
    const std::string where = scalar ? "" : fmt::format(" (element {})", fault.position);
    switch (fault.kind) {
      case FaultKind::kDivideByZero:
        return fail(fmt::format("{}: division by zero{}", name, where));
      case FaultKind::kDivideOverflow:
        return fail(fmt::format("{}: the quotient of the most negative INT and -1 does not fit{}", name, where));
      case FaultKind::kShiftCount:
        return fail(fmt::format("{}: shift count {} is not in 0..{}{}", name, fault.value,
                                elem_size(ev.widths_.int_type) * 8 - 1, where));
      case FaultKind::kFloatToInt:
        return fail(fmt::format("{}: the value is NaN or does not fit in an INT of {} bits{}", name,
                                elem_size(ev.widths_.int_type) * 8, where));
      case FaultKind::kRandomBound:
        return fail(fmt::format("{}: the bound is 0{}", name, where));
      case FaultKind::kIndexRange:
        return fail(fmt::format("{}: index {} is out of range for a segment of {} elements{}", name, fault.value,
                                fault.bound, index_place(fault.position)));
      case FaultKind::kDuplicateTarget:
        return fail(
            fmt::format("{}: index {} occurs twice in its segment{}", name, fault.value, index_place(fault.position)));
      case FaultKind::kNegativeLength:
        return fail(fmt::format("{}: segment {} has the negative length {}", name, fault.position, fault.value));
      case FaultKind::kLengthOverflow:
        return fail(fmt::format("{}: the lengths add up to more than 2^63 elements", name));
      case FaultKind::kOutOfMemory:
        return fail(ev.memory_failure(
            fmt::format("{} (working memory of {})", name, bytes_text(static_cast<std::size_t>(fault.value)))));
      case FaultKind::kNone:
        break;
    }
    return fail(fmt::format("{}: failed", name));
  }

  // Where an index stands: its element and, if there are several, its segment.
  std::string index_place(std::int64_t position) {
    const Signature& sig = row.signature;
    const Role& index = sig.operands[1];
    for (int k = 0; k < sig.operand_count; ++k) {
      const Role& role = sig.operands[k];
      if (role.type != RoleType::kSegdes) continue;
      if (role.segments == index.length)
        return base[k].segments() == 1 ? std::string() : fmt::format(" (segment {})", position);
      if (role.length != index.length) continue;
      if (base[k].segments() == 1) return fmt::format(" (element {})", position);
      on_host = true;
      const SegmentMap segments = map(k);
      const std::int64_t segment = segment_of(segments, position);
      return fmt::format(" (element {} of segment {})", position - segments.start(segment), segment);
    }
    return fmt::format(" (element {})", position);
  }
};

namespace {

template <Op op>
struct OpTag {};

template <Op op>
bool run_elementwise(Operation& o) {
  constexpr int arity = vcode::info(op).signature.operand_count;
  constexpr auto candidates = [] {
    std::array<int, arity> all{};
    for (int k = 0; k < arity; ++k) all[k] = arity - 1 - k;
    return all;
  }();
  std::array<Operand, arity> operands;
  for (int k = 0; k < arity; ++k) operands[k] = o.operand(k);
  Value value = o.reuse(candidates, o.result_type(), o.lengths[1]);
  if (!o.ready()) return false;
  o.backend().elementwise(op, operands, o.result(value));
  return o.checked() && o.finish(std::move(value));
}

bool run_scan(Operation& o) {
  const Operand a = o.operand(0);
  const SegmentMap map = o.map(1);
  Value value = o.reuse(std::array{0}, o.result_type(), a.length);
  if (!o.ready()) return false;
  o.backend().scan(o.row.monoid, a, map, o.result(value));
  return o.checked() && o.finish(std::move(value));
}

bool run_reduce(Operation& o) {
  const Operand a = o.operand(0);
  const SegmentMap map = o.map(1);
  Value value = o.fresh(o.result_type(), map.segments);
  if (!o.ready()) return false;
  o.backend().reduce(o.row.monoid, a, map, o.result(value));
  return o.checked() && o.finish(std::move(value));
}

bool run_scatter(Operation& o, int flags, int defaults, int from, int to) {
  Scatter s{o.operand(0), o.operand(1), nullptr, nullptr, o.map(from), o.map(to)};
  Operand flag_operand, default_operand;
  if (flags >= 0) {
    flag_operand = o.operand(flags);
    s.flags = &flag_operand;
  }
  Value value;
  if (defaults >= 0) {
    default_operand = o.operand(defaults);
    s.defaults = &default_operand;
    value = o.reuse(std::array{defaults}, o.result_type(), s.to.elements);
  } else {
    value = o.fresh(o.result_type(), s.to.elements);
  }
  if (!o.ready()) return false;
  o.backend().scatter(s, o.result(value));
  return o.checked() && o.finish(std::move(value));
}

bool run_gather(Operation& o, int flags, int from, int to) {
  Gather g{o.operand(0), o.operand(1), nullptr, o.map(from), o.map(to)};
  Operand flag_operand;
  if (flags >= 0) {
    flag_operand = o.operand(flags);
    g.flags = &flag_operand;
  }
  Value value = o.reuse(std::array{1}, o.result_type(), g.to.elements);
  if (!o.ready()) return false;
  o.backend().gather(g, o.result(value));
  return o.checked() && o.finish(std::move(value));
}

bool run(OpTag<Op::kPermute>, Operation& o) { return run_scatter(o, -1, -1, 2, 2); }
bool run(OpTag<Op::kDpermute>, Operation& o) { return run_scatter(o, -1, 2, 3, 4); }
bool run(OpTag<Op::kFpermute>, Operation& o) { return run_scatter(o, 2, -1, 3, 4); }
bool run(OpTag<Op::kDfpermute>, Operation& o) { return run_scatter(o, 2, 3, 4, 5); }
bool run(OpTag<Op::kBpermute>, Operation& o) { return run_gather(o, -1, 2, 3); }
bool run(OpTag<Op::kBfpermute>, Operation& o) { return run_gather(o, 2, 3, 4); }

bool run(OpTag<Op::kExtract>, Operation& o) {
  const Operand a = o.operand(0), i = o.operand(1);
  const SegmentMap map = o.map(2);
  Value value = o.reuse(std::array{1}, o.result_type(), map.segments);
  if (!o.ready()) return false;
  o.backend().extract(a, i, map, o.result(value));
  return o.checked() && o.finish(std::move(value));
}

bool run(OpTag<Op::kReplace>, Operation& o) {
  const Operand a = o.operand(0), i = o.operand(1), v = o.operand(2);
  const SegmentMap map = o.map(3);
  Value value = o.reuse(std::array{0}, o.result_type(), a.length);
  if (!o.ready()) return false;
  o.backend().replace(a, i, v, map, o.result(value));
  return o.checked() && o.finish(std::move(value));
}

bool run(OpTag<Op::kDist>, Operation& o) {
  const Operand v = o.operand(0);
  const SegmentMap map = o.map(1);
  Value value = o.fresh(o.result_type(), map.elements);
  if (!o.ready()) return false;
  o.backend().dist(v, map, o.result(value));
  return o.checked() && o.finish(std::move(value));
}

bool run(OpTag<Op::kIndex>, Operation& o) {
  const Operand start = o.operand(0), stride = o.operand(1);
  const SegmentMap map = o.map(2);
  Value value = o.fresh(o.result_type(), map.elements);
  if (!o.ready()) return false;
  o.backend().index(start, stride, map, o.result(value));
  return o.checked() && o.finish(std::move(value));
}

bool too_long_for_int(Operation& o, std::string_view what, std::int64_t n) {
  return o.fail(fmt::format("{}: {} {} does not fit in an INT of 32 bits; run with --int=64",
                            instruction_name(o.row.op, o.suffix), what, n));
}

bool run_rank(Operation& o, bool descending) {
  const Operand a = o.operand(0);
  const SegmentMap map = o.map(1);
  if (a.length > int_limit(o.result_type())) return too_long_for_int(o, "the length", a.length);
  Value value = o.fresh(o.result_type(), a.length);
  if (!o.ready()) return false;
  o.backend().rank(descending, a, map, o.result(value));
  return o.checked() && o.finish(std::move(value));
}

bool run(OpTag<Op::kRankUp>, Operation& o) { return run_rank(o, false); }
bool run(OpTag<Op::kRankDown>, Operation& o) { return run_rank(o, true); }

bool run(OpTag<Op::kLength>, Operation& o) {
  const std::int64_t n = o.base[0].length();
  if (n > int_limit(o.result_type())) return too_long_for_int(o, "the length", n);
  Value value = o.result_type() == ElemType::kI32 ? Value::scalar(static_cast<std::int32_t>(n)) : Value::scalar(n);
  return o.finish(std::move(value));
}

// A descriptor whose total is known; whether it is regular is not worth a pass over the lengths.
Value described(Operation& o, Value lengths, std::int64_t elements) {
  SegdesObject* s = o.heap().make_segdes();
  if (s == nullptr) {
    o.out_of_memory = true;
    return Value();
  }
  s->segments = lengths.length();
  s->elements = elements;
  s->lengths = std::move(lengths);
  return Value::adopt(s);
}

bool run(OpTag<Op::kPack>, Operation& o) {
  const Operand a = o.operand(0), flags = o.operand(1);
  const SegmentMap map = o.map(2);
  Value lengths = o.fresh(o.int_type(), map.segments);
  if (!o.ready()) return false;
  PackPlan short_plan;
  std::unique_ptr<PackPlan> long_plan;
  if (o.on_host) {
    short_plan.kept = o.host().count_flags(flags, map, o.result(lengths));
  } else {
    long_plan = o.backend().plan_pack(flags, map, o.result(lengths));
    if (!o.checked()) return false;
  }
  const PackPlan& plan = long_plan ? *long_plan : short_plan;
  Value value = o.fresh(a.type, plan.kept);
  if (!o.ready()) return false;
  o.backend().pack(plan, a, flags, o.result(value));
  if (!o.checked()) return false;
  Value descriptor = map.is_single() ? Value::single_segment(plan.kept) : described(o, std::move(lengths), plan.kept);
  if (!o.ready()) return false;
  o.base[0] = std::move(value);
  o.base[1] = std::move(descriptor);
  o.base[2] = Value();
  return true;
}

bool run(OpTag<Op::kRandom>, Operation& o) {
  const Operand bounds = o.operand(0);
  Value value = o.reuse(std::array{0}, o.result_type(), bounds.length);
  if (!o.ready()) return false;
  o.backend().random(bounds, o.random_key(), o.result(value));
  ++o.random_key().call;
  return o.checked() && o.finish(std::move(value));
}

bool run(OpTag<Op::kMakeSegdes>, Operation& o) {
  Value segdes = o.ev.make_segdes(std::move(o.base[0]));
  if (segdes.tag() == Value::Tag::kNone) return false;
  o.base[0] = std::move(segdes);
  return true;
}

bool run(OpTag<Op::kLengths>, Operation& o) {
  Value lengths = o.ev.lengths_of(o.base[0]);
  if (lengths.tag() == Value::Tag::kNone) return false;
  o.base[0] = std::move(lengths);
  return true;
}

template <Op op>
bool apply_op(Operation& o) {
  constexpr const OpInfo& row = vcode::info(op);
  if constexpr (row.op_class == OpClass::kSystem) {
    return o.fail(fmt::format("{} is not a vector operation", row.text));
  } else {
    if (!o.bind_all<op>()) return false;
    if constexpr (row.op_class == OpClass::kElementwise)
      return run_elementwise<op>(o);
    else if constexpr (row.op_class == OpClass::kScan)
      return run_scan(o);
    else if constexpr (row.op_class == OpClass::kReduce)
      return run_reduce(o);
    else
      return run(OpTag<op>{}, o);
  }
}

constexpr auto kApply = []<int... k>(std::integer_sequence<int, k...>) {
  return std::array<bool (*)(Operation&), vcode::kOps>{&apply_op<static_cast<Op>(k)>...};
}
(std::make_integer_sequence<int, vcode::kOps>{});

}  // namespace

Evaluator::Evaluator(Backend& device, vcode::Widths widths)
    : heap_(device), widths_(widths), unified_(device.unified_memory()) {}

bool Evaluator::apply(Op op, Suffix suffix, Value* base) {
  op_ = op;
  suffix_ = suffix;
  Operation o{*this, vcode::info(op), suffix, base};
  return kApply[static_cast<int>(op)](o);
}

bool Evaluator::fail(std::string message) {
  failure_ = std::move(message);
  return false;
}

bool Evaluator::fail_memory() { return fail(memory_failure(instruction_name(op_, suffix_))); }

std::string Evaluator::memory_failure(std::string_view who) const {
  const MemoryUse use = heap_.device().memory_use();
  return fmt::format("{}: out of memory: asked for {}, with {} in use and a limit of {} (see --memory)", who,
                     bytes_text(heap_.last_request()), bytes_text(use.live), bytes_text(use.limit));
}

Value Evaluator::make_segdes(Value lengths) {
  op_ = Op::kMakeSegdes;
  suffix_ = Suffix::kNone;
  Operation o{*this, vcode::info(Op::kMakeSegdes), suffix_, &lengths};
  const std::int64_t m = lengths.length();
  o.on_host = m <= kShortLimit;
  const Operand operand = o.operand(0);
  if (!o.ready()) return Value();
  const LengthsSummary summary = o.backend().summarize_lengths(operand);
  if (!o.checked()) return Value();
  if (m == 1) return Value::single_segment(summary.total);
  SegdesObject* s = heap_.make_segdes();
  if (s == nullptr) {
    fail_memory();
    return Value();
  }
  Value segdes = Value::adopt(s);
  s->segments = m;
  s->elements = summary.total;
  if (m > 0 && summary.shortest == summary.longest) s->regular_length = summary.longest;
  // The lengths of a long regular descriptor are cheaper to make again than to keep.
  if (s->regular_length < 0 || o.on_host) s->lengths = std::move(lengths);
  return segdes;
}

Value Evaluator::lengths_of(const Value& segdes) {
  op_ = Op::kLengths;
  suffix_ = Suffix::kNone;
  Value copy = segdes;
  Operation o{*this, vcode::info(Op::kLengths), suffix_, &copy};
  const std::int64_t regular =
      segdes.tag() == Value::Tag::kSingle ? segdes.elements() : segdes.segdes()->regular_length;
  if (regular > int_limit(widths_.int_type)) {
    too_long_for_int(o, "the length", regular);
    return Value();
  }
  Value length =
      widths_.int_type == ElemType::kI32 ? Value::scalar(static_cast<std::int32_t>(regular)) : Value::scalar(regular);
  if (segdes.tag() == Value::Tag::kSingle) return length;
  SegdesObject& s = *segdes.segdes();
  if (s.lengths.tag() == Value::Tag::kNone) {
    o.on_host = s.segments <= kShortLimit;
    Value filled = o.fresh(widths_.int_type, s.segments);
    const Operand v = o.vector_operand(length);
    if (!o.ready()) return Value();
    o.backend().dist(v, SegmentMap::single(s.segments), o.result(filled));
    s.lengths = std::move(filled);
  }
  return s.lengths;
}

Value Evaluator::segment_ids_of(const Value& segdes) {
  op_ = Op::kDist;
  suffix_ = Suffix::kNone;
  Value copy = segdes;
  Operation o{*this, vcode::info(Op::kDist), suffix_, &copy};
  const bool single = segdes.tag() == Value::Tag::kSingle;
  if (!single && segdes.segdes()->ids.tag() != Value::Tag::kNone) return segdes.segdes()->ids;
  o.on_host = std::max(segdes.segments(), segdes.elements()) <= kShortLimit;
  const SegmentMap map = o.map(0);
  Value ids = o.fresh(widths_.int_type, segdes.elements());
  if (!o.ready()) return Value();
  o.backend().make_segment_ids(map, o.result(ids));
  if (!single) segdes.segdes()->ids = ids;
  return ids;
}

}  // namespace cvl
