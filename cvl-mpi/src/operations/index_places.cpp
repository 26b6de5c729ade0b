#include "operations/index_places.h"

#include "cvl/dispatch.h"

namespace cvl::mpi {

IndexPlaces::IndexPlaces(OperationContext& context, const SegmentCut& cut, const SegmentDescriptor& to,
                         const Operand& indices, const Operand* flags)
    : context_(context),
      cut_(cut),
      indices_(indices),
      flags_(flags == nullptr ? nullptr : static_cast<const bool*>(flags->data)),
      starts_(context.group, to, cut.all_touched()) {
  context.group.before_reading(elements_of(indices, cut.elements()));
  if (flags != nullptr) context.group.before_reading(elements_of(*flags, cut.elements()));
}

void IndexPlaces::write(Range elements, std::int64_t* places) const {
  const Range segments = cut_.segments_of(elements);
  with_int(indices_.type, [&]<class I>() {
    const auto* const index = static_cast<const I*>(indices_.data);
    for (std::int64_t k = segments.begin; k < segments.end; ++k) {
      const std::int64_t start = starts_(k);
      const auto bound = static_cast<std::uint64_t>(starts_.length(k));
      const Range segment = cut_.clipped(k, elements);
      for (std::int64_t e = segment.begin; e < segment.end; ++e) {
        const bool is_used = flags_ == nullptr || flags_[e];
        const std::int64_t i = index[e];
        const bool is_good = is_used && static_cast<std::uint64_t>(i) < bound;
        *places++ = is_good ? start + i : kNone;
        if (is_used && !is_good)
          context_.faults.report({FaultKind::kIndexRange, 0, e, i, static_cast<std::int64_t>(bound)});
      }
    }
  });
}

}  // namespace cvl::mpi
