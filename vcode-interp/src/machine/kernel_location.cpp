#include "machine/kernel_location.h"

#include <fmt/format.h>

#include "base/diagnostics.h"

namespace interp {

std::string kernel_location(const vcode::Program& program, const vcode::Kernel& kernel) {
  for (auto step = kernel.steps.rbegin(); step != kernel.steps.rend(); ++step) {
    if (step->site == vcode::kNoSite) continue;
    const vcode::Site& site = program.sites[step->site].site;
    if (site.file.empty()) continue;  // in a library
    return base::printable(fmt::format("{}{}{}:{}:{}", site.function, site.function.empty() ? "" : ":", site.file,
                                       site.line, site.column));
  }
  return "";
}

}  // namespace interp
