// DIST and INDEX: values of segments, spread over their elements. Each rank fetches the values of the segments that it
// touches.

#include <cstring>

#include "cvl/dispatch.h"
#include "operations/operation_context.h"
#include "vcode/arith.h"

namespace cvl::mpi {

void compute(OperationContext& context, const Dist& op) {
  const auto cut = context.cuts.of(op.descriptor);
  const Fetched values = fetch(context.group, op.v, cut->all_touched());
  PartialResult result(context.group, op.result, cut->all_elements());
  context.inner().run(Dist{values.elements, cut->local(cut->elements(), cut->touched()), result.part()});
  context.faults.take_from(context.inner());
  result.finish();
}

void compute(OperationContext& context, const Index& op) {
  const auto cut = context.cuts.of(op.descriptor);
  Fetched starts = fetch(context.group, op.start, cut->all_touched());
  const Fetched strides = fetch(context.group, op.stride, cut->all_touched());
  if (cut->is_continued(context.rank()) && !cut->elements().empty()) {
    // The first segment begins where earlier ranks end.
    Scratch copy = scratch_for(context.group, op.start.type, starts.elements.length);
    context.group.before_reading(starts.elements);
    context.group.before_reading(elements_of(strides.elements, {0, 1}));
    std::memcpy(copy.data(), starts.elements.data, size_of(op.start.type, starts.elements.length));
    const std::int64_t before = cut->elements().begin - cut->start_of_first(context.rank());
    with_int(op.start.type, [&]<class I>() {
      I& first = copy.as<I>()[0];
      first = vcode::wrap_add(first,
                              vcode::wrap_mul(static_cast<I>(before), static_cast<const I*>(strides.elements.data)[0]));
    });
    starts.elements.data = copy.data();
    std::swap(starts.memory, copy);
  }
  PartialResult result(context.group, op.result, cut->all_elements());
  context.inner().run(
      Index{starts.elements, strides.elements, cut->local(cut->elements(), cut->touched()), result.part()});
  context.faults.take_from(context.inner());
  result.finish();
}

}  // namespace cvl::mpi
