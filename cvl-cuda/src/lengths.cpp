#include <limits>
#include <vector>

#include "cvl/dispatch.h"
#include "cvl/host_backend.h"
#include "monoid.h"
#include "operations.h"
#include "segments.h"
#include "tiled.h"

namespace cvl::cuda {
namespace {

/// Facts about some lengths. The sum is kept in two halves, neither of which overflows.
struct Facts {
  std::uint64_t low = 0, high = 0;  ///< sums of the lower and of the upper 32 bits
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  std::int64_t longest = std::numeric_limits<std::int64_t>::min();
};

struct CombineFacts {
  VC_HD Facts operator()(const Facts& a, const Facts& b) const {
    return {a.low + b.low, a.high + b.high, vcode::min_of(a.shortest, b.shortest), vcode::max_of(a.longest, b.longest)};
  }
};

template <class I>
struct LoadFacts {
  const I* lengths;
  VC_HD Facts operator()(std::int64_t k) const {
    const std::int64_t length = lengths[k];
    const auto bits = static_cast<std::uint64_t>(length);
    return {bits & 0xFFFFFFFF, bits >> 32, length, length};
  }
};

template <class I>
Facts facts_of(Executor& executor, Operand lengths) {
  Scratch<Facts> result(executor.pool(), 1);
  fold(executor, lengths.length, Facts{}, CombineFacts{}, LoadFacts<I>{static_cast<const I*>(lengths.data)},
       StoreTo<Facts>{result.data()});
  Facts facts;
  executor.download(&facts, result.data(), sizeof facts);
  return facts;
}

/// Finds the first length at fault, on the host.
void report_bad_length(const Context& context, Operand lengths) {
  std::vector<std::byte> copy(static_cast<std::size_t>(lengths.length) * elem_size(lengths.type));
  context.executor.download(copy.data(), lengths.data, copy.size());
  HostBackend host;
  (void)host.summarize_lengths({lengths.type, lengths.length, copy.data()});
  const Fault fault = host.take_fault();
  const Faults faults = context.faults;
  context.executor.for_each(
      1, [=] CVL_DEVICE(std::int64_t) { faults.report(fault.kind, fault.position, fault.value, fault.bound); });
  context.executor.wait();
}

template <class I>
struct LoadLength {
  const I* lengths;
  std::int64_t segments;
  VC_HD std::int64_t operator()(std::int64_t k) const { return k < segments ? std::int64_t(lengths[k]) : 0; }
};

template <class I>
struct StoreLarger {
  I* to;
  VC_HD void operator()(std::int64_t e, I before) const {
    if (to[e] < before) to[e] = before;
  }
};

template <class I>
void ids_as(const Context& context, const SegmentMap& map, Result result) {
  Executor& executor = context.executor;
  I* const ids = static_cast<I*>(result.data);
  const Segments segments(map);
  if (segments.regular_length >= 0 || segments.ids != nullptr) {
    executor.for_each(result.length, [=] CVL_DEVICE(std::int64_t e) { ids[e] = static_cast<I>(segments.of(e)); });
    return;
  }
  // Each segment puts its number where it begins; what follows takes the largest so far.
  executor.fill_zero(ids, static_cast<std::size_t>(result.length) * sizeof(I));
  executor.for_each(segments.segments, [=] CVL_DEVICE(std::int64_t k) {
    if (segments.length(k) > 0) ids[segments.start(k)] = static_cast<I>(k);
  });
  scan_exact(executor, result.length, I(0), CombineBy<vcode::monoids::Max, I>{}, LoadFrom<I>{ids}, StoreLarger<I>{ids});
}

}  // namespace

LengthsSummary summarize_lengths(const Context& context, Operand lengths) {
  if (lengths.length == 0) return {};
  const Facts facts = with_int(lengths.type, [&]<class I>() { return facts_of<I>(context.executor, lengths); });
  // The upper halves of negative lengths would spoil the sum; a sum that overflows has halves that do.
  const std::uint64_t high = facts.high + (facts.low >> 32);
  if (facts.shortest < 0 || high >> 31 != 0) {
    report_bad_length(context, lengths);
    return {};
  }
  return {static_cast<std::int64_t>(high << 32 | (facts.low & 0xFFFFFFFF)), facts.shortest, facts.longest};
}

void make_offsets(const Context& context, Operand lengths, Result result) {
  with_int(lengths.type, [&]<class I>() {
    scan_exact(context.executor, result.length, std::int64_t{0}, CombineBy<vcode::monoids::Sum, std::int64_t>{},
               LoadLength<I>{static_cast<const I*>(lengths.data), lengths.length},
               StoreTo<std::int64_t>{static_cast<std::int64_t*>(result.data)});
  });
}

void make_segment_ids(const Context& context, const SegmentMap& map, Result result) {
  with_int(result.type, [&]<class I>() { ids_as<I>(context, map, result); });
}

}  // namespace cvl::cuda
