#include "oracle.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "oracle_elements.h"
#include "oracle_folds.h"
#include "oracle_ranges.h"
#include "vcode/arith.h"
#include "vcode/op_semantics.h"
#include "vcode/philox.h"
#include "visit_type.h"

namespace cvl::conformance {

namespace {

using vcode::Suffix;

template <class X, class R, class... A>
FaultKind evaluate(std::span<const Operand> operands, const Result& result, std::int64_t e) {
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    // The fault is computed first, because the result may be one of the operands.
    FaultKind fault = X::template fault<R>(load<A>(operands[k], e)...);
    store<R>(result, e, X::template eval<R>(load<A>(operands[k], e)...));
    return fault;
  }
  (std::index_sequence_for<A...>{});
}

template <class X>
ElementFn find_in_row(std::span<const Operand> operands, ElemType result) {
  ElementFn found = nullptr;
  static constexpr vcode::Signature kSignature = vcode::row_of(X::kOp).signature;
  vcode::for_each_suffix<vcode::row_of(X::kOp).suffix_set>([&]<Suffix s>() {
    vcode::for_each_widths([&]<ElemType int_type, ElemType float_type>() {
      [&]<std::size_t... k>(std::index_sequence<k...>) {
        constexpr vcode::Widths kWidths{int_type, float_type};
        constexpr ElemType kResult = vcode::role_type(kSignature.results[0], s, kWidths);
        if (((operands[k].type == vcode::role_type(kSignature.operands[k], s, kWidths)) && ...) && result == kResult)
          found = &evaluate<X, vcode::Storage<kResult>,
                            vcode::Storage<vcode::role_type(kSignature.operands[k], s, kWidths)>...>;
      }
      (std::make_index_sequence<kSignature.operand_count>{});
    });
  });
  return found;
}

/// Calls f.template operator()<M, T>() for a monoid and a type that it takes.
template <class F>
void visit_monoid(Monoid monoid, ElemType type, F&& f) {
  bool done = false;
#define VC_SCAN(Name, text, set, M, doc)                                                   \
  if (monoid == Monoid::k##M && !done) {                                                   \
    vcode::for_each_suffix<vcode::suffixes::set>([&]<Suffix s>() {                         \
      vcode::for_each_widths([&]<ElemType int_type, ElemType float_type>() {               \
        constexpr ElemType kType = vcode::Widths{int_type, float_type}.of(suffix_kind(s)); \
        if (done || kType != type) return;                                                 \
        f.template operator()<vcode::monoids::M, vcode::Storage<kType>>();                 \
        done = true;                                                                       \
      });                                                                                  \
    });                                                                                    \
  }
#include "vcode/ops.def"
  if (!done) misuse("no such monoid for this element type");
}

class PlainPackPlan : public PackPlan {};

class OracleBackend final : public OracleRanges {
 public:
  using OracleRanges::OracleRanges;

  std::string description() const override { return "oracle: sequential reference"; }
  bool unified_memory() const override { return true; }

  void set_site(std::uint32_t site) override { site_ = site; }
  bool has_fault() const override { return fault_.kind != FaultKind::kNone; }
  Fault take_fault() override { return std::exchange(fault_, Fault{}); }

  void elementwise(Op op, std::span<const Operand> operands, const Result& result) override {
    check_result(result, "elementwise");
    for (const Operand& operand : operands) {
      check(operand, "elementwise");
      check_same_length(operand.length, result.length, "elementwise");
      check_overlap(operand, result, true, "elementwise");
    }
    if (static_cast<int>(operands.size()) != vcode::info(op).signature.operand_count)
      misuse(fmt::format("{} with {} operands", vcode::info(op).text, operands.size()));
    ElementFn element = find_element_fn(op, operands, result.type);
    if (element == nullptr) misuse(fmt::format("{} does not take these types", vcode::info(op).text));
    for (std::int64_t e = 0; e < result.length; ++e) {
      // Loaded first, as the result may overwrite the operands.
      const auto number = [&](const Operand& operand) {
        return operand.type == ElemType::kI32 || operand.type == ElemType::kI64 ? load_int(operand, e) : 0;
      };
      const std::int64_t value = number(operands[operands.size() > 1 ? 1 : 0]);
      const std::int64_t bound = operands.size() > 1 ? number(operands[0]) : 0;
      FaultKind kind = element(operands, result, e);
      if (kind != FaultKind::kNone) report({kind, site_, e, value, bound});
    }
  }

