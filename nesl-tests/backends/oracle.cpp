#include "oracle.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "cvl/compose.h"
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

class PlainPackPlan : public PackPlan {};

class OracleBackend final : public OracleRanges {
 public:
  using OracleRanges::compute;
  using OracleRanges::OracleRanges;

  std::string description() const override { return "oracle: sequential reference"; }
  bool unified_memory() const override { return true; }

  void set_site(std::uint32_t site) override { site_ = site; }
  bool has_fault() const override { return fault_.kind != FaultKind::kNone; }
  Fault take_fault() override { return std::exchange(fault_, Fault{}); }

  void run(VectorOp op) override {
    op.visit([&](const auto& description) {
      if constexpr (requires(OracleBackend & oracle) { oracle.compute(description); }) {
        check_vectors(description, op.name().data());
        compute(description);
      } else {
        compose(*this, description);
      }
    });
  }

  void compute(const Elementwise& elementwise) {
    for (const Operand& operand : elementwise.operands) {
      check_same_length(operand.length, elementwise.result.length, "elementwise");
      check_overlap(operand, elementwise.result, true, "elementwise");
    }
    if (static_cast<int>(elementwise.operands.size()) != vcode::info(elementwise.op).signature.operand_count)
      misuse(fmt::format("{} with {} operands", vcode::info(elementwise.op).text, elementwise.operands.size()));
    ElementFn element = find_element_fn(elementwise.op, elementwise.operands, elementwise.result.type);
    if (element == nullptr) misuse(fmt::format("{} does not take these types", vcode::info(elementwise.op).text));
    for (std::int64_t e = 0; e < elementwise.result.length; ++e) {
      // Loaded first, as the result may overwrite the operands.
      const auto number = [&](const Operand& operand) {
        return operand.type == ElemType::kI32 || operand.type == ElemType::kI64 ? load_int(operand, e) : 0;
      };
      const std::int64_t value = number(elementwise.operands[elementwise.operands.size() > 1 ? 1 : 0]);
      const std::int64_t bound = elementwise.operands.size() > 1 ? number(elementwise.operands[0]) : 0;
      FaultKind kind = element(elementwise.operands, elementwise.result, e);
      if (kind != FaultKind::kNone) report({kind, site_, e, value, bound});
    }
  }

  void compute(const Random& random) {
    check_same_length(random.bounds.length, random.result.length, "random");
    check_overlap(random.bounds, random.result, true, "random");
    if (random.bounds.type != random.result.type) misuse("random: bounds and result of different types");
    for (std::int64_t e = 0; e < random.result.length; ++e) {
      if (load_int(random.bounds, e) == 0) report({FaultKind::kRandomBound, site_, e, 0, 0});
      if (random.bounds.type == ElemType::kI64)
        store(random.result, e, vcode::random_element(random.key, e, load<std::int64_t>(random.bounds, e)));
      else
        store(random.result, e, vcode::random_element(random.key, e, load<std::int32_t>(random.bounds, e)));
    }
  }

  void compute(const Scan& scan) {
    check_same_length(scan.a.length, scan.descriptor.elements, "scan");
    check_same_length(scan.result.length, scan.descriptor.elements, "scan");
    check_overlap(scan.a, scan.result, true, "scan");
    visit_monoid(scan.monoid, scan.a.type, [&]<class M, class T>() {
      for (std::int64_t k = 0; k < scan.descriptor.segments; ++k)
        scan_segment<M, T>(scan.a, scan.descriptor, k, scan.result);
    });
  }

  void compute(const Reduce& reduce) {
    check_same_length(reduce.a.length, reduce.descriptor.elements, "reduce");
    check_same_length(reduce.result.length, reduce.descriptor.segments, "reduce");
    check_overlap(reduce.a, reduce.result, false, "reduce");
    visit_monoid(reduce.monoid, reduce.a.type, [&]<class M, class T>() {
      for (std::int64_t k = 0; k < reduce.descriptor.segments; ++k)
        store<T>(reduce.result, k, fold_segment<M, T>(reduce.a, reduce.descriptor, k));
    });
  }

