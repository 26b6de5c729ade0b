#include "operations/operations.h"

#include "base/check.h"
#include "base/streaming.h"
#include "operations/context.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {

void elementwise(Context& context, Op op, std::span<const Operand> operands, Result result) {
  const void* in[3] = {};
  bool in_place = false;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    in[k] = operands[k].data;
    in_place |= in[k] == result.data;
  }
  ElementwiseKernels::Run* run = context.kernels.elementwise.at(op, operands.back().type, result.type);
  VC_CHECK(run != nullptr);
  static_assert(kElementwiseBlock % 64 == 0);
  // Cache lines that are written in place are in the cache already; streaming would evict them.
  const bool stream = !in_place && stream_result(result);
  context.faults.begin_operation();
  context.parallel.for_ranges(result.length, kElementwiseBlock, [&](std::int64_t begin, std::int64_t end) {
    const ElementFault fault = run(in, result.data, begin, end, stream);
    if (fault.kind != FaultKind::kNone) context.faults.report(fault.kind, fault.position, fault.value, fault.bound);
  });
}

}  // namespace cvl::cpu
