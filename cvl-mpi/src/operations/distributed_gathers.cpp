// Operations that read elements at indices: GATHER, EXTRACT, SLICE. Each rank finds the positions that its part of the
// result reads, and fetches them in bulk, each once.

#include "cvl/integer_at.h"
#include "exchange/element_gather.h"
#include "operations/index_places.h"

namespace cvl::mpi {

namespace {

/// Fills a result in working memory or in place; of a replicated result, where `is_whole`, every rank fills all.
void fill(OperationContext& context, const Operand& source, const WritePositions& write_positions, bool is_whole,
          const Ranges& ranges, const Result& result) {
  if (is_whole)
    return gather_same(context.group, {source, {0, result.length}, result.length, write_positions, result.data});
  PartialResult part(context.group, result, ranges);
  context.agree_on(gather_elements(context.group,
                                   {source, part.mine(), longest(ranges), write_positions, part.part().data},
                                   [&] { return !context.faults.has_own(); }));
  part.finish();
}

}  // namespace

void compute(OperationContext& context, const Gather& op) {
  const auto cut = context.cuts.of(op.to);
  const IndexPlaces places(context, *cut, op.from, op.indices, op.flags ? &*op.flags : nullptr);
  const auto write = [&](Range elements, std::int64_t* positions) { places.write(elements, positions); };
  fill(context, op.source, write, cut->is_whole(), cut->all_elements(), op.result);
}

void compute(OperationContext& context, const Extract& op) {
  const RankGroup& group = context.group;
  const Ranges ranges = group.distribution.parts(op.result.length);
  const SegmentStarts starts(group, op.descriptor, ranges);
  group.before_reading(elements_of(op.i, group.part(op.i.length)));
  const auto write = [&](Range segments, std::int64_t* positions) {
    for (std::int64_t k = segments.begin; k < segments.end; ++k) {
      const std::int64_t index = integer_at(op.i, k), bound = starts.length(k);
      const bool is_good = 0 <= index && index < bound;
      *positions++ = is_good ? starts(k) + index : IndexPlaces::kNone;
      if (!is_good) context.faults.report({FaultKind::kIndexRange, 0, k, index, bound});
    }
  };
  fill(context, op.a, write, !group.is_divided(op.result.length), ranges, op.result);
}

void compute(OperationContext& context, const Slice& op) {
  const auto cut = context.cuts.of(op.descriptor);
  const Range touched = cut->touched();
  const Fetched starts = fetch(context.group, op.start, cut->all_touched());
  context.group.before_reading(starts.elements);
  const auto write = [&](Range elements, std::int64_t* positions) {
    const Range segments = cut->segments_of(elements);
    for (std::int64_t k = segments.begin; k < segments.end; ++k) {
      const std::int64_t shift = integer_at(starts.elements, k - touched.begin) - cut->start(k);
      const Range segment = cut->clipped(k, elements);
      for (std::int64_t e = segment.begin; e < segment.end; ++e) {
        const std::int64_t position = e + shift;
        const bool is_good = 0 <= position && position < op.a.length;
        *positions++ = is_good ? position : IndexPlaces::kNone;
        if (!is_good) context.faults.report({FaultKind::kIndexRange, 0, e, position, op.a.length});
      }
    }
  };
  fill(context, op.a, write, cut->is_whole(), cut->all_elements(), op.result);
}

}  // namespace cvl::mpi