  void compute(const ArgReduce& arg_reduce) {
    check_same_length(arg_reduce.a.length, arg_reduce.descriptor.elements, "arg_reduce");
    check_same_length(arg_reduce.result.length, arg_reduce.descriptor.segments, "arg_reduce");
    check_overlap(arg_reduce.a, arg_reduce.result, false, "arg_reduce");
    visit_monoid(arg_reduce.monoid, arg_reduce.a.type, [&]<class M, class T>() {
      for (std::int64_t k = 0; k < arg_reduce.descriptor.segments; ++k) {
        const std::int64_t begin = arg_reduce.descriptor.start(k), end = arg_reduce.descriptor.start(k + 1);
        T best = M::template identity<T>();
        for (std::int64_t e = begin; e < end; ++e) best = M::template combine<T>(load<T>(arg_reduce.a, e), best);
        std::int64_t at = begin;
        while (at < end && load<T>(arg_reduce.a, at) != best) ++at;
        const bool wide = arg_reduce.result.type == ElemType::kI64;
        store_int(arg_reduce.result, k, begin < end ? at - begin : wide ? INT64_MAX : INT32_MAX);
      }
    });
  }

  void compute(const Scatter& scatter) {
    check_moves(scatter, "scatter");
    check_same_length(scatter.result.length, scatter.to.elements, "scatter");
    if (scatter.flags) {
      check_same_length(scatter.flags->length, scatter.from.elements, "scatter");
      check_overlap(*scatter.flags, scatter.result, false, "scatter");
    }
    if (scatter.defaults) check_defaults(*scatter.defaults, scatter.result, "scatter");
    std::vector<char> written(static_cast<std::size_t>(scatter.result.length), 0);
    for (std::int64_t e = 0; e < scatter.result.length; ++e) {
      if (scatter.defaults)
        copy_element(scatter.result, e, *scatter.defaults, e);
      else
        zero_element(scatter.result, e);
    }
    for (std::int64_t k = 0; k < scatter.from.segments; ++k) {
      std::int64_t bound = scatter.to.start(k + 1) - scatter.to.start(k);
      for (std::int64_t e = scatter.from.start(k); e < scatter.from.start(k + 1); ++e) {
        if (scatter.flags && !load<bool>(*scatter.flags, e)) continue;
        std::int64_t index = load_int(scatter.indices, e);
        if (index < 0 || index >= bound) {
          report({FaultKind::kIndexRange, site_, e, index, bound});
          continue;
        }
        std::int64_t target = scatter.to.start(k) + index;
        if (!scatter.defaults && written[target]) report({FaultKind::kDuplicateTarget, site_, e, index, 0});
        written[target] = 1;
        copy_element(scatter.result, target, scatter.source, e);
      }
    }
  }

  void compute(const Gather& gather) {
    check_same_length(gather.source.length, gather.from.elements, "gather");
    check_same_length(gather.indices.length, gather.to.elements, "gather");
    check_same_length(gather.result.length, gather.to.elements, "gather");
    check_same_length(gather.from.segments, gather.to.segments, "gather");
    check_same_type(gather.source.type, gather.result.type, "gather");
    check_overlap(gather.source, gather.result, false, "gather");
    check_overlap(gather.indices, gather.result, true, "gather");
    if (gather.flags) {
      check_same_length(gather.flags->length, gather.to.elements, "gather");
      check_overlap(*gather.flags, gather.result, false, "gather");
    }
    for (std::int64_t k = 0; k < gather.to.segments; ++k) {
      std::int64_t bound = gather.from.start(k + 1) - gather.from.start(k);
      for (std::int64_t e = gather.to.start(k); e < gather.to.start(k + 1); ++e) {
        std::int64_t index = load_int(gather.indices, e);
        if (gather.flags && !load<bool>(*gather.flags, e)) {
          zero_element(gather.result, e);
        } else if (index < 0 || index >= bound) {
          report({FaultKind::kIndexRange, site_, e, index, bound});
          zero_element(gather.result, e);
        } else {
          copy_element(gather.result, e, gather.source, gather.from.start(k) + index);
        }
      }
    }
  }

