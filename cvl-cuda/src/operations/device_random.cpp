#include "cvl/dispatch.h"
#include "operations/device_operations.h"
#include "vcode/philox.h"

namespace cvl::cuda {
namespace {

template <class I>
void random_as(const Context& context, Operand bounds, RandomKey key, Result result) {
  const I* const bound = static_cast<const I*>(bounds.data);
  const Faults faults = context.faults;
  I* const to = static_cast<I*>(result.data);
  context.executor.template map<I>(
      result.length,
      [=] CVL_DEVICE(std::int64_t e) { return vcode::random_element(key, static_cast<std::uint64_t>(e), bound[e]); },
      [=] CVL_DEVICE(std::int64_t e, I x) {
        // In place over the bound, bound[e] is still intact here.
        if (bound[e] == 0) faults.report(FaultKind::kRandomBound, e, 0);
        to[e] = x;
      });
}

}  // namespace

void run(const Context& context, const Random& random) {
  with_int(random.result.type, [&]<class I>() { random_as<I>(context, random.bounds, random.key, random.result); });
}

}  // namespace cvl::cuda
