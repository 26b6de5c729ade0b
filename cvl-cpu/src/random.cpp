#include "random.h"

#include "context.h"

namespace cvl::cpu {

void random(Context&, Operand, RandomKey, Result) {}

}  // namespace cvl::cpu