  void compute(const Accumulate& accumulate) {
    check_moves(accumulate, "accumulate");
    check_same_length(accumulate.result.length, accumulate.to.elements, "accumulate");
    check_defaults(accumulate.defaults, accumulate.result, "accumulate");
    visit_monoid(accumulate.monoid, accumulate.result.type, [&]<class M, class T>() {
      for (std::int64_t p = 0; p < accumulate.result.length; ++p)
        copy_element(accumulate.result, p, accumulate.defaults, p);
      for (std::int64_t k = 0; k < accumulate.from.segments; ++k) {
        const std::int64_t base = accumulate.to.start(k), bound = accumulate.to.start(k + 1) - base;
        for (std::int64_t e = accumulate.from.start(k); e < accumulate.from.start(k + 1); ++e) {
          const std::int64_t index = load_int(accumulate.indices, e);
          if (index < 0 || index >= bound) {
            report({FaultKind::kIndexRange, site_, e, index, bound});
            continue;
          }
          const T old =
              load<T>(Operand{accumulate.result.type, accumulate.result.length, accumulate.result.data}, base + index);
          store<T>(accumulate.result, base + index, vcode::accumulate<M>(load<T>(accumulate.source, e), old));
        }
      }
    });
  }

  void compute(const Latest& latest) {
    check_moves(latest, "latest");
    check_same_length(latest.room.length, latest.to.elements, "latest");
    check_same_length(latest.result.length, latest.from.elements, "latest");
    check_same_type(latest.room.type, latest.result.type, "latest");
    check_overlap(latest.source, latest.room, false, "latest");
    check_overlap(latest.indices, latest.room, false, "latest");
    for (std::int64_t k = 0; k < latest.from.segments; ++k) {
      const std::int64_t begin = latest.from.start(k), end = latest.from.start(k + 1);
      const std::int64_t bound = latest.to.start(k + 1) - latest.to.start(k);
      std::vector<std::int64_t> last(static_cast<std::size_t>(bound));
      const auto in_range = [&](std::int64_t e) {
        return load_int(latest.indices, e) >= 0 && load_int(latest.indices, e) < bound;
      };
      for (std::int64_t e = begin; e < end; ++e) {
        if (in_range(e))
          last[static_cast<std::size_t>(load_int(latest.indices, e))] = e;
        else
          report({FaultKind::kIndexRange, site_, e, load_int(latest.indices, e), bound});
      }
      for (std::int64_t e = begin; e < end; ++e)
        if (in_range(e))
          copy_element(latest.result, e, latest.source, last[static_cast<std::size_t>(load_int(latest.indices, e))]);
    }
  }

  void compute(const Extract& extract) {
    check_same_length(extract.a.length, extract.descriptor.elements, "extract");
    check_same_length(extract.i.length, extract.descriptor.segments, "extract");
    check_same_length(extract.result.length, extract.descriptor.segments, "extract");
    check_same_type(extract.a.type, extract.result.type, "extract");
    check_overlap(extract.a, extract.result, false, "extract");
    check_overlap(extract.i, extract.result, true, "extract");
    for (std::int64_t k = 0; k < extract.descriptor.segments; ++k) {
      std::int64_t bound = extract.descriptor.start(k + 1) - extract.descriptor.start(k);
      std::int64_t index = load_int(extract.i, k);
      if (index < 0 || index >= bound) {
        report({FaultKind::kIndexRange, site_, k, index, bound});
        zero_element(extract.result, k);
      } else {
        copy_element(extract.result, k, extract.a, extract.descriptor.start(k) + index);
      }
    }
  }

  void compute(const Replace& replace) {
    check_same_length(replace.a.length, replace.descriptor.elements, "replace");
    check_same_length(replace.i.length, replace.descriptor.segments, "replace");
    check_same_length(replace.v.length, replace.descriptor.segments, "replace");
    check_same_length(replace.result.length, replace.descriptor.elements, "replace");
    check_same_type(replace.a.type, replace.result.type, "replace");
    check_same_type(replace.v.type, replace.result.type, "replace");
    check_overlap(replace.a, replace.result, true, "replace");
    check_overlap(replace.i, replace.result, false, "replace");
    check_overlap(replace.v, replace.result, false, "replace");
    for (std::int64_t e = 0; e < replace.descriptor.elements; ++e) copy_element(replace.result, e, replace.a, e);
    for (std::int64_t k = 0; k < replace.descriptor.segments; ++k) {
      std::int64_t bound = replace.descriptor.start(k + 1) - replace.descriptor.start(k);
      std::int64_t index = load_int(replace.i, k);
      if (bound == 0) continue;
      if (index < 0 || index >= bound)
        report({FaultKind::kIndexRange, site_, k, index, bound});
      else
        copy_element(replace.result, replace.descriptor.start(k) + index, replace.v, k);
    }
  }

