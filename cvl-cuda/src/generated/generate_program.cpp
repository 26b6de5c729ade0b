#include <algorithm>

#include <fmt/format.h>

#include "generated/generated_kernel.h"
#include "generated/prelude_text.h"
#include "generated/row_text.h"
#include "vcode/printer.h"

namespace cvl::cuda {

namespace {

/// The FCODE of the kernel, each line as a comment.
std::string commented(const vcode::Program& program, const vcode::Kernel& kernel) {
  vcode::Program alone;
  alone.is_fcode = true;
  alone.kernels = {kernel};
  alone.constants = program.constants;
  for (vcode::Kernel::Step& step : alone.kernels[0].steps) step.site = vcode::kNoSite;
  const std::string text = vcode::print_vcode(alone);
  std::string comment;
  for (std::size_t at = text.find("KERNEL"); at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end > at) comment += fmt::format("// {}\n", text.substr(at, end - at));
    at = end + 1;
  }
  return comment;
}

}  // namespace

std::string complete_text(const GeneratedKernel& kernel) { return text_in_front({&kernel, 1}) + kernel.text; }

std::string text_in_front(std::span<const GeneratedKernel> kernels) {
  std::set<vcode::Op> rows;
  std::set<vcode::Monoid> monoids;
  bool has_sums = false;
  for (const GeneratedKernel& kernel : kernels) {
    if (!kernel.obstacle.empty()) continue;
    rows.insert(kernel.rows.begin(), kernel.rows.end());
    monoids.insert(kernel.monoids.begin(), kernel.monoids.end());
    has_sums = has_sums || kernel.has_sums;
  }
  const bool has_functions =
      std::any_of(rows.begin(), rows.end(), [](vcode::Op op) { return vcode::info(op).is_function(); });
  std::string text =
      fmt::format("{}\n{}{}\n{}\nconstexpr int kThreads = {}, kMostShares = {};\n\n{}\n{}\nnamespace rows {{\n",
                  arithmetic_text(), has_functions ? functions_text() : "", atomics_text(), faults_text(),
                  kKernelThreads, kMostShares, prelude_text(), has_sums ? sums_text() : "");
  for (const vcode::Op op : rows) text += elementwise_text(op);
  text += "}  // namespace rows\nnamespace monoids {\n";
  for (const vcode::Monoid monoid : monoids) text += monoid_text(monoid);
  return text + "}  // namespace monoids\n";
}

std::string generate_program(const vcode::Program& program, vcode::Widths widths) {
  std::vector<GeneratedKernel> kernels;
  for (const vcode::Kernel& kernel : program.kernels)
    kernels.push_back(generate_kernel(kernel, program.constants, widths));
  std::string text = text_in_front(kernels);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    text += '\n';
    text += commented(program, program.kernels[k]);
    if (kernels[k].obstacle.empty()) {
      text += kernels[k].text;
      continue;
    }
    const vcode::Kernel::Step& step = program.kernels[k].steps[kernels[k].step];
    text += fmt::format("// Not generated, because of step {} ({}): {}. It runs operation by operation.\n",
                        kernels[k].step, program.kernels[k].values[step.results[0]].name, kernels[k].obstacle);
  }
  return text;
}

}  // namespace cvl::cuda
