#include "runtime/host_backend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "cvl/bad_length.h"
#include "cvl/compose.h"
#include "cvl/dispatch.h"
#include "cvl/extreme.h"
#include "cvl/fold_order.h"
#include "cvl/integer_at.h"
#include "cvl/op_dispatch.h"
#include "host_elements.h"
#include "runtime/value.h"
#include "vcode/arith.h"
#include "vcode/op_semantics.h"
#include "vcode/philox.h"

namespace runtime {

namespace {

/// Applies an elementwise row to n elements; returns the first position at fault, or n.
using ElementwiseFn = std::int64_t (*)(const Operand* operands, void* result, std::int64_t n, FaultKind& kind);

template <class X, class R, class... Args>
struct ElementwiseLoop {
  static std::int64_t run(const Operand* operands, void* result, std::int64_t n, FaultKind& kind) {
    return run(operands, result, n, kind, std::index_sequence_for<Args...>{});
  }
  template <std::size_t... i>
  static std::int64_t run(const Operand* operands, void* result, std::int64_t n, FaultKind& kind,
                          std::index_sequence<i...>) {
    auto* r = static_cast<R*>(result);
    for (std::int64_t e = 0; e < n; ++e) {
      if constexpr (X::kCanFault) {
        kind = X::template fault<R>(static_cast<const Args*>(operands[i].data)[e]...);
        if (kind != FaultKind::kNone) return e;
      }
      r[e] = X::template eval<R>(static_cast<const Args*>(operands[i].data)[e]...);
    }
    return n;
  }
};

// Functions by operation, type of the last operand and type of the result; null where the operation table has no row.
struct ElementwiseTable {
  std::array<std::array<std::array<ElementwiseFn, vcode::kElemTypes>, vcode::kElemTypes>, vcode::kOps> fn{};