  void random(const Operand& bounds, RandomKey key, const Result& result) override {
    check(bounds, "random");
    check_result(result, "random");
    check_same_length(bounds.length, result.length, "random");
    check_overlap(bounds, result, true, "random");
    if (bounds.type != result.type) misuse("random: bounds and result of different types");
    for (std::int64_t e = 0; e < result.length; ++e) {
      if (load_int(bounds, e) == 0) report({FaultKind::kRandomBound, site_, e, 0, 0});
      if (bounds.type == ElemType::kI64)
        store(result, e, vcode::random_element(key, e, load<std::int64_t>(bounds, e)));
      else
        store(result, e, vcode::random_element(key, e, load<std::int32_t>(bounds, e)));
    }
  }

  void scan(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override {
    check(a, "scan");
    check_result(result, "scan");
    check_map(descriptor, "scan");
    check_same_length(a.length, descriptor.elements, "scan");
    check_same_length(result.length, descriptor.elements, "scan");
    check_overlap(a, result, true, "scan");
    visit_monoid(monoid, a.type, [&]<class M, class T>() {
      for (std::int64_t k = 0; k < descriptor.segments; ++k) scan_segment<M, T>(a, descriptor, k, result);
    });
  }

  void reduce(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override {
    check(a, "reduce");
    check_result(result, "reduce");
    check_map(descriptor, "reduce");
    check_same_length(a.length, descriptor.elements, "reduce");
    check_same_length(result.length, descriptor.segments, "reduce");
    check_overlap(a, result, false, "reduce");
    visit_monoid(monoid, a.type, [&]<class M, class T>() {
      for (std::int64_t k = 0; k < descriptor.segments; ++k) store<T>(result, k, fold_segment<M, T>(a, descriptor, k));
    });
  }

  void arg_reduce(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override {
    check(a, "arg_reduce");
    check_result(result, "arg_reduce");
    check_map(descriptor, "arg_reduce");
    check_same_length(a.length, descriptor.elements, "arg_reduce");
    check_same_length(result.length, descriptor.segments, "arg_reduce");
    check_overlap(a, result, false, "arg_reduce");
    visit_monoid(monoid, a.type, [&]<class M, class T>() {
      for (std::int64_t k = 0; k < descriptor.segments; ++k) {
        const std::int64_t begin = descriptor.start(k), end = descriptor.start(k + 1);
        T best = M::template identity<T>();
        for (std::int64_t e = begin; e < end; ++e) best = M::template combine<T>(load<T>(a, e), best);
        std::int64_t at = begin;
        while (at < end && load<T>(a, at) != best) ++at;
        const bool wide = result.type == ElemType::kI64;
        store_int(result, k, begin < end ? at - begin : wide ? INT64_MAX : INT32_MAX);
      }
    });
  }

  void scatter(const Scatter& scatter, const Result& result) override {
    check(scatter.source, "scatter");
    check(scatter.indices, "scatter");
    check_result(result, "scatter");
    check_map(scatter.from, "scatter");
    check_map(scatter.to, "scatter");
    check_same_length(scatter.source.length, scatter.from.elements, "scatter");
    check_same_length(scatter.indices.length, scatter.from.elements, "scatter");
    check_same_length(result.length, scatter.to.elements, "scatter");
    check_same_length(scatter.from.segments, scatter.to.segments, "scatter");
    check_same_type(scatter.source.type, result.type, "scatter");
    check_overlap(scatter.source, result, false, "scatter");
    check_overlap(scatter.indices, result, false, "scatter");
    if (scatter.flags != nullptr) {
      check(*scatter.flags, "scatter");
      check_same_length(scatter.flags->length, scatter.from.elements, "scatter");
      check_overlap(*scatter.flags, result, false, "scatter");
    }
    if (scatter.defaults != nullptr) {
      check(*scatter.defaults, "scatter");
      check_same_length(scatter.defaults->length, result.length, "scatter");
      check_same_type(scatter.defaults->type, result.type, "scatter");
      check_overlap(*scatter.defaults, result, true, "scatter");
    }
    std::vector<char> written(static_cast<std::size_t>(result.length), 0);
    for (std::int64_t e = 0; e < result.length; ++e) {
      if (scatter.defaults != nullptr)
        copy_element(result, e, *scatter.defaults, e);
      else
        zero_element(result, e);
    }
    for (std::int64_t k = 0; k < scatter.from.segments; ++k) {
      std::int64_t bound = scatter.to.start(k + 1) - scatter.to.start(k);
      for (std::int64_t e = scatter.from.start(k); e < scatter.from.start(k + 1); ++e) {
        if (scatter.flags != nullptr && !load<bool>(*scatter.flags, e)) continue;
        std::int64_t index = load_int(scatter.indices, e);
        if (index < 0 || index >= bound) {
          report({FaultKind::kIndexRange, site_, e, index, bound});
          continue;
        }
        std::int64_t target = scatter.to.start(k) + index;
        if (scatter.defaults == nullptr && written[target]) report({FaultKind::kDuplicateTarget, site_, e, index, 0});
        written[target] = 1;
        copy_element(result, target, scatter.source, e);
      }
    }
  }

  void gather(const Gather& gather, const Result& result) override {
    check(gather.source, "gather");
    check(gather.indices, "gather");
    check_result(result, "gather");
    check_map(gather.from, "gather");
    check_map(gather.to, "gather");
    check_same_length(gather.source.length, gather.from.elements, "gather");
    check_same_length(gather.indices.length, gather.to.elements, "gather");
    check_same_length(result.length, gather.to.elements, "gather");
    check_same_length(gather.from.segments, gather.to.segments, "gather");
    check_same_type(gather.source.type, result.type, "gather");
    check_overlap(gather.source, result, false, "gather");
    check_overlap(gather.indices, result, true, "gather");
    if (gather.flags != nullptr) {
      check(*gather.flags, "gather");
      check_same_length(gather.flags->length, gather.to.elements, "gather");
      check_overlap(*gather.flags, result, false, "gather");
    }
    for (std::int64_t k = 0; k < gather.to.segments; ++k) {
      std::int64_t bound = gather.from.start(k + 1) - gather.from.start(k);
      for (std::int64_t e = gather.to.start(k); e < gather.to.start(k + 1); ++e) {
        std::int64_t index = load_int(gather.indices, e);
        if (gather.flags != nullptr && !load<bool>(*gather.flags, e)) {
          zero_element(result, e);
        } else if (index < 0 || index >= bound) {
          report({FaultKind::kIndexRange, site_, e, index, bound});
          zero_element(result, e);
        } else {
          copy_element(result, e, gather.source, gather.from.start(k) + index);
        }
      }
    }
  }

  void extract(const Operand& a, const Operand& i, const SegmentDescriptor& descriptor, const Result& result) override {
    check(a, "extract");
    check(i, "extract");
    check_result(result, "extract");
    check_map(descriptor, "extract");
    check_same_length(a.length, descriptor.elements, "extract");
    check_same_length(i.length, descriptor.segments, "extract");
    check_same_length(result.length, descriptor.segments, "extract");
    check_same_type(a.type, result.type, "extract");
    check_overlap(a, result, false, "extract");
    check_overlap(i, result, true, "extract");
    for (std::int64_t k = 0; k < descriptor.segments; ++k) {
      std::int64_t bound = descriptor.start(k + 1) - descriptor.start(k);
      std::int64_t index = load_int(i, k);
      if (index < 0 || index >= bound) {
        report({FaultKind::kIndexRange, site_, k, index, bound});
        zero_element(result, k);
      } else {
        copy_element(result, k, a, descriptor.start(k) + index);
      }
    }
  }

  void replace(const Operand& a, const Operand& i, const Operand& v, const SegmentDescriptor& descriptor,
               const Result& result) override {
    check(a, "replace");
    check(i, "replace");
    check(v, "replace");
    check_result(result, "replace");
    check_map(descriptor, "replace");
    check_same_length(a.length, descriptor.elements, "replace");
    check_same_length(i.length, descriptor.segments, "replace");
    check_same_length(v.length, descriptor.segments, "replace");
    check_same_length(result.length, descriptor.elements, "replace");
    check_same_type(a.type, result.type, "replace");
    check_same_type(v.type, result.type, "replace");
    check_overlap(a, result, true, "replace");
    check_overlap(i, result, false, "replace");
    check_overlap(v, result, false, "replace");
    for (std::int64_t e = 0; e < descriptor.elements; ++e) copy_element(result, e, a, e);
    for (std::int64_t k = 0; k < descriptor.segments; ++k) {
      std::int64_t bound = descriptor.start(k + 1) - descriptor.start(k);
      std::int64_t index = load_int(i, k);
      if (bound == 0) continue;
      if (index < 0 || index >= bound)
        report({FaultKind::kIndexRange, site_, k, index, bound});
      else
        copy_element(result, descriptor.start(k) + index, v, k);
    }
  }

  void dist(const Operand& v, const SegmentDescriptor& descriptor, const Result& result) override {
    check(v, "dist");
    check_result(result, "dist");
    check_map(descriptor, "dist");
    check_same_length(v.length, descriptor.segments, "dist");
    check_same_length(result.length, descriptor.elements, "dist");
    check_same_type(v.type, result.type, "dist");
    check_overlap(v, result, false, "dist");
    for (std::int64_t k = 0; k < descriptor.segments; ++k)
      for (std::int64_t e = descriptor.start(k); e < descriptor.start(k + 1); ++e) copy_element(result, e, v, k);
  }

  void index(const Operand& start, const Operand& stride, const SegmentDescriptor& descriptor,
             const Result& result) override {
    check(start, "index");
    check(stride, "index");
    check_result(result, "index");
    check_map(descriptor, "index");
    check_same_length(start.length, descriptor.segments, "index");
    check_same_length(stride.length, descriptor.segments, "index");
    check_same_length(result.length, descriptor.elements, "index");
    check_same_type(start.type, result.type, "index");
    check_same_type(stride.type, result.type, "index");
    check_overlap(start, result, false, "index");
    check_overlap(stride, result, false, "index");
    for (std::int64_t k = 0; k < descriptor.segments; ++k) {
      std::int64_t value = load_int(start, k);
      for (std::int64_t e = descriptor.start(k); e < descriptor.start(k + 1); ++e) {
        store_int(result, e, value);
        value = vcode::wrap_add(value, load_int(stride, k));
      }
    }
  }

  void rank(bool descending, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) override {
    check(a, "rank");
    check_result(result, "rank");
    check_map(descriptor, "rank");
    check_same_length(a.length, descriptor.elements, "rank");
    check_same_length(result.length, descriptor.elements, "rank");
    check_overlap(a, result, false, "rank");
    visit_type(a.type, [&]<class T>() {
      auto is_nan = [](T v) { return v != v; };
      auto less = [&](std::int64_t x, std::int64_t y) {
        T u = load<T>(a, x), v = load<T>(a, y);
        if (descending) std::swap(u, v);
        return is_nan(v) ? !is_nan(u) : u < v;
      };
      for (std::int64_t k = 0; k < descriptor.segments; ++k) {
        std::vector<std::int64_t> order(static_cast<std::size_t>(descriptor.start(k + 1) - descriptor.start(k)));
        std::iota(order.begin(), order.end(), descriptor.start(k));
        std::stable_sort(order.begin(), order.end(), less);
        for (std::size_t position = 0; position < order.size(); ++position)
          store_int(result, order[position], static_cast<std::int64_t>(position));
      }
    });
  }

  void count(const Operand& a, const Operand& start, const SegmentDescriptor& from, const SegmentDescriptor& to,
             const Result& result) override {
    check(a, "count");
    check(start, "count");
    check_result(result, "count");
    check_map(from, "count");
    check_map(to, "count");
    check_same_length(a.length, from.elements, "count");
    check_same_length(start.length, from.segments, "count");
    check_same_length(to.segments, from.segments, "count");
    check_same_length(result.length, to.elements, "count");
    check_same_type(a.type, result.type, "count");
    check_overlap(a, result, false, "count");
    check_overlap(start, result, false, "count");
    std::vector<std::int64_t> counts(static_cast<std::size_t>(result.length));
    for (std::int64_t k = 0; k < from.segments; ++k)
      for (std::int64_t e = from.start(k); e < from.start(k + 1); ++e) {
        std::uint64_t position = std::uint64_t(load_int(a, e)) - std::uint64_t(load_int(start, k));
        if (a.type == ElemType::kI32) position = std::uint32_t(position);
        if (position < std::uint64_t(to.start(k + 1) - to.start(k))) ++counts[std::uint64_t(to.start(k)) + position];
      }
    for (std::int64_t p = 0; p < result.length; ++p) store_int(result, p, counts[static_cast<std::size_t>(p)]);
  }

  std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                      const Result& lengths) override {
    check(flags, "plan_pack");
    check_result(lengths, "plan_pack");
    check_map(descriptor, "plan_pack");
    check_same_length(flags.length, descriptor.elements, "plan_pack");
    check_same_length(lengths.length, descriptor.segments, "plan_pack");
    check_overlap(flags, lengths, false, "plan_pack");
    auto plan = std::make_unique<PlainPackPlan>();
    for (std::int64_t k = 0; k < descriptor.segments; ++k) {
      std::int64_t kept = 0;
      for (std::int64_t e = descriptor.start(k); e < descriptor.start(k + 1); ++e) kept += load<bool>(flags, e);
      store_int(lengths, k, kept);
      plan->kept += kept;
    }
    return plan;
  }

  void pack(const PackPlan& plan, const Operand& a, const Operand& flags, const Result& result) override {
    check(a, "pack");
    check(flags, "pack");
    check_result(result, "pack");
    check_same_length(a.length, flags.length, "pack");
    check_same_length(result.length, plan.kept, "pack");
    check_same_type(a.type, result.type, "pack");
    check_overlap(a, result, false, "pack");
    check_overlap(flags, result, false, "pack");
    std::int64_t kept = 0;
    for (std::int64_t e = 0; e < a.length; ++e) {
      if (!load<bool>(flags, e)) continue;
      if (kept == result.length) misuse("pack with other flags than plan_pack");
      copy_element(result, kept++, a, e);
    }
    if (kept != result.length) misuse("pack with other flags than plan_pack");
  }

  LengthsSummary summarize_lengths(const Operand& lengths) override {
    check(lengths, "summarize_lengths");
    LengthsSummary summary;
    for (std::int64_t k = 0; k < lengths.length; ++k) {
      std::int64_t length = load_int(lengths, k);
      if (length < 0) report({FaultKind::kNegativeLength, site_, k, length, 0});
      if (__builtin_add_overflow(summary.total, length, &summary.total))
        report({FaultKind::kLengthOverflow, site_, k, length, 0});
      summary.shortest = k == 0 ? length : std::min(summary.shortest, length);
      summary.longest = k == 0 ? length : std::max(summary.longest, length);
    }
    return summary;
  }

  void make_offsets(const Operand& lengths, const Result& result) override {
    check(lengths, "make_offsets");
    check_result(result, "make_offsets");
    check_same_length(result.length, lengths.length + 1, "make_offsets");
    check_same_type(result.type, ElemType::kI64, "make_offsets");
    check_overlap(lengths, result, false, "make_offsets");
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < lengths.length; ++k) {
      store_int(result, k, sum);
      sum = vcode::wrap_add(sum, load_int(lengths, k));
    }
    store_int(result, lengths.length, sum);
  }

  bool wants_segment_heads() const override { return true; }
  void make_segment_heads(const SegmentDescriptor& descriptor, const Result& heads, const Result& nonempty) override {
    check_result(heads, "make_segment_heads");
    check_map(descriptor, "make_segment_heads");
    if (descriptor.is_regular()) misuse("make_segment_heads: regular segments");
    check_same_type(heads.type, ElemType::kI64, "make_segment_heads");
    check_same_length(heads.length, head_words(descriptor.elements), "make_segment_heads");
    if (nonempty.data != nullptr) {
      check_result(nonempty, "make_segment_heads");
      check_same_type(nonempty.type, ElemType::kI32, "make_segment_heads");
      check_same_length(nonempty.length, descriptor.segments, "make_segment_heads");
    }
    auto* words = static_cast<SegmentHeads*>(heads.data);
    std::uint32_t count = 0;
    for (std::int64_t k = 0, e = 0; e < descriptor.elements; ++e) {
      if (e % 32 == 0) words[e / 32] = {0, count};
      while (descriptor.offsets[k + 1] <= e) ++k;
      if (descriptor.offsets[k] != e) continue;
      words[e / 32].bits |= std::uint32_t{1} << (e % 32);
      if (nonempty.data != nullptr) store_int(nonempty, count, k);
      ++count;
    }
  }
};

}  // namespace

ElementFn find_element_fn(Op op, std::span<const Operand> operands, ElemType result) {
  switch (op) {
#define VC_ELEMENTWISE(Name, ...) \
  case Op::k##Name:               \
    return find_in_row<vcode::ops::Name>(operands, result);
#include "vcode/ops.def"
    default:
      return nullptr;
  }
}

std::unique_ptr<Backend> make_oracle(const BackendOptions& options, Addresses addresses) {
  return std::make_unique<OracleBackend>(options, addresses);
}

}  // namespace cvl::conformance
