#include "operations/operations.h"

#include "operations/context.h"

namespace cvl::cpu {

void random(Context& context, Operand bounds, RandomKey key, Result result) {
  constexpr std::int64_t kBlock = 16384;
  RandomKernels::Draw* draw = result.type == ElemType::kI64 ? context.kernels.random.i64 : context.kernels.random.i32;
  context.faults.begin_operation();
  context.parallel.for_ranges(result.length, kBlock, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t fault = draw(bounds.data, key, begin, end, result.data);
    if (fault >= 0) context.faults.report(FaultKind::kRandomBound, fault, 0);
  });
}

}  // namespace cvl::cpu
