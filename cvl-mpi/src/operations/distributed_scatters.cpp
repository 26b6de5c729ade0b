// Operations that write elements to indices. Elements go in bulk to the ranks that have their places, and arrive in the
// order of the whole vector, so that these ranks see the same writes in the same order as one machine.

#include <algorithm>
#include <cstring>
#include <deque>

#include "cvl/dispatch.h"
#include "cvl/integer_at.h"
#include "exchange/element_exchange.h"
#include "operations/index_places.h"

namespace cvl::mpi {

namespace {

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

/// A scatter without defaults whose elements for a part of the places arrive one after the other.
class ScatterInTurns {
 public:
  void take(const RankGroup& group, const Arrival& arrival, const Result& part) {
    group.before_writing(part);
    if (arrival.is_first) {
      is_written_.assign(static_cast<std::size_t>(part.length), false);
      seen_.assign(arrival.routed.from_rank.size(), 0);
      duplicate_ = {};
      if (part.length > 0) std::memset(part.data, 0, size_of(part.type, part.length));
    }
    with_size(part.type, [&]<class T>() {
      const auto* const value = static_cast<const T*>(arrival.routed.values.data);
      std::int64_t j = 0;
      for (std::size_t r = 0; r < seen_.size(); ++r)
        for (std::int64_t k = 0; k < arrival.routed.from_rank[r]; ++k, ++j, ++seen_[r]) {
          const std::int64_t place = integer_at(arrival.routed.places, j);
          if (is_written_[static_cast<std::size_t>(place)]) {
            if (duplicate_.from < 0) duplicate_ = {static_cast<int>(r), seen_[r]};
          } else {
            is_written_[static_cast<std::size_t>(place)] = true;
            static_cast<T*>(part.data)[place] = value[j];
          }
        }
    });
  }
  DuplicateTarget duplicate() const { return duplicate_; }

 private:
  std::vector<bool> is_written_;
  std::vector<std::int64_t> seen_;  ///< elements that have come from each rank
  DuplicateTarget duplicate_;
};

/// Reports duplicate targets by the ranks whose elements they are. `mine`: the first one in each part of the places.
void report_duplicates(OperationContext& context, const Scatter& op, const Routing& routing,
                       const std::vector<DuplicateTarget>& mine) {
  const RankGroup& group = context.group;
  const auto report = [&](int target, std::size_t part, std::int64_t ordinal) {
    const Range places = places_of_part(group, routing, target, static_cast<std::int64_t>(part));
    const std::int64_t e = find_routed(routing, places, ordinal);
    group.before_reading(elements_of(op.indices, {e, e + 1}));
    context.faults.report({FaultKind::kDuplicateTarget, 0, e, integer_at(op.indices, e), 0});
  };
  if (routing.is_everywhere) {
    if (mine[0].from >= 0) report(context.rank(), 0, mine[0].ordinal);
    return;
  }
  const bool is_any = std::ranges::any_of(mine, [](const DuplicateTarget& target) { return target.from >= 0; });
  if (!context.faults.any_found(is_any)) return;
  const auto ranks = static_cast<std::size_t>(group.ranks());
  std::vector<DuplicateTarget> all(ranks * mine.size());
  group.messenger.gather_to_all(mine.data(), std::vector<std::size_t>(ranks, mine.size() * sizeof(DuplicateTarget)),
                                all.data());
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].from == context.rank()) report(static_cast<int>(k / mine.size()), k % mine.size(), all[k].ordinal);
}

/// The routing of elements to the places to which indices lead.
Routing routing_of(const RankGroup& group, const SegmentCut& cut, const Operand& source, const IndexPlaces& places,
                   std::int64_t length) {
  return {cut.elements(),
          longest(cut.all_elements()),
          source,
          [&places](Range elements, std::int64_t* to) { places.write(elements, to); },
          places_of(group, length),
          cut.is_whole()};
}

/// The places of an arrival in this rank's part of a result.
Result result_of(const PartialResult& result, const Arrival& arrival) {
  const std::int64_t first = result.mine().begin;
  return elements_of(result.part(), {arrival.places.begin - first, arrival.places.end - first});
}

}  // namespace

namespace {

/// A scatter whose elements arrive in parts.
class ScatterOfRank {
 public:
  ScatterOfRank(OperationContext& context, const Scatter& op)
      : context_(context),
        op_(op),
        cut_(context.cuts.of(op.from)),
        indexed_(context, *cut_, op.to, op.indices, op.flags ? &*op.flags : nullptr),
        routing_(routing_of(context.group, *cut_, op.source, indexed_, op.result.length)),
        result_(context.group, op.result, routing_.targets),
        duplicates_(static_cast<std::size_t>(parts_of(context.group, routing_))) {}
  ScatterOfRank(const ScatterOfRank&) = delete;

  const Routing& routing() const { return routing_; }
  void take(const Arrival& arrival);
  /// Reports elements whose place another one has, by the ranks whose elements they are. Collective.
  void report_duplicates_by_rank() const {
    if (!op_.defaults) report_duplicates(context_, op_, routing_, duplicates_);
  }
  bool has_duplicate() const {
    return std::ranges::any_of(duplicates_, [](const DuplicateTarget& target) { return target.from >= 0; });
  }
  PartialResult& result() { return result_; }

