#include "scatter.h"

#include "context.h"

namespace cvl::cpu {

void scatter(Context&, const Scatter&, Result) {}

}  // namespace cvl::cpu