  template <class X>
  constexpr void add() {
    for_each_storage<X>([&]<int arity, ElemType r, ElemType a, ElemType b, ElemType c>() {
      using vcode::Storage;
      auto& slot = fn[static_cast<int>(X::kOp)][static_cast<int>(c)][static_cast<int>(r)];
      if constexpr (arity == 1)
        slot = &ElementwiseLoop<X, Storage<r>, Storage<a>>::run;
      else if constexpr (arity == 2)
        slot = &ElementwiseLoop<X, Storage<r>, Storage<a>, Storage<b>>::run;
      else
        slot = &ElementwiseLoop<X, Storage<r>, Storage<a>, Storage<b>, Storage<c>>::run;
    });
  }
};

constexpr ElementwiseTable kElementwise = [] {
  ElementwiseTable table;
#define VC_ELEMENTWISE(Name, ...) table.add<vcode::ops::Name>();
#include "vcode/ops.def"
  return table;
}();

}  // namespace

void HostBackend::upload(void* device, const void* host, std::size_t bytes) { std::memcpy(device, host, bytes); }
void HostBackend::download(void* host, const void* device, std::size_t bytes) { std::memcpy(host, device, bytes); }

void HostBackend::run(VectorOp op) {
  op.visit([this](const auto& description) {
    if constexpr (requires(HostBackend & host) { host.compute(description); })
      compute(description);
    else
      compose(*this, description);
  });
}

Fault HostBackend::take_fault() { return std::exchange(fault_, Fault{}); }

void HostBackend::fault(FaultKind kind, std::int64_t position, std::int64_t value, std::int64_t bound) {
  if (fault_.kind == FaultKind::kNone) fault_ = {kind, site_, position, value, bound};
}

void HostBackend::compute(const Elementwise& elementwise) {
  const Operand& last = elementwise.operands.back();
  ElementwiseFn fn =
      kElementwise
          .fn[static_cast<int>(elementwise.op)][static_cast<int>(last.type)][static_cast<int>(elementwise.result.type)];
  VC_CHECK(fn != nullptr);
  FaultKind kind = FaultKind::kNone;
  std::int64_t at = fn(elementwise.operands.data(), elementwise.result.data, elementwise.result.length, kind);
  if (at == elementwise.result.length) return;
  if (elementwise.operands.size() == 1)
    fault(kind, at, integer_at(last, at), 0);
  else
    fault(kind, at, integer_at(elementwise.operands[1], at), integer_at(elementwise.operands[0], at));
}

void HostBackend::compute(const Random& random) {
  with_int(random.bounds.type, [&]<class I>() {
    for (std::int64_t e = 0; e < random.bounds.length; ++e) {
      const I bound = in<I>(random.bounds)[e];
      if (bound == 0) fault(FaultKind::kRandomBound, e, 0, 0);
      out<I>(random.result)[e] = vcode::random_element(random.key, static_cast<std::uint64_t>(e), bound);
    }
  });
}

void HostBackend::compute(const Scan& scan) {
  with_monoid(scan.monoid, scan.a.type, [&]<class M, class T>() {
    const T* x = in<T>(scan.a);
    T* r = out<T>(scan.result);
    for (std::int64_t k = 0; k < scan.descriptor.segments; ++k) {
      T sum = M::template identity<T>();
      const std::int64_t begin = scan.descriptor.start(k), end = scan.descriptor.start(k + 1);
      if constexpr (kRounds<M, T>) {
        scan_in_order<M>(x + begin, end - begin, r + begin);
        continue;
      }
      for (std::int64_t e = begin; e < end; ++e) {
        const T element = x[e];
        r[e] = sum;
        sum = M::template combine<T>(element, sum);
      }
      if (begin < end) r[begin] = M::template empty_value<T>();
    }
  });
}

void HostBackend::compute(const Reduce& reduce) {
  with_monoid(reduce.monoid, reduce.a.type, [&]<class M, class T>() {
    const T* x = in<T>(reduce.a);
    for (std::int64_t k = 0; k < reduce.descriptor.segments; ++k) {
      T sum = M::template identity<T>();
      const std::int64_t begin = reduce.descriptor.start(k), end = reduce.descriptor.start(k + 1);
      if constexpr (kRounds<M, T>)
        sum = fold_in_order<M>(x + begin, end - begin);
      else
        for (std::int64_t e = begin; e < end; ++e) sum = M::template combine<T>(x[e], sum);
      out<T>(reduce.result)[k] = begin < end ? sum : M::template empty_value<T>();
    }
  });
}

void HostBackend::compute(const ArgReduce& arg_reduce) {
  with_monoid(arg_reduce.monoid, arg_reduce.a.type, [&]<class M, class T>() {
    if constexpr (M::kSelects)
      with_int(arg_reduce.result.type, [&]<class I>() {
        for (std::int64_t k = 0; k < arg_reduce.descriptor.segments; ++k) {
          const std::int64_t begin = arg_reduce.descriptor.start(k), end = arg_reduce.descriptor.start(k + 1);
          Extreme<M, T> best;
          for (std::int64_t e = begin; e < end; ++e) best.take(in<T>(arg_reduce.a)[e], e);
          out<I>(arg_reduce.result)[k] = index_of_extreme<I>(best.position, begin, end);
        }
      });
  });
}

void HostBackend::compute(const Dist& dist) {
  with_size(dist.v.type, [&]<class T>() {
    for (std::int64_t k = 0; k < dist.descriptor.segments; ++k)
      std::fill(out<T>(dist.result) + dist.descriptor.start(k), out<T>(dist.result) + dist.descriptor.start(k + 1),
                in<T>(dist.v)[k]);
  });
}

void HostBackend::compute(const Index& index) {
  with_int(index.result.type, [&]<class I>() {
    for (std::int64_t k = 0; k < index.descriptor.segments; ++k) {
      I x = in<I>(index.start)[k];
      for (std::int64_t e = index.descriptor.start(k); e < index.descriptor.start(k + 1); ++e) {
        out<I>(index.result)[e] = x;
        x = vcode::wrap_add(x, in<I>(index.stride)[k]);
      }
    }
  });
}

void HostBackend::compute(const Slice& slice) {
  with_size(slice.a.type, [&]<class T>() {
    for (std::int64_t k = 0; k < slice.descriptor.segments; ++k) {
      const std::int64_t begin = slice.descriptor.start(k), n = slice.descriptor.start(k + 1) - begin,
                         from = integer_at(slice.start, k);
      if (n == 0) continue;
      if (from >= 0 && from <= slice.a.length - n) {
        std::copy_n(in<T>(slice.a) + from, n, out<T>(slice.result) + begin);
      } else {
        const std::int64_t good = from < 0 ? 0 : std::max<std::int64_t>(slice.a.length - from, 0);
        fault(FaultKind::kIndexRange, begin + good, from + good, slice.a.length);
      }
    }
  });
}

void HostBackend::compute(const Append& append) {
  const auto& parts = append.join.parts;
  const SegmentDescriptor& to = append.join.to;
  with_size(append.result.type, [&]<class T>() {
    for (std::int64_t k = 0; k < to.segments; ++k) {
      std::int64_t lengths[3], sum = 0;
      for (std::size_t p = 0; p < parts.size(); ++p)
        sum += lengths[p] = parts[p].descriptor.start(k + 1) - parts[p].descriptor.start(k);
      const std::int64_t begin = to.start(k), length = to.start(k + 1) - begin;
      if (sum != length) return fault(FaultKind::kLengthMismatch, k, sum, length);
      T* at = out<T>(append.result) + begin;
      for (std::size_t p = 0; p < parts.size(); ++p)
        at = std::copy_n(in<T>(parts[p].a) + parts[p].descriptor.start(k), lengths[p], at);
    }
  });
}

void HostBackend::compute(const Merge& merge) {
  const std::int64_t chosen = std::count(in<bool>(merge.flags), in<bool>(merge.flags) + merge.flags.length, true);
  const JoinPart &a = merge.join.parts[0], &b = merge.join.parts[1];
  if (chosen != a.descriptor.segments) return fault(FaultKind::kFlagCount, 0, chosen, a.descriptor.segments);
  with_size(merge.result.type, [&]<class T>() {
    std::int64_t next_of_a = 0, next_of_b = 0;
    for (std::int64_t k = 0; k < merge.join.to.segments; ++k) {
      const bool is_a = in<bool>(merge.flags)[k];
      const JoinPart& part = is_a ? a : b;
      std::int64_t& next = is_a ? next_of_a : next_of_b;
      const std::int64_t from = part.descriptor.start(next), n = part.descriptor.start(next + 1) - from;
      const std::int64_t begin = merge.join.to.start(k), length = merge.join.to.start(k + 1) - begin;
      if (n != length) return fault(FaultKind::kLengthMismatch, k, n, length);
      std::copy_n(in<T>(part.a) + from, n, out<T>(merge.result) + begin);
      ++next;
    }
  });
}

void HostBackend::compute(const Rank& rank) {
  with_number(rank.a.type, [&]<class T>() {
    const T* x = in<T>(rank.a);
    // NaN is ordered above all numbers.
    auto less = [](T p, T q) { return q != q ? p == p : p < q; };
    std::array<std::int32_t, kShortLimit> order;
    for (std::int64_t k = 0; k < rank.descriptor.segments; ++k) {
      const std::int64_t begin = rank.descriptor.start(k);
      const std::int64_t n = rank.descriptor.start(k + 1) - begin;
      VC_CHECK(n <= kShortLimit);
      // Insertion sort: stable, and fast at these lengths.
      for (std::int32_t e = 0; e < n; ++e) {
        std::int32_t at = e;
        auto before = [&](std::int32_t other) {
          return rank.descending ? less(x[begin + other], x[begin + e]) : less(x[begin + e], x[begin + other]);
        };
        for (; at > 0 && before(order[at - 1]); --at) order[at] = order[at - 1];
        order[at] = e;
      }
      with_int(rank.result.type, [&]<class I>() {
        for (std::int64_t p = 0; p < n; ++p) out<I>(rank.result)[begin + order[p]] = static_cast<I>(p);
      });
    }
  });
}

void HostBackend::compute(const Count& count) {
  with_int(count.result.type, [&]<class I>() {
    using U = std::make_unsigned_t<I>;
    std::fill_n(out<I>(count.result), count.result.length, I(0));
    for (std::int64_t k = 0; k < count.from.segments; ++k) {
      I* const counts = out<I>(count.result) + count.to.start(k);
      const auto n = static_cast<std::uint64_t>(count.to.start(k + 1) - count.to.start(k));
      for (std::int64_t e = count.from.start(k); e < count.from.start(k + 1); ++e) {
        const U bit = U(in<I>(count.a)[e]) - U(in<I>(count.start)[k]);
        if (bit < n) ++counts[bit];
      }
    }
  });
}

std::int64_t HostBackend::count_flags(const Operand& flags, const SegmentDescriptor& descriptor,
                                      const Result& lengths) {
  VC_CHECK(flags.length <= kShortLimit);
  std::int64_t kept = 0;
  with_int(lengths.type, [&]<class I>() {
    for (std::int64_t k = 0; k < descriptor.segments; ++k) {
      static_assert(kShortLimit <= 255);
      std::uint8_t count = 0;  // as wide as a flag, so that registers of flags are added
      for (std::int64_t e = descriptor.start(k), end = descriptor.start(k + 1); e < end; ++e)
        count += in<std::uint8_t>(flags)[e];
      out<I>(lengths)[k] = static_cast<I>(count);
      kept += count;
    }
  });
  return kept;
}

std::unique_ptr<PackPlan> HostBackend::plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                                 const Result& lengths) {
  auto plan = std::make_unique<PackPlan>();
  plan->kept = count_flags(flags, descriptor, lengths);
  return plan;
}

