#include "executable.h"

#include <cstdio>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace nesl_cli {

vcode::Program executable(vcode::letform::Program program, const fcode_opt::OptimizeOptions& options) {
  fcode_opt::OptimizeResult result = fcode_opt::optimize(std::move(program), options);
  fmt::print(stderr, "{}", result.printed);
  if (!result.error.empty()) throw std::logic_error("internal error: " + result.error);
  return std::move(result.program);
}

fcode_opt::OptimizeOptions for_any_interpreter(fcode_opt::OptimizeOptions options) {
  if (!fcode_opt::fuses(options)) options.target = vcode::letform::Target::vcode_1995();
  return options;
}

FusionExplained explain_fusion(vcode::letform::Program program) {
  fcode_opt::OptimizeResult result = fcode_opt::optimize(
      std::move(program),
      {.level = 2, .print_before = {"fuse"}, .fusion = fcode_opt::Fusion::kGreedy, .explain = true});
  // Lines about passes begin with a name, lines about fusion with blanks.
  std::string fusion;
  std::istringstream lines(result.explanation);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(' ')) fusion += line + '\n';
  return {fusion.empty() ? "" : result.printed + fusion, std::move(result.remarks), std::move(result.program),
          std::move(result.kept_apart)};
}

}  // namespace nesl_cli
