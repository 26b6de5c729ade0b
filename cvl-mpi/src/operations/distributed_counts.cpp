// COUNT_INTS. Each rank counts its part; the counts are added up if they are few, else the numbers of different places
// travel, not the elements.

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "cvl/dispatch.h"
#include "cvl/integer_at.h"
#include "exchange/element_exchange.h"
#include "exchange/position_set.h"
#include "operations/index_places.h"

namespace cvl::mpi {

namespace {

/// How often each place occurs among some places, without the negative ones.
struct PlaceCounts {
  /// The places are less than `end`.
  PlaceCounts(std::span<const std::int64_t> of, std::int64_t end) {
    const PositionSet set(of, end);
    if (set.size() == 0) return;
    const Range all{0, end}, hull = set.hull(all);
    const auto number = [&](std::int64_t place) {
      return static_cast<std::size_t>(set.is_dense() ? place - hull.begin : set.count_below(place));
    };
    std::vector<std::int64_t> table(static_cast<std::size_t>(set.is_dense() ? hull.size() : set.size()));
    for (const std::int64_t place : of)
      if (place >= 0) ++table[number(place)];
    set.for_each(all, [&](std::int64_t place) {
      places.push_back(place);
      counts.push_back(table[number(place)]);
    });
  }

  std::vector<std::int64_t> places, counts;
};

/// Most bytes for an element of the working memory of a turn: its place, its bit or its entry in a sorted list, and its
/// count and place before and after they are sent.
constexpr std::size_t kCountBytes = 8 + 16 + 4 * 8 + 2 * 16;

/// Counts of ints, by the numbers of places that ranks exchange.
void count_by_places(OperationContext& context, const Count& op, SegmentCut& cut) {
  const RankGroup& group = context.group;
  const SegmentStarts starts(group, op.to, cut.all_touched());
  const Fetched firsts = fetch(group, op.start, cut.all_touched());
  group.before_reading(firsts.elements);
  group.before_reading(elements_of(op.a, cut.elements()));
  /// Writes the places of some elements.
  const auto write_places = [&](Range elements, std::int64_t* places) {
    const Range segments = cut.segments_of(elements);
    with_int(op.a.type, [&]<class I>() {
      const auto* const a = static_cast<const I*>(op.a.data);
      using U = std::make_unsigned_t<I>;
      for (std::int64_t k = segments.begin; k < segments.end; ++k) {
        const auto first = static_cast<U>(integer_at(firsts.elements, k - cut.touched().begin));
        const std::int64_t start = starts(k);
        const auto bound = static_cast<std::uint64_t>(starts.length(k));
        const Range segment = cut.clipped(k, elements);
        for (std::int64_t e = segment.begin; e < segment.end; ++e) {
          const std::uint64_t position = static_cast<U>(static_cast<U>(a[e]) - first);
          *places++ = position < bound ? start + static_cast<std::int64_t>(position) : IndexPlaces::kNone;
        }
      }
    });
  };
  const Ranges targets = places_of(group, op.result.length);
  PartialResult result(group, op.result, targets);
  group.before_writing(result.part());
  if (result.part().length > 0) std::memset(result.part().data, 0, size_of(op.result.type, result.part().length));
  const std::int64_t most = longest(cut.all_elements()), turns = group.turns_for(most, kCountBytes);
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const Range batch = part_of(cut.elements(), turn, turns);
    const Scratch memory = scratch_for(group, ElemType::kI64, batch.size());
    write_places(batch, memory.as<std::int64_t>());
    // The numbers of different places travel, not the elements.
    const PlaceCounts counted({memory.as<std::int64_t>(), static_cast<std::size_t>(batch.size())}, op.result.length);
    const std::int64_t places = std::ssize(counted.places);
    const Routing routing{
        {0, places},
        most / turns + 1,
        {ElemType::kI64, places, counted.counts.data()},
        [&](Range range, std::int64_t* to) { std::copy_n(counted.places.begin() + range.begin, range.size(), to); },
        targets,
        cut.is_whole()};
    const auto take = [&](const Arrival& arrival) {
      const std::int64_t first = arrival.places.begin - result.mine().begin;
      with_int(op.result.type, [&]<class I>() {
        auto* const to = static_cast<I*>(result.part().data) + first;
        const auto* const count = static_cast<const std::int64_t*>(arrival.routed.values.data);
        for (std::int64_t j = 0; j < arrival.routed.size; ++j)
          to[integer_at(arrival.routed.places, j)] += static_cast<I>(count[j]);
      });
    };
    (void)route(
        group, routing, [] { return true; }, take);
  }
  result.finish();
}

/// Counts of ints that are on every rank in the end: each rank counts its part of the elements for all segments that it
/// touches, and all counts are added up. One round of messages, and one for starts of segments on other ranks.
void add_counts(OperationContext& context, const Count& op, SegmentCut& cut) {
  const RankGroup& group = context.group;
  const Range touched = cut.touched();
  const Fetched starts = fetch(group, op.start, cut.all_touched());
  if (!op.to.is_regular()) group.before_reading(offsets_of(op.to));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(op.result.length));
  if (!cut.elements().empty()) {
    const Range places{op.to.start(touched.begin), op.to.start(touched.end)};
    SegmentDescriptor to{touched.size(), places.size(), op.to.regular_length};
    Scratch offsets;
    if (!op.to.is_regular()) {
      offsets = scratch_for(group, ElemType::kI64, touched.size() + 1);
      for (std::int64_t k = touched.begin; k <= touched.end; ++k)
        offsets.as<std::int64_t>()[k - touched.begin] = op.to.start(k) - places.begin;
      to.offsets = offsets.as<std::int64_t>();
    }
    const Scratch memory = scratch_for(group, op.result.type, places.size());
    const Result mine{op.result.type, places.size(), memory.data()};
    context.inner().run(
        Count{elements_of(op.a, cut.elements()), starts.elements, cut.local(cut.elements(), touched), to, mine});
    context.faults.take_from(context.inner());
    group.before_reading(operand_of(mine));
    for (std::int64_t k = 0; k < places.size(); ++k)
      counts[static_cast<std::size_t>(places.begin + k)] = integer_at(operand_of(mine), k);
  }
  group.messenger.reduce(counts, Reduction::kSum);
  group.before_writing(op.result);
  with_int(op.result.type, [&]<class I>() {
    auto* const to = static_cast<I*>(op.result.data);
    std::ranges::transform(counts, to, [](std::int64_t count) { return static_cast<I>(count); });
  });
}

}  // namespace

void compute(OperationContext& context, const Count& op) {
  const auto cut = context.cuts.of(op.from);
  const bool is_small = !context.group.is_divided(op.to) && !context.group.is_divided(op.result);
  if (is_small && !cut->is_whole())
    add_counts(context, op, *cut);
  else
    count_by_places(context, op, *cut);
}

}  // namespace cvl::mpi
