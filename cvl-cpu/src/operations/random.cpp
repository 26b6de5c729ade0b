#include "operations/operations.h"

#include "base/check.h"
#include "operations/context.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {

void random(Context& context, Operand bounds, RandomKey key, Result result) {
  RandomKernels::Draw* draw = result.type == ElemType::kI64 ? context.kernels.random.i64 : context.kernels.random.i32;
  VC_CHECK(result.type == ElemType::kI64 || result.type == ElemType::kI32);
  static_assert(kRandomBlock % 64 == 0);
  context.faults.begin_operation();
  context.parallel.for_ranges(result.length, kRandomBlock, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t fault = draw(bounds.data, key, begin, end, result.data);
    if (fault >= 0) context.faults.report(FaultKind::kRandomBound, fault, 0);
  });
}

}  // namespace cvl::cpu
