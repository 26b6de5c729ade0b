// Reductions and scans: local, plus one exchange of carries where segments continue on other ranks.

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "cvl/extreme.h"
#include "cvl/op_dispatch.h"
#include "operations/carries.h"
#include "operations/local_segments.h"
#include "operations/segment_results.h"

namespace cvl::mpi {

namespace {

/// Fetches what the ranks fold beside their parts.
void fetch_folded(const OperationContext& context, const SegmentCut& cut, bool rounds, const Operand& a) {
  if (!rounds || !context.group.is_divided(a.length)) return;
  Ranges wants;
  for (int r = 0; r < context.group.ranks(); ++r) wants.push_back(folded_elements(cut, rounds, r));
  fetch_in_place(context.group, {&a, 1}, wants);
}

/// The extreme of a piece of a segment, in a form that can be sent.
struct SentExtreme {
  std::int64_t value_bits = 0;
  std::int64_t position = -1;  ///< in the whole vector
};

}  // namespace

void compute(OperationContext& context, const Reduce& op) {
  const RankGroup& group = context.group;
  const auto cut = context.cuts.of(op.descriptor);
  const bool rounds = vcode::rounds(op.monoid, op.a.type);
  fetch_folded(context, *cut, rounds, op.a);
  const Range elements = folded_elements(*cut, rounds, context.rank());
  const LocalSegments segments(group, cut, elements, rounds);
  SegmentResults results(group);
  const Result pieces = results.add(op.monoid, op.result, segments);
  if (!elements.empty()) {
    context.inner().run(Reduce{op.monoid, elements_of(op.a, elements), segments.descriptor(), pieces});
    context.faults.take_from(context.inner());
  }
  results.exchange();
  std::vector<Delivery> deliveries;
  results.append_deliveries(deliveries);
  deliver(group, deliveries);
}

void compute(OperationContext& context, const Scan& op) {
  const auto cut = context.cuts.of(op.descriptor);
  const bool rounds = vcode::rounds(op.monoid, op.a.type);
  fetch_folded(context, *cut, rounds, op.a);
  const std::int64_t carried = write_carry(context, *cut, op.monoid, op.a);
  Range elements = folded_elements(*cut, rounds, context.rank());
  if (context.group.is_divided(op.result.length)) {
    // Elements before the rank's part go to memory of the result that has no elements on this rank.
    elements.begin -= carried;
    if (elements.empty()) return;
    context.inner().run(Scan{op.monoid, elements_of(op.a, elements), cut->local(elements, cut->touched()),
                             elements_of(op.result, elements)});
    return context.faults.take_from(context.inner());
  }
  VC_CHECK(carried == 0);
  PartialResult result(context.group, op.result, cut->all_elements());
  context.inner().run(
      Scan{op.monoid, elements_of(op.a, elements), cut->local(elements, cut->touched()), result.part()});
  context.faults.take_from(context.inner());
  result.finish();
}

void compute(OperationContext& context, const ArgReduce& op) {
  const auto cut = context.cuts.of(op.descriptor);
  const Range elements = cut->elements(), touched = cut->touched(), finished = cut->finished();
  const Scratch indices = scratch_for(context.group, op.result.type, touched.size());
  const Result local{op.result.type, touched.size(), indices.data()};
  const SegmentDescriptor& descriptor = cut->local(elements, touched);
  context.inner().run(ArgReduce{op.monoid, elements_of(op.a, elements), descriptor, local});
  context.faults.take_from(context.inner());
  const bool is_single = op.descriptor.is_single() && cut->any_continued();
  if (cut->any_continued()) {
    context.group.before_reading(operand_of(local));
    context.group.before_writing(local);
    if (is_single) context.group.before_writing(op.result);
    with_number(op.a.type, [&]<class T>() {
      const auto* const a = static_cast<const T*>(op.a.data);
      const auto combine = [&]<class M>() {
        with_int(op.result.type, [&]<class I>() {
          /// The extreme of this rank's elements of a touched segment.
          const auto extreme_of = [&](std::int64_t k) {
            const Range piece = cut->clipped(k, elements);
            const std::int64_t index = indices.as<I>()[k - touched.begin];
            Extreme<M, T> extreme;
            if (piece.empty() || index >= piece.size()) return extreme;
            const std::int64_t e = piece.begin + index;
            context.group.before_reading(elements_of(op.a, {e, e + 1}));
            extreme = {a[e], e};
            return extreme;
          };
          SentExtreme sent;
          if (cut->has_tail(context.rank()) || (is_single && !elements.empty())) {
            const Extreme<M, T> last = extreme_of(touched.end - 1);
            std::memcpy(&sent.value_bits, &last.value, sizeof(T));
            sent.position = last.position;
          }
          const std::vector<SentExtreme> all = context.group.messenger.gather_to_all(sent);
          Extreme<M, T> extreme;
          const auto take = [&](int rank) {
            const SentExtreme& of_rank = all[static_cast<std::size_t>(rank)];
            Extreme<M, T> piece;
            std::memcpy(&piece.value, &of_rank.value_bits, sizeof(T));
            piece.position = of_rank.position;
            extreme.take(piece);
          };
          if (is_single) {
            for (int r = 0; r < context.group.ranks(); ++r) take(r);
            *static_cast<I*>(op.result.data) = index_of_extreme<I>(extreme.position, 0, op.descriptor.elements);
            return;
          }
          if (!cut->is_continued(context.rank()) || finished.empty()) return;
          for (int r = 0; r < context.rank(); ++r)
            if (cut->has_tail(r) && cut->first_segment(r + 1) == finished.begin) take(r);
          extreme.take(extreme_of(finished.begin));
          indices.as<I>()[0] =
              index_of_extreme<I>(extreme.position, cut->start(finished.begin), cut->start(finished.begin + 1));
        });
      };
      op.monoid == Monoid::kMax ? combine.template operator()<vcode::monoids::Max>()
                                : combine.template operator()<vcode::monoids::Min>();
    });
  }
  if (!is_single) deliver(context.group, indices.data(), cut->all_finished(), op.result);
}

}  // namespace cvl::mpi
