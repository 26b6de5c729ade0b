// Operations that write elements to indices. Elements go in bulk to the ranks that have their places, and arrive in the
// order of the whole vector, so that these ranks see the same writes in the same order as one machine.

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "cvl/dispatch.h"
#include "cvl/integer_at.h"
#include "exchange/element_exchange.h"
#include "operations/index_places.h"

namespace cvl::mpi {

namespace {

/// Sends elements to their places, without messages if every rank has all of them.
Routed send(const RankGroup& group, bool is_everywhere, const Operand& values, const std::vector<std::int64_t>& places,
            const Ranges& targets) {
  return is_everywhere ? keep_own(group, values, places, targets) : route(group, values, places, targets);
}

/// The element of this rank that was number `ordinal` of those that went to rank `target`.
std::int64_t find_sent(const std::vector<std::int64_t>& places, const Ranges& targets, int target,
                       std::int64_t ordinal) {
  const Range of_target = targets[static_cast<std::size_t>(target)];
  for (std::size_t e = 0; e < places.size(); ++e)
    if (of_target.contains({places[e], places[e] + 1}) && ordinal-- == 0) return static_cast<std::int64_t>(e);
  return -1;
}

/// The first element, in the order of all elements, that came to a rank second at its place.
struct DuplicateTarget {
  int from = -1;  ///< rank of the element; -1: none
  std::int64_t ordinal = 0;
};

DuplicateTarget find_duplicate(OperationContext& context, const Routed& routed) {
  const Fault fault = context.inner().take_fault();
  if (fault.kind != FaultKind::kDuplicateTarget) {
    context.faults.report_found(fault);
    return {};
  }
  DuplicateTarget duplicate{0, fault.position};
  while (duplicate.ordinal >= routed.from_rank[static_cast<std::size_t>(duplicate.from)])
    duplicate.ordinal -= routed.from_rank[static_cast<std::size_t>(duplicate.from++)];
  return duplicate;
}

/// Reports a duplicate target by the rank whose element it is.
void report_duplicates(OperationContext& context, const Scatter& op, const SegmentCut& cut,
                       const std::vector<std::int64_t>& places, const Ranges& targets, DuplicateTarget mine) {
  const auto report = [&](int target, std::int64_t ordinal) {
    const std::int64_t e = cut.elements().begin + find_sent(places, targets, target, ordinal);
    context.faults.report({FaultKind::kDuplicateTarget, 0, e, integer_at(op.indices, e), 0});
  };
  if (cut.is_whole()) {
    if (mine.from >= 0) report(context.rank(), mine.ordinal);
    return;
  }
  if (!context.faults.any_found(mine.from >= 0)) return;
  const std::vector<DuplicateTarget> all = context.group.messenger.gather_to_all(mine);
  for (int r = 0; r < context.group.ranks(); ++r)
    if (all[static_cast<std::size_t>(r)].from == context.rank()) report(r, all[static_cast<std::size_t>(r)].ordinal);
}

}  // namespace

void compute(OperationContext& context, const Scatter& op) {
  const RankGroup& group = context.group;
  const auto cut = context.cuts.of(op.from);
  const IndexPlaces indexed(context, *cut, op.to, op.indices, op.flags ? &*op.flags : nullptr);
  const std::vector<std::int64_t>& places = indexed.places();
  const Ranges targets = places_of(group, op.result.length);
  const Operand values = elements_of(op.source, cut->elements());
  const Routed routed = send(group, cut->is_whole(), values, places, targets);
  PartialResult result(group, op.result, targets);
  Scatter local{routed.values,
                routed.places,
                {},
                {},
                SegmentDescriptor::single(routed.size),
                SegmentDescriptor::single(result.mine().size()),
                result.part()};
  if (op.defaults) local.defaults = elements_of(*op.defaults, result.mine());
  context.inner().run(local);
  if (!op.defaults)
    report_duplicates(context, op, *cut, places, targets, find_duplicate(context, routed));
  else
    context.faults.take_from(context.inner());
  result.finish();
}

void compute(OperationContext& context, const Accumulate& op) {
  const RankGroup& group = context.group;
  const auto cut = context.cuts.of(op.from);
  const IndexPlaces indexed(context, *cut, op.to, op.indices, nullptr);
  const Ranges targets = places_of(group, op.result.length);
  const Operand values = elements_of(op.source, cut->elements());
  const Routed routed = send(group, cut->is_whole(), values, indexed.places(), targets);
  PartialResult result(group, op.result, targets);
  context.inner().run(Accumulate{op.monoid, routed.values, routed.places, elements_of(op.defaults, result.mine()),
                                 SegmentDescriptor::single(routed.size),
                                 SegmentDescriptor::single(result.mine().size()), result.part()});
  context.faults.take_from(context.inner());
  result.finish();
}

void compute(OperationContext& context, const Count& op) {
  const RankGroup& group = context.group;
  const auto cut = context.cuts.of(op.from);
  const Range elements = cut->elements(), touched = cut->touched();
  const SegmentStarts starts(group, op.to, cut->all_touched());
  const Fetched firsts = fetch(group, op.start, cut->all_touched());
  std::vector<std::int64_t> places;
  places.reserve(static_cast<std::size_t>(elements.size()));
  with_int(op.a.type, [&]<class I>() {
    const auto* const a = static_cast<const I*>(op.a.data);
    using U = std::make_unsigned_t<I>;
    for (std::int64_t k = touched.begin; k < touched.end; ++k) {
      const auto first = static_cast<U>(integer_at(firsts.elements, k - touched.begin));
      const std::int64_t start = starts(k);
      const auto bound = static_cast<std::uint64_t>(starts.length(k));
      const Range segment = cut->clipped(k, elements);
      for (std::int64_t e = segment.begin; e < segment.end; ++e) {
        const std::uint64_t position = static_cast<U>(static_cast<U>(a[e]) - first);
        places.push_back(position < bound ? start + static_cast<std::int64_t>(position) : IndexPlaces::kNone);
      }
    }
  });
  // The numbers of different places travel, not the elements.
  const PositionSet counted(places);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(counted.size()));
  for (const std::int64_t place : places)
    if (place >= 0) ++counts[static_cast<std::size_t>(counted.number(place))];
  const Ranges targets = places_of(group, op.result.length);
  const Routed routed =
      send(group, cut->is_whole(), {ElemType::kI64, counted.size(), counts.data()}, counted.sorted(), targets);
  PartialResult result(group, op.result, targets);
  with_int(op.result.type, [&]<class I>() {
    auto* const to = static_cast<I*>(result.part().data);
    std::fill_n(to, result.mine().size(), I(0));
    const auto* const count = static_cast<const std::int64_t*>(routed.values.data);
    for (std::int64_t j = 0; j < routed.size; ++j) to[integer_at(routed.places, j)] += static_cast<I>(count[j]);
  });
  result.finish();
}