  void compute(const Dist& dist) {
    check_same_length(dist.v.length, dist.descriptor.segments, "dist");
    check_same_length(dist.result.length, dist.descriptor.elements, "dist");
    check_same_type(dist.v.type, dist.result.type, "dist");
    check_overlap(dist.v, dist.result, false, "dist");
    for (std::int64_t k = 0; k < dist.descriptor.segments; ++k)
      for (std::int64_t e = dist.descriptor.start(k); e < dist.descriptor.start(k + 1); ++e)
        copy_element(dist.result, e, dist.v, k);
  }

  void compute(const Index& index) {
    check_same_length(index.start.length, index.descriptor.segments, "index");
    check_same_length(index.stride.length, index.descriptor.segments, "index");
    check_same_length(index.result.length, index.descriptor.elements, "index");
    check_same_type(index.start.type, index.result.type, "index");
    check_same_type(index.stride.type, index.result.type, "index");
    check_overlap(index.start, index.result, false, "index");
    check_overlap(index.stride, index.result, false, "index");
    for (std::int64_t k = 0; k < index.descriptor.segments; ++k) {
      std::int64_t value = load_int(index.start, k);
      for (std::int64_t e = index.descriptor.start(k); e < index.descriptor.start(k + 1); ++e) {
        store_int(index.result, e, value);
        value = vcode::wrap_add(value, load_int(index.stride, k));
      }
    }
  }

  void compute(const Rank& rank) {
    check_same_length(rank.a.length, rank.descriptor.elements, "rank");
    check_same_length(rank.result.length, rank.descriptor.elements, "rank");
    check_overlap(rank.a, rank.result, false, "rank");
    visit_type(rank.a.type, [&]<class T>() {
      auto is_nan = [](T v) { return v != v; };
      auto less = [&](std::int64_t x, std::int64_t y) {
        T u = load<T>(rank.a, x), v = load<T>(rank.a, y);
        if (rank.descending) std::swap(u, v);
        return is_nan(v) ? !is_nan(u) : u < v;
      };
      for (std::int64_t k = 0; k < rank.descriptor.segments; ++k) {
        std::vector<std::int64_t> order(
            static_cast<std::size_t>(rank.descriptor.start(k + 1) - rank.descriptor.start(k)));
        std::iota(order.begin(), order.end(), rank.descriptor.start(k));
        std::stable_sort(order.begin(), order.end(), less);
        for (std::size_t position = 0; position < order.size(); ++position)
          store_int(rank.result, order[position], static_cast<std::int64_t>(position));
      }
    });
  }