 private:
  OperationContext& context_;
  const Scatter op_;
  const std::shared_ptr<SegmentCut> cut_;
  const IndexPlaces indexed_;
  const Routing routing_;
  PartialResult result_;
  std::vector<DuplicateTarget> duplicates_;  ///< in each part of the places
  ScatterInTurns in_turns_;
};

void ScatterOfRank::take(const Arrival& arrival) {
  const Routed& routed = arrival.routed;
  const Result part = result_of(result_, arrival);
  DuplicateTarget& duplicate = duplicates_[static_cast<std::size_t>(arrival.part)];
  if (!op_.defaults && !(arrival.is_first && arrival.is_last)) {
    in_turns_.take(context_.group, arrival, part);
    duplicate = in_turns_.duplicate();
    return;
  }
  Scatter local{routed.values,
                routed.places,
                {},
                {},
                SegmentDescriptor::single(routed.size),
                SegmentDescriptor::single(part.length),
                part};
  if (op_.defaults) local.defaults = arrival.is_first ? elements_of(*op_.defaults, arrival.places) : operand_of(part);
  context_.inner().run(local);
  if (op_.defaults)
    context_.faults.take_from(context_.inner());
  else
    duplicate = find_duplicate(context_, routed);
}

}  // namespace

void compute(OperationContext& context, const Scatter& op) {
  ScatterOfRank scatter(context, op);
  const auto is_good = [&] { return !context.faults.has_own(); };
  const auto take = [&](const Arrival& arrival) { scatter.take(arrival); };
  // Flags are no part of a route.
  KeptRoutes* const routes = op.flags ? nullptr : context.routes;
  const auto all_good = route(context.group, scatter.routing(), is_good, take, routes, {op.indices, op.from, op.to});
  // Without defaults, ranks agree on duplicate targets.
  if (op.defaults) context.agree_on(all_good);
  scatter.report_duplicates_by_rank();
  scatter.result().finish();
}

Scattered compute_scatters(OperationContext& context, std::span<const Scatter> scatters) {
  std::deque<ScatterOfRank> all;
  std::vector<Routing> routings;
  context.faults.begin_operation(true);
  for (const Scatter& op : scatters) routings.push_back(all.emplace_back(context, op).routing());
  route(context.group, routings, [&](std::size_t k, const Arrival& arrival) { all[k].take(arrival); });
  Scattered scattered{!context.faults.drop_own(), {}};
  for (ScatterOfRank& scatter : all) {
    scattered.is_good = scattered.is_good && !scatter.has_duplicate();
    if (scatter.result().is_replicated())
      scattered.replicated.push_back(std::move(scatter.result()));
    else
      scatter.result().finish();
  }
  return scattered;
}

void compute(OperationContext& context, const Accumulate& op) {
  const auto cut = context.cuts.of(op.from);
  const IndexPlaces indexed(context, *cut, op.to, op.indices, nullptr);
  const Routing routing = routing_of(context.group, *cut, op.source, indexed, op.result.length);
  PartialResult result(context.group, op.result, routing.targets);
  const auto is_good = [&] { return !context.faults.has_own(); };
  const auto take = [&](const Arrival& arrival) {
    const Routed& routed = arrival.routed;
    const Result part = result_of(result, arrival);
    context.inner().run(Accumulate{op.monoid, routed.values, routed.places,
                                   arrival.is_first ? elements_of(op.defaults, arrival.places) : operand_of(part),
                                   SegmentDescriptor::single(routed.size), SegmentDescriptor::single(part.length),
                                   part});
    context.faults.take_from(context.inner());
  };
  context.agree_on(route(context.group, routing, is_good, take, context.routes, {op.indices, op.from, op.to}));
  result.finish();
}

void compute(OperationContext& context, const Replace& op) {
  const RankGroup& group = context.group;
  const std::int64_t segments = op.descriptor.segments;
  const Ranges ranges = group.distribution.parts(segments);
  const SegmentStarts starts(group, op.descriptor, ranges);
  group.before_reading(elements_of(op.i, group.part(segments)));
  const Routing routing{group.part(segments),
                        longest(ranges),
                        op.v,
                        [&](Range range, std::int64_t* places) {
                          for (std::int64_t k = range.begin; k < range.end; ++k) {
                            const std::int64_t index = integer_at(op.i, k), bound = starts.length(k);
                            const bool is_good = 0 <= index && index < bound;
                            *places++ = is_good ? starts(k) + index : IndexPlaces::kNone;
                            if (!is_good && bound > 0)
                              context.faults.report({FaultKind::kIndexRange, 0, k, index, bound});
                          }
                        },
                        places_of(group, op.result.length),
                        !group.is_divided(segments)};
  PartialResult result(group, op.result, routing.targets);
  const auto all_good = [&] { return !context.faults.has_own(); };
  context.agree_on(route(group, routing, all_good, [&](const Arrival& arrival) {
    const Routed& routed = arrival.routed;
    const Result part = result_of(result, arrival);
    context.inner().run(Scatter{routed.values,
                                routed.places,
                                {},
                                arrival.is_first ? elements_of(op.a, arrival.places) : operand_of(part),
                                SegmentDescriptor::single(routed.size),
                                SegmentDescriptor::single(part.length),
                                part});
    context.faults.take_from(context.inner());
  }));
  result.finish();
}

}  // namespace cvl::mpi
