// Operations that each rank computes for its own elements, without messages.

#include <algorithm>

#include "cvl/dispatch.h"
#include "operations/operation_context.h"
#include "vcode/philox.h"

namespace cvl::mpi {

void compute(OperationContext& context, const Elementwise& op) {
  const Range part = context.group.part(op.result.length);
  Operand operands[Elementwise::kMostOperands];
  for (std::size_t k = 0; k < op.operands.size(); ++k) operands[k] = elements_of(op.operands[k], part);
  context.inner().run(Elementwise{op.op, {operands, op.operands.size()}, elements_of(op.result, part)});
  context.faults.take_from(context.inner(), part.begin);
}

void compute(OperationContext& context, const Random& op) {
  // An operation of the wrapped backend would draw the numbers of the first elements of a vector on every rank.
  const Range part = context.group.part(op.result.length);
  context.group.before_reading(elements_of(op.bounds, part));
  context.group.before_writing(elements_of(op.result, part));
  with_int(op.result.type, [&]<class I>() {
    const auto* const bounds = static_cast<const I*>(op.bounds.data);
    auto* const result = static_cast<I*>(op.result.data);
    constexpr auto kShared = static_cast<std::int64_t>(vcode::kElementsOfCounter<I>);
    for (std::int64_t e = part.begin; e < part.end;) {
      const std::int64_t counter = e / kShared, end = std::min(part.end, (counter + 1) * kShared);
      const auto words = vcode::philox4x32(op.key, static_cast<std::uint64_t>(counter));
      for (; e < end; ++e) {
        const I bound = bounds[e];
        if (bound == 0) context.faults.report({FaultKind::kRandomBound, 0, e, 0, 0});
        result[e] = vcode::random_element(words, static_cast<std::uint64_t>(e), bound);
      }
    }
  });
}

}  // namespace cvl::mpi
