// Operations that read elements at indices: GATHER, EXTRACT, SLICE. Each rank finds the positions that its part of the
// result reads, and fetches them in bulk, each once.

#include "cvl/dispatch.h"
#include "cvl/integer_at.h"
#include "exchange/element_exchange.h"
#include "operations/index_places.h"

namespace cvl::mpi {

namespace {

/// Fills this rank's part of a result with the elements at its positions; 0 where a position is negative.
void fill(const OperationContext& context, const Operand& source, const std::vector<std::int64_t>& positions,
          bool same_everywhere, const Result& part) {
  const PositionSet set(positions);
  const Scratch fetched = fetch_elements(context.group, source, set, same_everywhere);
  const bool is_divided = context.group.is_divided(source);
  with_size(part.type, [&]<class T>() {
    auto* out = static_cast<T*>(part.data);
    const T* elements = fetched.as<T>();
    if (!is_divided || !set.is_dense()) {
      for (const std::int64_t position : positions) *out++ = position < 0 ? T(0) : elements[set.number(position)];
      return;
    }
    // Many elements are put at their positions for a time, so that none has to be looked for.
    auto* const all = static_cast<T*>(const_cast<void*>(source.data));
    for (const std::int64_t position : set.sorted()) all[position] = *elements++;
    for (const std::int64_t position : positions) *out++ = position < 0 ? T(0) : all[position];
  });
  if (is_divided && set.is_dense()) discard_other_parts(context.group, source);
}

/// Fills a result in working memory or in place; of a replicated result, where `is_whole`, every rank fills all.
void fill(const OperationContext& context, const Operand& source, const std::vector<std::int64_t>& positions,
          bool is_whole, const Ranges& ranges, const Result& result) {
  if (is_whole) return fill(context, source, positions, true, result);
  PartialResult part(context.group, result, ranges);
  fill(context, source, positions, false, part.part());
  part.finish();
}

}  // namespace

void compute(OperationContext& context, const Gather& op) {
  const auto cut = context.cuts.of(op.to);
  const IndexPlaces places(context, *cut, op.from, op.indices, op.flags ? &*op.flags : nullptr);
  fill(context, op.source, places.places(), cut->is_whole(), cut->all_elements(), op.result);
}

void compute(OperationContext& context, const Extract& op) {
  const RankGroup& group = context.group;
  const Ranges ranges = group.distribution.parts(op.result.length);
  const Range mine = group.part(op.result.length);
  const SegmentStarts starts(group, op.descriptor, ranges);
  std::vector<std::int64_t> positions;
  positions.reserve(static_cast<std::size_t>(mine.size()));
  for (std::int64_t k = mine.begin; k < mine.end; ++k) {
    const std::int64_t index = integer_at(op.i, k), bound = starts.length(k);
    const bool is_good = 0 <= index && index < bound;
    positions.push_back(is_good ? starts(k) + index : -1);
    if (!is_good) context.faults.report({FaultKind::kIndexRange, 0, k, index, bound});
  }
  fill(context, op.a, positions, !group.is_divided(op.result.length), ranges, op.result);
}

void compute(OperationContext& context, const Slice& op) {
  const auto cut = context.cuts.of(op.descriptor);
  const Range elements = cut->elements(), touched = cut->touched();
  const Fetched starts = fetch(context.group, op.start, cut->all_touched());
  std::vector<std::int64_t> positions;
  positions.reserve(static_cast<std::size_t>(elements.size()));
  for (std::int64_t k = touched.begin; k < touched.end; ++k) {
    const std::int64_t shift = integer_at(starts.elements, k - touched.begin) - cut->start(k);
    const Range segment = cut->clipped(k, elements);
    for (std::int64_t e = segment.begin; e < segment.end; ++e) {
      const std::int64_t position = e + shift;
      const bool is_good = 0 <= position && position < op.a.length;
      positions.push_back(is_good ? position : -1);
      if (!is_good) context.faults.report({FaultKind::kIndexRange, 0, e, position, op.a.length});
    }
  }
  fill(context, op.a, positions, cut->is_whole(), cut->all_elements(), op.result);
}

}  // namespace cvl::mpi
