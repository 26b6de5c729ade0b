#include "operations/index_places.h"

#include "cvl/dispatch.h"

namespace cvl::mpi {

IndexPlaces::IndexPlaces(OperationContext& context, const SegmentCut& cut, const SegmentDescriptor& to,
                         const Operand& indices, const Operand* flags) {
  const Range elements = cut.elements(), touched = cut.touched();
  const SegmentStarts starts(context.group, to, cut.all_touched());
  const bool* const flag = flags == nullptr ? nullptr : static_cast<const bool*>(flags->data);
  places_.resize(static_cast<std::size_t>(elements.size()));
  with_int(indices.type, [&]<class I>() {
    const auto* const index = static_cast<const I*>(indices.data);
    for (std::int64_t k = touched.begin; k < touched.end; ++k) {
      const std::int64_t start = starts(k), bound = starts.length(k);
      const Range segment = cut.clipped(k, elements);
      for (std::int64_t e = segment.begin; e < segment.end; ++e) {
        const std::int64_t i = index[e];
        const bool is_used = flag == nullptr || flag[e];
        const bool is_good = is_used && 0 <= i && i < bound;
        places_[static_cast<std::size_t>(e - elements.begin)] = is_good ? start + i : kNone;
        if (is_used && !is_good) context.faults.report({FaultKind::kIndexRange, 0, e, i, bound});
      }
    }
  });
}

}  // namespace cvl::mpi