void compute(OperationContext& context, const Replace& op) {
  const RankGroup& group = context.group;
  const std::int64_t segments = op.descriptor.segments;
  const Ranges ranges = group.distribution.parts(segments);
  const Range mine = group.part(segments);
  const SegmentStarts starts(group, op.descriptor, ranges);
  std::vector<std::int64_t> places;
  places.reserve(static_cast<std::size_t>(mine.size()));
  for (std::int64_t k = mine.begin; k < mine.end; ++k) {
    const std::int64_t index = integer_at(op.i, k), bound = starts.length(k);
    const bool is_good = 0 <= index && index < bound;
    places.push_back(is_good ? starts(k) + index : IndexPlaces::kNone);
    if (!is_good && bound > 0) context.faults.report({FaultKind::kIndexRange, 0, k, index, bound});
  }
  const Ranges targets = places_of(group, op.result.length);
  const Routed routed = send(group, !group.is_divided(segments), elements_of(op.v, mine), places, targets);
  PartialResult result(group, op.result, targets);
  const Operand before = elements_of(op.a, result.mine());
  with_size(op.result.type, [&]<class T>() {
    auto* const to = static_cast<T*>(result.part().data);
    if (to != before.data && before.length > 0) std::memcpy(to, before.data, size_of(before.type, before.length));
    const auto* const value = static_cast<const T*>(routed.values.data);
    for (std::int64_t j = 0; j < routed.size; ++j) to[integer_at(routed.places, j)] = value[j];
  });
  result.finish();
}

}  // namespace cvl::mpi
