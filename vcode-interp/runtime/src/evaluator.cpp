#include "runtime/evaluator.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "append.h"
#include "base/address_space.h"
#include "base/check.h"
#include "known_lengths.h"
#include "operation.h"
#include "vcode/decimal.h"
#include "vcode/op_semantics.h"

namespace runtime {

using vcode::OpClass;
using vcode::OpInfo;
using vcode::Suffix;

namespace {

std::int64_t int_limit(ElemType type) {
  return with_int(type, []<class I>() -> std::int64_t { return std::numeric_limits<I>::max(); });
}

template <Op op>
struct OpTag {};

/// Parses each segment of characters as a number; NaN where the text is no number.
template <class I, class F>
void parse_floats(const I* codes, const SegmentDescriptor& descriptor, F* values) {
  std::string text;
  for (std::int64_t k = 0; k < descriptor.segments; ++k) {
    const std::int64_t begin = descriptor.start(k), end = descriptor.start(k + 1);
    text.resize(static_cast<std::size_t>(end - begin));
    // Codes beyond ASCII become '?', which occurs in no number.
    std::transform(codes + begin, codes + end, text.begin(),
                   [](I code) { return code > 0 && code < 128 ? static_cast<char>(code) : '?'; });
    values[k] = std::numeric_limits<F>::quiet_NaN();
    vcode::parse_float(text, values[k]);
  }
}

template <Op op>
bool run_elementwise(Operation& o) {
  constexpr int arity = vcode::row_of(op).signature.operand_count;
  constexpr auto candidates = [] {
    std::array<int, arity> all{};
    for (int k = 0; k < arity; ++k) all[k] = arity - 1 - k;
    return all;
  }();
  std::array<Operand, arity> operands;
  for (int k = 0; k < arity; ++k) operands[k] = o.operand(k);
  Elementwise elementwise{op, operands, o.later()};
  const std::int64_t sum = o.placement.on_host ? -1 : sum_of_result(op, o.base);
  if (!o.run(elementwise, o.reuse(candidates, o.result_type(), o.lengths[1]))) return false;
  note_sum(o.base[0], sum);
  return true;
}

bool run_scan(Operation& o) {
  Scan scan{o.row.monoid, o.operand(0), o.descriptor(1), o.later()};
  return o.run(scan, o.reuse(std::array{0}, o.result_type(), scan.a.length));
}

bool run_reduce(Operation& o) {
  Reduce reduce{o.row.monoid, o.operand(0), o.descriptor(1), o.later()};
  const std::int64_t sum = o.placement.on_host ? -1 : sum_of_result(o.row.op, o.base);
  if (!o.run(reduce, o.fresh(o.result_type(), reduce.descriptor.segments))) return false;
  note_sum(o.base[0], sum);
  return true;
}

bool run_arg_reduce(Operation& o) {
  ArgReduce arg_reduce{o.row.monoid, o.operand(0), o.descriptor(1), o.later()};
  return o.run(arg_reduce, o.fresh(o.result_type(), arg_reduce.descriptor.segments));
}

/// Scatters operand 0 to the targets in operand 1. The template arguments are operand numbers, or -1 for none: the
/// descriptor `from` of elements and targets, and `to` of the result, may be the same operand.
template <int flags, int defaults, int from, int to>
bool run_scatter(Operation& o) {
  Scatter scatter{o.operand(0),
                  o.operand(1),
                  o.optional_operand<flags>(),
                  o.optional_operand<defaults>(),
                  o.descriptor(from),
                  o.descriptor_of_starts(to),
                  o.later()};
  if constexpr (defaults >= 0) {
    return o.run(scatter, o.reuse(std::array{defaults}, o.result_type(), scatter.to.elements));
  } else {
    return o.run(scatter, o.fresh(o.result_type(), scatter.to.elements));
  }
}

template <int flags, int from, int to>
bool run_gather(Operation& o) {
  Gather gather{o.operand(0),     o.operand(1), o.optional_operand<flags>(), o.descriptor_of_starts(from),
                o.descriptor(to), o.later()};
  return o.run(gather, o.reuse(std::array{1}, o.result_type(), gather.to.elements));
}

bool run_accumulate(Operation& o) {
  Accumulate accumulate{o.row.monoid,    o.operand(0),    o.operand(1), o.operand(2),
                        o.descriptor(3), o.descriptor(4), o.later()};
  return o.run(accumulate, o.reuse(std::array{2}, o.result_type(), accumulate.to.elements));
}

bool run(OpTag<Op::kPermute>, Operation& o) { return run_scatter<-1, -1, 2, 2>(o); }
bool run(OpTag<Op::kDpermute>, Operation& o) { return run_scatter<-1, 2, 3, 4>(o); }
bool run(OpTag<Op::kFpermute>, Operation& o) { return run_scatter<2, -1, 3, 4>(o); }
bool run(OpTag<Op::kDfpermute>, Operation& o) { return run_scatter<2, 3, 4, 5>(o); }
bool run(OpTag<Op::kBpermute>, Operation& o) { return run_gather<-1, 2, 3>(o); }
bool run(OpTag<Op::kBfpermute>, Operation& o) { return run_gather<2, 3, 4>(o); }

bool run(OpTag<Op::kLatest>, Operation& o) {
  Latest latest{o.operand(0), o.operand(1), o.descriptor(2), o.descriptor(3), o.later(), o.later()};
  Value room = o.placement.on_host ? Value() : o.fresh(o.result_type(), latest.to.elements);
  latest.room = o.result(room);
  return o.run(latest, o.fresh(o.result_type(), latest.from.elements));
}

bool run(OpTag<Op::kExtract>, Operation& o) {
  Extract extract{o.operand(0), o.operand(1), o.descriptor_of_starts(2), o.later()};
  return o.run(extract, o.reuse(std::array{1}, o.result_type(), extract.descriptor.segments));
}

bool run(OpTag<Op::kReplace>, Operation& o) {
  Replace replace{o.operand(0), o.operand(1), o.operand(2), o.descriptor(3), o.later()};
  return o.run(replace, o.reuse(std::array{0}, o.result_type(), replace.a.length));
}

bool run(OpTag<Op::kDist>, Operation& o) {
  Dist dist{o.operand(0), o.descriptor(1), o.later()};
  Value value = o.fresh(o.result_type(), dist.descriptor.elements);
  note_spread(value, o.base[0], o.base[1]);
  return o.run(dist, std::move(value));
}

bool run(OpTag<Op::kIndex>, Operation& o) {
  Index index{o.operand(0), o.operand(1), o.descriptor(2), o.later()};
  return o.run(index, o.fresh(o.result_type(), index.descriptor.elements));
}

/// Whether a slice is the whole vector.
bool is_whole(const Value& a, const Value& start, const Value& descriptor) {
  return descriptor.tag() == Value::Tag::kSingle && descriptor.elements() == a.length() && start.is_scalar() &&
         (start.type() == ElemType::kI32 ? start.get<std::int32_t>() == 0 : start.get<std::int64_t>() == 0);
}

bool run(OpTag<Op::kSlice>, Operation& o) {
  if (is_whole(o.base[0], o.base[1], o.base[2])) return o.finish(Value(o.base[0]));
  Slice slice{o.operand(0), o.operand(1), o.descriptor(2), o.later()};
  return o.run(slice, o.fresh(o.result_type(), slice.descriptor.elements));
}

bool run(OpTag<Op::kAppend>, Operation& o) { return run_append(o, 2); }
bool run(OpTag<Op::kAppend3>, Operation& o) { return run_append(o, 3); }

bool run_merge(Operation& o, const SegmentDescriptor& of_a, const SegmentDescriptor& of_b,
               const SegmentDescriptor& to) {
  Merge merge{o.operand(0), {{{{o.operand(1), of_a}, {o.operand(2), of_b}}}, to}, o.later()};
  if (!o.fill_result("elements", std::array{o.base[1].length(), o.base[2].length()}, to.elements)) return false;
  if (!o.fill_result("segments", std::array{of_a.segments, of_b.segments}, to.segments)) return false;
  const std::int64_t sum = joined_sum(known_sum(o.base[1]), known_sum(o.base[2]));
  if (!o.run(merge, o.fresh(o.result_type(), to.elements))) return false;
  note_sum(o.base[0], sum);
  return true;
}

bool run(OpTag<Op::kMerge>, Operation& o) {
  const auto each_alone = [&](int k) {
    const std::int64_t n = o.base[k].length();
    return SegmentDescriptor{n, n, 1};
  };
  return run_merge(o, each_alone(1), each_alone(2), each_alone(0));
}

bool run(OpTag<Op::kMergeSegments>, Operation& o) {
  const SegmentDescriptor of_a = o.descriptor_of_starts(3), of_b = o.descriptor_of_starts(4);
  return run_merge(o, of_a, of_b, o.descriptor(5));
}

bool too_long_for_int(Operation& o, std::string_view what, std::int64_t n) {
  return o.fail(fmt::format("{}: {} {} does not fit in an INT of 32 bits; run with --int=64",
                            instruction_name(o.row.op, o.suffix), what, n));
}

bool run_rank(Operation& o, bool descending) {
  Rank rank{descending, o.operand(0), o.descriptor(1), o.later()};
  if (rank.a.length > int_limit(o.result_type())) return too_long_for_int(o, "the length", rank.a.length);
  return o.run(rank, o.fresh(o.result_type(), rank.a.length));
}

bool run(OpTag<Op::kRankUp>, Operation& o) { return run_rank(o, false); }
bool run(OpTag<Op::kRankDown>, Operation& o) { return run_rank(o, true); }

bool run(OpTag<Op::kCountInts>, Operation& o) {
  Count count{o.operand(0), o.operand(1), o.descriptor(2), o.descriptor(3), o.later()};
  if (count.a.length > int_limit(o.result_type())) return too_long_for_int(o, "the length", count.a.length);
  return o.run(count, o.fresh(o.result_type(), count.to.elements));
}

/// Parses on the host, also if the device computed the text.
bool run(OpTag<Op::kParseFloat>, Operation& o) {
  Placement here{o.placement.at};
  const Operand text = here.operand(o.base[0]);
  const SegmentDescriptor descriptor = here.descriptor(o.base[1]);
  o.placement.out_of_memory |= here.out_of_memory;
  o.placement.failed |= here.failed;
  if (!o.ready() || !o.checked()) return false;
  Value value = o.fresh(o.result_type(), descriptor.segments);
  if (!o.ready()) return false;
  const Result to = o.result(value);
  const bool in_place = o.placement.on_host || o.placement.at.unified;
  const auto parse = [&]<class F>() {
    std::vector<F> apart(in_place ? 0 : static_cast<std::size_t>(descriptor.segments));
    F* const values = in_place ? static_cast<F*>(to.data) : apart.data();
    const auto from = [&]<class C>() { parse_floats(static_cast<const C*>(text.data), descriptor, values); };
    text.type == ElemType::kU8 ? from.template operator()<std::uint8_t>() : with_int(text.type, from);
    if (!in_place && descriptor.segments > 0) o.backend().upload(to.data, apart.data(), apart.size() * sizeof(F));
  };
  to.type == ElemType::kF32 ? parse.template operator()<float>() : parse.template operator()<double>();
  return o.checked() && o.finish(std::move(value));
}

bool finish_count(Operation& o, std::string_view what, std::int64_t n) {
  if (n > int_limit(o.result_type())) return too_long_for_int(o, what, n);
  Value value = o.result_type() == ElemType::kI32 ? Value::scalar(static_cast<std::int32_t>(n)) : Value::scalar(n);
  return o.finish(std::move(value));
}

bool run(OpTag<Op::kLength>, Operation& o) { return finish_count(o, "the length", o.base[0].length()); }
bool run(OpTag<Op::kElements>, Operation& o) { return finish_count(o, "the length", o.base[0].elements()); }

/// The starts are kept in the descriptor, as programs compute them again in each iteration of a loop.
bool run(OpTag<Op::kOffsets>, Operation& o) {
  if (o.base[0].tag() == Value::Tag::kSingle) return finish_count(o, "the offset", 0);
  SegdesObject& s = *o.base[0].segdes();
  if (s.starts.tag() == Value::Tag::kNone) {
    Value lengths = o.ev.lengths_of(o.base[0]);
    if (lengths.tag() == Value::Tag::kNone) return false;
    // There may be few segments with many elements.
    o.placement.on_host = s.segments <= o.placement.at.host_limit && !o.waits_for(lengths);
    const Operand a = o.placement.operand(lengths);
    Value starts = o.fresh(o.int_type(), s.segments);
    if (!o.ready()) return false;
    o.issue(Scan{vcode::Monoid::kSum, a, SegmentDescriptor::single(s.segments), o.result(starts)});
    if (!o.checked()) return false;
    s.starts = std::move(starts);
  }
  return o.finish(Value(s.starts));
}

/// Packs by a plan, and makes the descriptor of the kept elements from their number in each segment.
bool run_pack(Operation& o, Pack& pack, bool single, Value&& lengths) {
  Value value = o.fresh(pack.a.type, pack.plan.kept);
  if (!o.ready()) return false;
  pack.result = o.result(value);
  o.issue(pack);
  if (!o.checked()) return false;
  keep_read(o.ev.heap(), o.placement.at.host_limit, lengths);
  Value kept =
      single ? Value::single_segment(pack.plan.kept) : o.heap().make_segdes(std::move(lengths), pack.plan.kept);
  o.placement.out_of_memory = kept.tag() == Value::Tag::kNone;
  if (!o.ready()) return false;
  note_sum(o.base[1], pack.plan.kept);
  if (is_each_known(o.base[0])) note(value, Known::kEach, o.base[0].vector()->number);
  o.base[0] = std::move(value);
  o.base[1] = std::move(kept);
  o.base[2].reset();
  return true;
}

bool run(OpTag<Op::kPack>, Operation& o) {
  const SegmentDescriptor descriptor = o.descriptor(2);
  Value lengths = o.fresh(o.int_type(), descriptor.segments);
  if (o.placement.on_host) {
    PackPlan plan;
    Pack pack{plan, o.operand(0), o.operand(1), o.later()};
    if (!o.ready()) return false;
    plan.kept = o.host().count_flags(pack.flags, descriptor, o.result(lengths));
    return run_pack(o, pack, descriptor.is_single(), std::move(lengths));
  }
  const Operand a = o.operand(0), flags = o.operand(1);
  if (!o.ready()) return false;
  const std::unique_ptr<PackPlan> plan = o.backend().plan_pack(flags, descriptor, o.result(lengths));
  if (!o.checked()) return false;
  Pack pack{*plan, a, flags, o.later()};
  return run_pack(o, pack, descriptor.is_single(), std::move(lengths));
}

bool run(OpTag<Op::kRandom>, Operation& o) {
  Random random{o.operand(0), o.random_key(), o.later()};
  Value value = o.reuse(std::array{0}, o.result_type(), random.bounds.length);
  if (!o.ready()) return false;
  random.result = o.result(value);
  o.issue(random);
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
  constexpr const OpInfo& row = vcode::row_of(op);
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
    else if constexpr (row.op_class == OpClass::kArgReduce)
      return run_arg_reduce(o);
    else if constexpr (row.op_class == OpClass::kAccumulate)
      return run_accumulate(o);
    else
      return run(OpTag<op>{}, o);
  }
}

constexpr auto kApply = []<int... k>(std::integer_sequence<int, k...>) {
  return std::array<bool (*)(Operation&), vcode::kOps>{&apply_op<static_cast<Op>(k)>...};
}
(std::make_integer_sequence<int, vcode::kOps>{});

}  // namespace

