// Any bytes as a program: the optimized program must survive printing, be accepted by the validator, and behave as the
// original does.

#include <fcntl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "../support/memory_file.h"
#include "../support/verify_kernels.h"
#include "fcode-opt/optimize.h"
#include "oracle.h"
#include "vcode-interp/run.h"
#include "vcode/op.h"
#include "vcode/printer.h"
#include "vcode/reader.h"
#include "vcode/validator.h"

namespace {

// Optimized programs may hold more memory at a time and may make more calls. They get higher limits, so that they stop
// at none that the unoptimized program keeps.
constexpr std::size_t kMemory = std::size_t{4} << 20, kMoreMemory = 16 * kMemory;
constexpr std::uint64_t kCalls = 200, kMoreCalls = 16 * kCalls;
constexpr vcode::Widths kWidths{vcode::ElemType::kI32, vcode::ElemType::kF64};

[[noreturn]] void fail(std::string_view what, const std::string& text) {
  std::fprintf(stderr, "%.*s:\n%s\n", static_cast<int>(what.size()), what.data(), text.c_str());
  std::abort();
}

struct Outcome {
  int status = 0;
  std::string output;
  std::string error;  ///< without its location, which may be in a kernel
  bool limited = false;
  bool lengths_disagree = false;  ///< an optimized program may then go on (docs/decisions/008)
};

/// Runs programs with limits of memory and of calls.
class Runner {
 public:
  Runner(std::size_t memory, std::uint64_t calls)
      : backend_(cvl::conformance::make_oracle({.memory_limit = memory}, cvl::conformance::Addresses::kAnyHost)) {
    options_.widths = kWidths;
    options_.sandbox = true;
    options_.call_limit = calls;
    options_.standard_files = {open("/dev/null", O_RDONLY | O_CLOEXEC), output_.descriptor(), errors_.descriptor()};
  }

  Outcome run(const base::Source& source, const vcode::Program& program) {
    output_.clear();
    errors_.clear();
    Outcome outcome;
    outcome.status = interp::run_program(source, program, *backend_, options_);
    outcome.output = output_.content();
    const std::string report = errors_.content();
    outcome.limited = report.find("out of memory") != std::string::npos ||
                      report.find("the limit of calls") != std::string::npos ||
                      report.find("the recursion is too deep") != std::string::npos;
    const std::string head = report.substr(0, report.find('\n'));
    const std::size_t kind = head.find("error");
    const std::size_t colon = kind == std::string::npos ? kind : head.find(": ", kind);
    if (colon != std::string::npos) outcome.error = head.substr(colon + 2);
    if (outcome.error.starts_with("in kernel")) outcome.error.erase(0, outcome.error.find("): ") + 3);
    outcome.lengths_disagree =
        outcome.error.find(" has ") != std::string::npos && outcome.error.find(" but ") != std::string::npos;
    // The number of missing values in a stack underflow depends on how many values one instruction moves.
    if (outcome.error.starts_with("stack underflow")) outcome.error = "stack underflow";
    return outcome;
  }

 private:
  std::unique_ptr<cvl::Backend> backend_;
  MemoryFile output_, errors_;
  interp::RunOptions options_;
};

/// Whether two runs of a program may differ.
bool depends_on_time(const vcode::Program& program) {
  for (const vcode::Function& function : program.functions)
    for (const vcode::Instruction& instruction : function.body)
      if (instruction.statement == vcode::Statement::kOp && vcode::info(instruction.op).reads_clock()) return true;
  return false;
}

void compare(const base::Source& source, const vcode::Program& program, const fcode_opt::OptimizeOptions& options) {
  const fcode_opt::OptimizeResult result = fcode_opt::optimize(program, source, options);
  if (!result.error.empty()) fail("a pass has made a mistake", result.error);
  if (const std::string mistake = kernels::verify_kernels(result.program); !mistake.empty())
    fail("a kernel's plan has a mistake", mistake + "\n" + print_vcode(result.program));
  const base::Source optimized("optimized", print_vcode(result.program));
  base::Diagnostics diagnostics;
  const std::optional<vcode::Program> again = vcode::parse_vcode(optimized, diagnostics);
  if (!again)
    fail("the optimized program is not readable", std::string(optimized.text()) + render(optimized, diagnostics));
  if (print_vcode(*again) != optimized.text())
    fail("the optimized program reads differently", std::string(optimized.text()));
  vcode::validate(*again, kWidths, false, diagnostics);
  if (diagnostics.has_errors())
    fail("the optimized program is not valid", std::string(optimized.text()) + render(optimized, diagnostics));

  if (depends_on_time(program)) return;
  static Runner original_runner(kMemory, kCalls), optimized_runner(kMoreMemory, kMoreCalls);
  const Outcome expected = original_runner.run(source, program);
  if (expected.limited || expected.lengths_disagree) return;
  const Outcome found = optimized_runner.run(optimized, *again);
  if (found.limited) return;
  if (found.status != expected.status || found.output != expected.output || found.error != expected.error)
    fail("the optimized program does something else", std::string(optimized.text()) + "\nexpected: " + expected.output +
                                                          expected.error + "\nfound: " + found.output + found.error);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const base::Source source("fuzz", std::string(reinterpret_cast<const char*>(data), size));
  base::Diagnostics diagnostics;
  const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  if (program) vcode::validate(*program, kWidths, false, diagnostics);
  if (!program || diagnostics.has_errors() || program->is_fcode) return -1;
  // Each input is optimized in one way only; its mutations are optimized in the others.
  using fcode_opt::Fusion;
  const std::size_t choice = std::hash<std::string_view>{}(source.text());
  constexpr Fusion kFusions[] = {Fusion::kGreedy, Fusion::kGreedy, Fusion::kPaper, Fusion::kIlp};
  fcode_opt::OptimizeOptions options;
  options.level = choice % 8 == 0 ? 0 : choice % 8 < 3 ? 1 : 2;
  options.fusion = kFusions[choice / 8 % 4];
  compare(source, *program, options);
  return 0;
}
