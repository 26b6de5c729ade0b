#include "vcode-interp/machine_code.h"

#include <stdexcept>

#include <fmt/format.h>

#include "machine/kernel_location.h"
#include "vcode/kernel_rules.h"

namespace interp {
namespace {

std::string size_text(const vcode::Kernel& kernel, const std::string& location, cvl::Backend& backend,
                      vcode::Widths widths) {
  const vcode::KernelFacts facts = vcode::look_at(kernel);
  try {
    const std::unique_ptr<cvl::KernelPlan> plan = backend.plan_kernel(kernel, facts, widths, location);
    if (plan == nullptr) return "none, since its steps are computed one after the other";
    if (const std::int64_t bytes = plan->machine_code_bytes(); bytes > 0) return fmt::format("{} bytes", bytes);
    const std::string why = plan->native_code();
    return why.empty() ? "not known" : fmt::format("none ({})", why);
  } catch (const std::runtime_error& failure) {
    return fmt::format("none: {}", failure.what());
  }
}

}  // namespace

std::string describe_machine_code(const vcode::Program& program, cvl::Backend& backend, vcode::Widths widths) {
  std::string text;
  for (const vcode::Kernel& kernel : program.kernels) {
    const std::string location = kernel_location(program, kernel);
    text += fmt::format("  kernel {}{}: machine code: {}\n", kernel.name, location.empty() ? "" : " at " + location,
                        size_text(kernel, location, backend, widths));
  }
  return text;
}

}  // namespace interp