Evaluator::Evaluator(Backend& device, vcode::Widths widths, std::int64_t host_limit)
    : at_(device, host_limit), widths_(widths) {}

bool Evaluator::apply(Op op, Suffix suffix, Value* base) {
  op_ = op;
  suffix_ = suffix;
  Operation o{*this, vcode::info(op), suffix, base};
  if (kApply[static_cast<int>(op)](o)) return true;
  // The failure may follow from an unreported fault of an earlier operation; settle() then reports that fault instead.
  (void)settle();
  return false;
}

bool Evaluator::fail(std::string message, Fault fault) {
  failure_ = std::move(message);
  fault_ = fault;
  late_site_.reset();
  return false;
}

bool Evaluator::settle() {
  const Fault fault = at_.heap.device().take_fault();
  settled_ = issued_;
  return fault.kind == FaultKind::kNone || fail_late(fault);
}

bool Evaluator::fail_memory() {
  return fail(memory_failure(instruction_name(op_, suffix_)), {.kind = FaultKind::kOutOfMemory});
}

std::string Evaluator::memory_failure(std::string_view who) const {
  const MemoryUse use = at_.heap.device().memory_use();
  std::string text = fmt::format("{}: out of memory: asked for {}, with {} in use and a limit of {}", who,
                                 bytes_text(at_.heap.last_request()), bytes_text(use.live), bytes_text(use.limit));
  return text + (at_.unified
                     ? fmt::format(" ({})", base::memory_advice())
                     : fmt::format(", on a device from which {} are held (see --memory, or use a --backend that "
                                   "computes in memory of the host)",
                                   bytes_text(use.held)));
}

