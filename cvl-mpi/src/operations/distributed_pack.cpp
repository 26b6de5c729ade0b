// PACK: each rank packs its part; the packed elements move to neighbours, to the division of the shorter vector.

#include <vector>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "operations/operation_context.h"

namespace cvl::mpi {

namespace {

class DistributedPackPlan final : public PackPlan {
 public:
  std::unique_ptr<PackPlan> local;  ///< of this rank's part of the flags
  Ranges packed;                    ///< the packed elements of each rank
};

/// The kept elements of a rank.
struct KeptCounts {
  std::int64_t all = 0;
  std::int64_t of_tail = 0;  ///< of the segment that continues on later ranks
};

}  // namespace

std::unique_ptr<PackPlan> plan_pack(OperationContext& context, const Operand& flags,
                                    const SegmentDescriptor& descriptor, const Result& lengths) {
  const RankGroup& group = context.group;
  const auto cut = context.cuts.of(descriptor);
  const Range touched = cut->touched(), elements = cut->elements();
  auto plan = std::make_unique<DistributedPackPlan>();
  // Vectors that are on every rank are packed by every rank.
  const auto pack_whole = [&](const SegmentDescriptor& segments, const Result& counts) {
    plan->local = context.inner().plan_pack(flags, segments, counts);
    context.faults.take_from(context.inner());
    plan->kept = plan->local->kept;
  };
  if (cut->is_whole()) {
    pack_whole(descriptor, lengths);
    return context.faults.is_known() ? nullptr : std::move(plan);
  }
  const Scratch counts = scratch_for(group, lengths.type, touched.size());
  plan->local = context.inner().plan_pack(elements_of(flags, elements), cut->local(elements, touched),
                                          {lengths.type, touched.size(), counts.data()});
  context.faults.take_from(context.inner());
  KeptCounts kept;
  kept.all = plan->local->kept;
  with_int(lengths.type, [&]<class I>() {
    if (cut->has_tail(context.rank())) kept.of_tail = counts.as<I>()[touched.size() - 1];
  });
  const std::vector<KeptCounts> all = group.messenger.gather_to_all(kept);
  std::int64_t carried = 0;
  for (int r = 0; r < group.ranks(); ++r) {
    const std::int64_t count = all[static_cast<std::size_t>(r)].all;
    plan->packed.push_back({plan->kept, plan->kept + count});
    plan->kept += count;
    if (r < context.rank() && cut->has_tail(r) && cut->first_segment(r + 1) == cut->first_segment(context.rank()))
      carried += all[static_cast<std::size_t>(r)].of_tail;
  }
  with_int(lengths.type, [&]<class I>() {
    if (!cut->finished().empty()) counts.as<I>()[0] = static_cast<I>(counts.as<I>()[0] + static_cast<I>(carried));
  });
  deliver(group, counts.data(), cut->all_finished(), lengths);
  if (context.faults.is_known()) return nullptr;
  if (!group.is_divided(flags.length)) {
    const Scratch length = scratch_for(group, lengths.type, 1);
    pack_whole(SegmentDescriptor::single(flags.length), {lengths.type, 1, length.data()});
    plan->packed.clear();
  }
  return plan;
}

void compute(OperationContext& context, const Pack& op) {
  const auto& plan = static_cast<const DistributedPackPlan&>(op.plan);
  if (plan.packed.empty()) {
    context.inner().run(Pack{*plan.local, op.a, op.flags, op.result});
    return context.faults.take_from(context.inner());
  }
  VC_CHECK(context.group.is_divided(op.a.length));
  const Range part = context.group.part(op.a.length);
  PartialResult result(context.group, op.result, plan.packed);
  context.inner().run(Pack{*plan.local, elements_of(op.a, part), elements_of(op.flags, part), result.part()});
  context.faults.take_from(context.inner());
  result.finish();
}

}  // namespace cvl::mpi
