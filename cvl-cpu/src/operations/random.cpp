#include "operations/operations.h"

#include "base/check.h"
#include "operations/context.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {

void run(Context& context, const Random& random) {
  RandomKernels::Draw* draw =
      random.result.type == ElemType::kI64 ? context.kernels.random.i64 : context.kernels.random.i32;
  VC_CHECK(random.result.type == ElemType::kI64 || random.result.type == ElemType::kI32);
  static_assert(kRandomBlock % 64 == 0);
  context.faults.begin_operation();
  context.parallel.for_ranges(random.result.length, kRandomBlock, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t fault = draw(random.bounds.data, random.key, begin, end, random.result.data);
    if (fault >= 0) context.faults.report(FaultKind::kRandomBound, fault, 0);
  });
}

}  // namespace cvl::cpu