Value Evaluator::make_segdes(Value lengths) {
  VC_CHECK(lengths.is_vector() && lengths.kind() == Kind::kInt);
  op_ = Op::kMakeSegdes;
  suffix_ = Suffix::kNone;
  Operation o{*this, vcode::info(Op::kMakeSegdes), suffix_, &lengths};
  const std::int64_t m = lengths.length();
  o.placement.on_host = m <= at_.host_limit;
  LengthsSummary summary;
  Value offsets;
  const bool is_known =
      summarize_equal(lengths, summary) || (!o.placement.on_host && !at_.unified && summarize_sum(lengths, summary));
  if (!is_known) {
    if (!o.placement.on_host && !begin_device_operation()) return Value();
    const Operand operand = o.operand(0);
    if (!o.ready()) return Value();
    // The device computes offsets in the same launch. They are dropped if the segments turn out to be regular.
    MakeOffsets make_offsets{operand, {}, {}};
    if (!o.placement.on_host && at_.has_heads(m) && m > 1) {
      if (VectorObject* room = at_.heap.make_device_vector(ElemType::kI64, at_.room_of_offsets(m)); room != nullptr) {
        offsets = Value::adopt(room);
        make_offsets = at_.make_offsets(operand, room->device);
      }
    }
    summary = o.backend().summarize_lengths(make_offsets);
    if (!o.checked()) return Value();
    note_sum(lengths, summary.total);
  }
  if (m == 1) return Value::single_segment(summary.total);
  SegdesObject* s = at_.heap.make_segdes();
  if (s == nullptr) {
    fail_memory();
    return Value();
  }
  Value segdes = Value::adopt(s);
  s->segments = m;
  s->elements = summary.total;
  s->regular_length = summary.regular_length;
  s->has_empty = summary.has_empty;
  // Recomputing the lengths of a long regular descriptor is cheaper than keeping them.
  if (s->regular_length < 0 || o.placement.on_host) s->lengths = std::move(lengths);
  if (s->regular_length >= 0 || offsets.tag() == Value::Tag::kNone) return segdes;
  if (!s->has_empty && m + 1 > Heap::kInlineLimit) at_.heap.shrink(offsets.vector(), m + 1);
  s->offsets = std::move(offsets);
  return segdes;
}

Value Evaluator::lengths_of(const Value& segdes) {
  VC_CHECK(segdes.is_segdes());
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
    o.placement.on_host = s.segments <= at_.host_limit;
    if (!o.placement.on_host && !begin_device_operation()) return Value();
    Value filled = o.fresh(widths_.int_type, s.segments);
    const Operand v = o.placement.operand(length);
    if (!o.ready()) return Value();
    o.issue(Dist{v, SegmentDescriptor::single(s.segments), o.result(filled)});
    if (!o.checked()) return Value();
    note_all(filled, length);
    s.lengths = std::move(filled);
  }
  return s.lengths;
}

}  // namespace runtime
