#include <fcntl.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "base/files.h"
#include "cvl/loader.h"
#include "kernels/loop_plan.h"
#include "vcode-interp/machine_code.h"
#include "vcode-interp/profile.h"
#include "vcode-interp/rank_moves.h"
#include "vcode-interp/ranks.h"
#include "vcode-interp/run.h"
#include "vcode-interp/run_flags.h"
#include "vcode/kernel_rules.h"
#include "vcode/printer.h"
#include "vcode/reader.h"
#include "vcode/validator.h"

namespace interp {

namespace {

constexpr const char* kMovesTitle = "between ranks, of vectors that are divided:\n";
constexpr const char* kNoKernel = "the program has no kernel";

int complain(const std::string& command, const std::string& message) {
  fmt::print(stderr, "{}: {}\n", command, message);
  return 1;
}

void print_token(void*, std::string_view token_class, std::string_view text) {
  fmt::print("{} {}\n", token_class, base::printable(text));
}

/// Prints how each kernel is traversed. Returns the exit status.
int print_plans(const std::string& command, const vcode::Program& program, const RunFlags& flags) {
  if (program.kernels.empty()) return complain(command, kNoKernel);
  for (const vcode::Kernel& kernel : program.kernels)
    fmt::print("{}", kernels::to_text(kernels::LoopPlan(kernel, vcode::look_at(kernel), flags.run.widths)));
  return 0;
}

/// Prints the LLVM assembly of each kernel.
void emit_llvm(const vcode::Program& program, cvl::Backend& backend, const RunFlags& flags) {
  for (const vcode::Kernel& kernel : program.kernels) {
    const vcode::KernelFacts facts = vcode::look_at(kernel);
    const std::unique_ptr<cvl::KernelPlan> plan = backend.plan_kernel(kernel, facts, flags.run.widths, "");
    const std::string text = plan != nullptr ? backend.kernel_assembly(*plan, flags.emit_target) : "";
    fmt::print("; KERNEL {} {}{}\n\n{}", kernel.number, kernel.name, text.empty() ? ": not compiled" : "", text);
  }
}

/// Prints the kernels as CUDA source text, by a library that needs no device. Returns the exit status.
int emit_cuda(const std::string& command, const vcode::Program& program, const RunFlags& flags) {
  if (program.kernels.empty()) return complain(command, kNoKernel);
  std::string error;
  cvl::KernelTextFn* const text = cvl::load_kernel_text("cuda", cvl::default_backend_directories(), error);
  if (text == nullptr) return complain(command, error);
  fmt::print("{}", text(program, flags.run.widths));
  return 0;
}

}  // namespace

void occupy_standard_descriptors() {
  for (int fd = 0; fd < 3; ++fd)
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

std::optional<VcodeFile> read_vcode_file(const std::string& command, const std::string& file, const RunFlags& flags) {
  std::string text, error;
  if (!read_program_text(flags.run.job, file, text, error)) {
    complain(command, error);
    return std::nullopt;
  }
  base::Source source(file == "-" ? "<stdin>" : file, std::move(text));
  if (flags.show_tokens) vcode::scan_vcode(source, print_token, nullptr);
  std::fflush(stdout);

  base::Diagnostics diagnostics;
  std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  if (program) vcode::validate(*program, flags.run.widths, flags.run.strict, diagnostics);
  const std::string problems = base::render(source, diagnostics);
  std::fwrite(problems.data(), 1, problems.size(), stderr);
  if (!program || diagnostics.has_errors()) return std::nullopt;
  return VcodeFile{std::move(source), std::move(*program)};
}

int run_vcode_file(const std::string& command, const std::string& file, RunFlags& flags) {
  std::string error, note;
  if (const std::string unwritable = unwritable_profile(flags); !unwritable.empty())
    return complain(command, unwritable);
  const std::optional<VcodeFile> read = read_vcode_file(command, file, flags);
  if (!read) return 1;
  const vcode::Program* const program = &read->program;
  if (flags.show_program) fmt::print(stderr, "{}", vcode::print_vcode(*program));
  if (flags.show_link)
    for (std::size_t f = 0; f < program->functions.size(); ++f)
      fmt::print(stderr, "function {}: {}, {} instructions{}\n", f, program->functions[f].name,
                 program->functions[f].body.size(), f == program->entry ? " (entry)" : "");

  if (flags.print_plan) return print_plans(command, *program, flags);
  if (flags.emit_cuda) return emit_cuda(command, *program, flags);
  if (const std::string difference = find_difference(flags.run.job, *program, flags.backend); !difference.empty())
    return complain(command, difference);
  const cvl::BackendPtr backend = load_backend(flags, error, note);
  if (!note.empty()) complain(command, note);
  if (!backend) return complain(command, error);
  if (flags.emit_llvm || flags.explain) {
    // Ranks have no need of kernels: the exchanges of all operations are explained.
    if (program->kernels.empty() && (flags.emit_llvm || flags.run.job == nullptr)) return complain(command, kNoKernel);
    if (flags.explain) fmt::print("{}", describe_machine_code(*program, *backend, flags.run.widths));
    if (flags.explain && flags.run.job != nullptr) fmt::print("{}{}", kMovesTitle, describe_moves(*program));
    if (flags.emit_llvm) emit_llvm(*program, *backend, flags);
    return 0;
  }
  const std::unique_ptr<Profile> profile = start_profile(flags);
  const auto own_text = [&read](const std::string& name, std::uint32_t line) {
    return name == read->source.name() ? std::string(read->source.line(line)) : "";
  };
  flags.run.shortest_floats = flags.shortest_floats.value_or(false);
  const auto start = std::chrono::steady_clock::now();
  RunResult result;
  int status = run_program(read->source, *program, *backend, flags.run, &result);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (flags.show_time) fmt::print(stderr, "elapsed time = {:.6f} seconds\n", elapsed.count());
  if (profile != nullptr) {
    flags.run.source_line = own_text;
    if (finish_profile(command, flags, *profile, *backend, result.failure) != 0) status = 1;
  }
  backend->leave_process();
  end_run(flags.run.job, status, result.failure.kind, result.report);
}

}  // namespace interp
