#include "fused_loops.h"

#include <algorithm>

namespace nesl_cli {

std::vector<FusedLoop> fused_loops(const vcode::Program& program, const std::vector<nesl::Place>& places) {
  std::vector<FusedLoop> loops;
  for (const vcode::Kernel& kernel : program.kernels) {
    FusedLoop loop;
    for (const vcode::Kernel::Step& step : kernel.steps) {
      if (step.is_constant()) continue;
      ++loop.operations;
      // A step without a site is at the location of the step before it, which is in the list.
      if (step.site == vcode::kNoSite) continue;
      const std::uint32_t line = program.sites[step.site].site.line;
      if (line == 0 || line > places.size()) continue;
      const nesl::Place& place = places[line - 1];
      if (loop.places.empty()) loop.function = program.sites[step.site].site.function;
      if (std::find(loop.places.begin(), loop.places.end(), place) == loop.places.end()) loop.places.push_back(place);
    }
    if (loop.places.size() > 1) loops.push_back(std::move(loop));
  }
  return loops;
}

}  // namespace nesl_cli
