#include "executable.h"

#include <stdexcept>

#include "fcode-opt/optimize.h"

namespace nesl_cli {

vcode::Program executable(vcode::letform::Program program, int optimization) {
  if (optimization == 0) return vcode::letform::to_stack_code(program);
  fcode_opt::OptimizeResult result =
      fcode_opt::optimize(std::move(program), {.level = optimization, .fusion = fcode_opt::Fusion::kGreedy});
  if (!result.error.empty()) throw std::logic_error("internal error: " + result.error);
  return std::move(result.program);
}

}  // namespace nesl_cli
