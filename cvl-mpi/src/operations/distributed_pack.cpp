// PACK: each rank packs its part; the packed elements move to neighbours, to the division of the shorter vector.

#include <algorithm>
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
  const Result counted{lengths.type, touched.size(), counts.data()};
  plan->local = context.inner().plan_pack(elements_of(flags, elements), cut->local(elements, touched), counted);
  context.faults.take_from(context.inner());
  group.before_reading(operand_of(counted));
  group.before_writing(counted);
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
  if (descriptor.is_single()) {
    group.before_writing(lengths);
    with_int(lengths.type, [&]<class I>() { *static_cast<I*>(lengths.data) = static_cast<I>(plan->kept); });
  } else {
    deliver(group, counts.data(), cut->all_finished(), lengths);
  }
  if (context.faults.is_known()) return nullptr;
  if (!group.is_divided(flags.length)) {
    const Scratch length = scratch_for(group, lengths.type, 1);
    pack_whole(SegmentDescriptor::single(flags.length), {lengths.type, 1, length.data()});
    plan->packed.clear();
  }
  return plan;
}

namespace {

/// The most elements that a rank packs for other ranks.
std::int64_t most_for_others(const RankGroup& group, const Ranges& packed, const Result& result) {
  const Ranges parts = group.distribution.parts(result.length);
  std::int64_t most = 0;
  for (std::size_t r = 0; r < parts.size(); ++r)
    most = std::max(most, packed[r].size() - intersection(packed[r], parts[r]).size());
  return most;
}

/// Packs and delivers a part of each rank's elements at a time.
void pack_in_turns(OperationContext& context, const Pack& op, const Ranges& packed) {
  const RankGroup& group = context.group;
  const std::int64_t turns = group.turns_for(longest(group.distribution.parts(op.a.length)), elem_size(op.result.type));
  Ranges delivered;
  for (const Range& of_rank : packed) delivered.push_back({of_rank.begin, of_rank.begin});
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const Range batch = part_of(group.part(op.a.length), turn, turns);
    const Operand flags = elements_of(op.flags, batch);
    const Scratch length = scratch_for(group, ElemType::kI64, 1);
    const auto plan =
        context.inner().plan_pack(flags, SegmentDescriptor::single(batch.size()), {ElemType::kI64, 1, length.data()});
    context.faults.take_from(context.inner());
    const Scratch memory = scratch_for(group, op.result.type, plan->kept);
    context.inner().run(Pack{*plan, elements_of(op.a, batch), flags, {op.result.type, plan->kept, memory.data()}});
    context.faults.take_from(context.inner());
    const std::vector<std::int64_t> kept = group.messenger.gather_to_all(plan->kept);
    for (std::size_t r = 0; r < kept.size(); ++r) delivered[r] = {delivered[r].end, delivered[r].end + kept[r]};
    deliver(group, memory.data(), delivered, op.result);
  }
}

}  // namespace

void compute(OperationContext& context, const Pack& op) {
  const auto& plan = static_cast<const DistributedPackPlan&>(op.plan);
  if (plan.packed.empty()) {
    context.inner().run(Pack{*plan.local, op.a, op.flags, op.result});
    return context.faults.take_from(context.inner());
  }
  VC_CHECK(context.group.is_divided(op.a.length));
  if (context.group.is_divided(op.result.length) &&
      context.group.turns_for(most_for_others(context.group, plan.packed, op.result), elem_size(op.result.type)) > 1)
    return pack_in_turns(context, op, plan.packed);
  const Range part = context.group.part(op.a.length);
  PartialResult result(context.group, op.result, plan.packed);
  context.inner().run(Pack{*plan.local, elements_of(op.a, part), elements_of(op.flags, part), result.part()});
  context.faults.take_from(context.inner());
  result.finish();
}

}  // namespace cvl::mpi
