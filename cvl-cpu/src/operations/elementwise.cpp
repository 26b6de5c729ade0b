#include "operations/operations.h"

#include "base/check.h"
#include "base/streaming.h"
#include "operations/context.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {

void run(Context& context, const Elementwise& elementwise) {
  const void* in[3] = {};
  bool in_place = false;
  for (std::size_t k = 0; k < elementwise.operands.size(); ++k) {
    in[k] = elementwise.operands[k].data;
    in_place |= in[k] == elementwise.result.data;
  }
  ElementwiseKernels::Run* run =
      context.kernels.elementwise.at(elementwise.op, elementwise.operands.back().type, elementwise.result.type);
  VC_CHECK(run != nullptr);
  static_assert(kElementwiseBlock % 64 == 0);
  // Cache lines that are written in place are in the cache already; streaming would evict them.
  const bool stream = !in_place && stream_result(elementwise.result);
  context.faults.begin_operation();
  context.parallel.for_ranges(elementwise.result.length, kElementwiseBlock, [&](std::int64_t begin, std::int64_t end) {
    const ElementFault fault = run(in, elementwise.result.data, begin, end, stream);
    if (fault.kind != FaultKind::kNone) context.faults.report(fault.kind, fault.position, fault.value, fault.bound);
  });
}

}  // namespace cvl::cpu