void HostBackend::compute(const Pack& pack) {
  with_size(pack.a.type, [&]<class T>() {
    const T* x = in<T>(pack.a);
    const bool* keep = in<bool>(pack.flags);
    T* r = out<T>(pack.result);
    // Branch-free: the next element overwrites an element that is not kept.
    for (std::int64_t e = 0, kept = 0; kept < pack.result.length; ++e) {
      r[kept] = x[e];
      kept += keep[e];
    }
  });
}

LengthsSummary HostBackend::summarize_lengths(const MakeOffsets& op) {
  const Operand& lengths = op.lengths;
  LengthsSummary summary;
  std::int64_t shortest = 0, longest = 0;
  bool good = true;
  for (std::int64_t k = 0; k < lengths.length; ++k) {
    const std::int64_t length = integer_at(lengths, k);
    good &= length >= 0 && !__builtin_add_overflow(summary.total, length, &summary.total);
    shortest = k == 0 ? length : std::min(shortest, length);
    longest = std::max(longest, length);
  }
  if (lengths.length > 0 && shortest == longest) summary.regular_length = longest;
  summary.has_empty = lengths.length > 0 && shortest == 0;
  if (!good) {
    const Fault bad = find_bad_length(lengths);
    fault(bad.kind, bad.position, bad.value, 0);
  } else if (op.result.data != nullptr) {
    compute(op);
  }
  return summary;
}

void HostBackend::compute(const MakeOffsets& make_offsets) {
  const std::int64_t m = make_offsets.lengths.length;
  std::int64_t sum = 0;
  std::int32_t count = 0;
  auto* r = out<std::int64_t>(make_offsets.result);
  auto* nonempty = out<std::int32_t>(make_offsets.nonempty);
  for (std::int64_t k = 0; k < m; ++k) {
    const std::int64_t length = integer_at(make_offsets.lengths, k);
    r[k] = sum;
    sum += length;
    if (nonempty != nullptr && length > 0) nonempty[count++] = static_cast<std::int32_t>(k);
  }
  r[m] = sum;
  if (nonempty != nullptr) nonempty[m] = count;
}

}  // namespace runtime
