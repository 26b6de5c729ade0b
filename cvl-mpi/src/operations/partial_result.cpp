#include "operations/operation_context.h"

namespace cvl::mpi {

PartialResult::PartialResult(const RankGroup& group, const Result& result, Ranges ranges)
    : group_(group), result_(result), ranges_(std::move(ranges)) {
  if (group.is_divided(result.length)) {
    part_ = elements_of(result, mine());
    return;
  }
  memory_ = scratch_for(group, result.type, mine().size());
  part_ = {result.type, mine().size(), memory_.data()};
}

void PartialResult::finish() {
  deliver(group_, part_.data, ranges_, result_);
  if (group_.is_divided(result_.length) && !group_.part(result_.length).contains(mine()))
    discard_other_parts(group_, held_vector(operand_of(result_)));
}

GatheredBytes PartialResult::bytes_to_gather() const {
  GatheredBytes gathered{part_.data, {}, result_.data};
  for (const Range& of_rank : ranges_) gathered.bytes.push_back(size_of(result_.type, of_rank.size()));
  return gathered;
}

Ranges places_of(const RankGroup& group, std::int64_t length) {
  return group.is_divided(length) ? group.distribution.parts(length) : group.distribution.shares(length);
}

}  // namespace cvl::mpi