  void compute(const Count& count) {
    check_same_length(count.a.length, count.from.elements, "count");
    check_same_length(count.start.length, count.from.segments, "count");
    check_same_length(count.to.segments, count.from.segments, "count");
    check_same_length(count.result.length, count.to.elements, "count");
    check_same_type(count.a.type, count.result.type, "count");
    check_overlap(count.a, count.result, false, "count");
    check_overlap(count.start, count.result, false, "count");
    std::vector<std::int64_t> counts(static_cast<std::size_t>(count.result.length));
    for (std::int64_t k = 0; k < count.from.segments; ++k)
      for (std::int64_t e = count.from.start(k); e < count.from.start(k + 1); ++e) {
        std::uint64_t position = std::uint64_t(load_int(count.a, e)) - std::uint64_t(load_int(count.start, k));
        if (count.a.type == ElemType::kI32) position = std::uint32_t(position);
        if (position < std::uint64_t(count.to.start(k + 1) - count.to.start(k)))
          ++counts[std::uint64_t(count.to.start(k)) + position];
      }
    for (std::int64_t p = 0; p < count.result.length; ++p)
      store_int(count.result, p, counts[static_cast<std::size_t>(p)]);
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

  void compute(const Pack& pack) {
    check_same_length(pack.a.length, pack.flags.length, "pack");
    check_same_length(pack.result.length, pack.plan.kept, "pack");
    check_same_type(pack.a.type, pack.result.type, "pack");
    check_overlap(pack.a, pack.result, false, "pack");
    check_overlap(pack.flags, pack.result, false, "pack");
    std::int64_t kept = 0;
    for (std::int64_t e = 0; e < pack.a.length; ++e) {
      if (!load<bool>(pack.flags, e)) continue;
      if (kept == pack.result.length) misuse("pack with other flags than plan_pack");
      copy_element(pack.result, kept++, pack.a, e);
    }
    if (kept != pack.result.length) misuse("pack with other flags than plan_pack");
  }

  LengthsSummary summarize_lengths(const MakeOffsets& op) override {
    const Operand& lengths = op.lengths;
    check(lengths, "summarize_lengths");
    LengthsSummary summary;
    for (std::int64_t k = 0; k < lengths.length; ++k) {
      std::int64_t length = load_int(lengths, k);
      if (length < 0) report({FaultKind::kNegativeLength, site_, k, length, 0});
      if (__builtin_add_overflow(summary.total, length, &summary.total))
        report({FaultKind::kLengthOverflow, site_, k, length, 0});
      summary.regular_length = k == 0 || length == summary.regular_length ? length : -1;
      summary.has_empty = summary.has_empty || length == 0;
    }
    if (op.result.data != nullptr && !has_fault()) run(op);
    return summary;
  }

  void compute(const MakeOffsets& make_offsets) {
    check_same_length(make_offsets.result.length, make_offsets.lengths.length + 1, "make_offsets");
    check_same_type(make_offsets.result.type, ElemType::kI64, "make_offsets");
    check_overlap(make_offsets.lengths, make_offsets.result, false, "make_offsets");
    const std::int64_t m = make_offsets.lengths.length;
    std::int64_t sum = 0, count = 0;
    const bool has_nonempty = make_offsets.nonempty.data != nullptr;
    if (has_nonempty) {
      check_same_type(make_offsets.nonempty.type, ElemType::kI32, "make_offsets");
      check_same_length(make_offsets.nonempty.length, m + 1, "make_offsets");
      check_overlap(make_offsets.lengths, make_offsets.nonempty, false, "make_offsets");
    }
    for (std::int64_t k = 0; k < m; ++k) {
      const std::int64_t length = load_int(make_offsets.lengths, k);
      store_int(make_offsets.result, k, sum);
      sum = vcode::wrap_add(sum, length);
      if (has_nonempty && length != 0) store_int(make_offsets.nonempty, count++, k);
    }
    store_int(make_offsets.result, m, sum);
    if (has_nonempty) store_int(make_offsets.nonempty, m, count);
  }

  bool wants_segment_heads() const override { return true; }
  void compute(const MakeSegmentHeads& make_segment_heads) {
    if (make_segment_heads.descriptor.is_regular()) misuse("make_segment_heads: regular segments");
    check_same_type(make_segment_heads.result.type, ElemType::kI64, "make_segment_heads");
    check_same_length(make_segment_heads.result.length, head_words(make_segment_heads.descriptor.elements),
                      "make_segment_heads");
    auto* words = static_cast<SegmentHeads*>(make_segment_heads.result.data);
    std::uint32_t count = 0;
    for (std::int64_t k = 0, e = 0; e < make_segment_heads.descriptor.elements; ++e) {
      if (e % 32 == 0) words[e / 32] = {0, count};
      while (make_segment_heads.descriptor.offsets[k + 1] <= e) ++k;
      if (make_segment_heads.descriptor.offsets[k] != e) continue;
      words[e / 32].bits |= std::uint32_t{1} << (e % 32);
      ++count;
    }
  }

 private:
  /// Checks sources and indices of an operation that writes elements to places.
  template <class T>
  static void check_moves(const T& op, const char* name) {
    check_same_length(op.source.length, op.from.elements, name);
    check_same_length(op.indices.length, op.from.elements, name);
    check_same_length(op.from.segments, op.to.segments, name);
    check_same_type(op.source.type, op.result.type, name);
    check_overlap(op.source, op.result, false, name);
    check_overlap(op.indices, op.result, false, name);
  }
  static void check_defaults(const Operand& defaults, const Result& result, const char* name) {
    check_same_length(defaults.length, result.length, name);
    check_same_type(defaults.type, result.type, name);
    check_overlap(defaults, result, true, name);
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
