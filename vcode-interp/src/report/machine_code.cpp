#include "vcode-interp/machine_code.h"

#include <stdexcept>

#include <fmt/format.h>

#include "machine/source_location.h"
#include "report/code_size.h"
#include "vcode/kernel_rules.h"

namespace interp {

std::string code_size(const vcode::Kernel& kernel, const std::string& location, cvl::Backend& backend,
                      vcode::Widths widths) {
  const vcode::KernelFacts facts = vcode::look_at(kernel);
  try {
    const std::unique_ptr<cvl::KernelPlan> plan = backend.plan_kernel(kernel, facts, widths, location);
    if (plan == nullptr) return "none, since its steps are computed one after the other";
    const std::optional<cvl::MachineCode> code = plan->machine_code();
    if (code && code->bytes > 0) return fmt::format("{} bytes", code->bytes);
    const std::string why = plan->native_code();
    return why.empty() ? "not known" : fmt::format("none ({})", why);
  } catch (const std::runtime_error& failure) {
    return fmt::format("none: {}", failure.what());
  }
}

CompiledKernels compile_kernels(const vcode::Program& program, cvl::Backend& backend, vcode::Widths widths) {
  CompiledKernels kernels;
  for (const vcode::Kernel& kernel : program.kernels) {
    const vcode::KernelFacts facts = vcode::look_at(kernel);
    const std::string location = kernel_location(program, kernel);
    const auto compile = [&] {
      const std::unique_ptr<cvl::KernelPlan> plan = backend.plan_kernel(kernel, facts, widths, location);
      const std::optional<cvl::MachineCode> code = plan == nullptr ? std::nullopt : plan->machine_code();
      if (!code) throw std::runtime_error("this vector library compiles no kernels before they run");
      return *code;
    };
    const cvl::MachineCode code = compile();
    if (code.bytes == 0) continue;
    if (!code.was_cached && !compile().was_cached)
      throw std::runtime_error(fmt::format("the compiled kernel {} could not be written", kernel.name));
    ++(code.was_cached ? kernels.found : kernels.compiled);
    kernels.bytes += code.bytes;
  }
  return kernels;
}

std::string describe_machine_code(const vcode::Program& program, cvl::Backend& backend, vcode::Widths widths) {
  std::string text;
  for (const vcode::Kernel& kernel : program.kernels) {
    const std::string location = kernel_location(program, kernel);
    text += fmt::format("  kernel {}{}: machine code: {}\n", kernel.name, location.empty() ? "" : " at " + location,
                        code_size(kernel, location, backend, widths));
  }
  return text;
}

}  // namespace interp
