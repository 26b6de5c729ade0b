#include <cstdio>
#include <new>

#include <fmt/format.h>

#include "base/files.h"
#include "base/program_main.h"
#include "fcode-opt/check_output.h"
#include "fcode-opt/optimize.h"
#include "fcode_opt_command_line.h"
#include "vcode/printer.h"
#include "vcode/reader.h"
#include "vcode/validator.h"

namespace fcode_opt {
namespace {

int complain(const std::string& message) {
  fmt::print(stderr, "fcode-opt: {}\n", message);
  return 1;
}

int run(const CommandLine& line) {
  std::string text, error;
  if (!base::read_file(line.input, text, error)) return complain(error);
  const base::Source source(line.input == "-" ? "<stdin>" : line.input, std::move(text));
  base::Diagnostics diagnostics;
  const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  // Limits that depend on options of the interpreter are left to the interpreter.
  if (program) vcode::validate(*program, {vcode::ElemType::kI64, vcode::ElemType::kF64}, false, diagnostics);
  fmt::print(stderr, "{}", base::render(source, diagnostics));
  if (!program || diagnostics.has_errors()) return 1;
  const OptimizeResult result = optimize(*program, source, line.options);
  fmt::print(stderr, "{}{}{}", result.printed, line.options.explain ? result.explanation : "",
             line.time_passes ? result.times : "");
  if (!result.error.empty()) return complain(fmt::format("internal error: {}", result.error));
  const std::string output = vcode::print_vcode(result.program);
  if (const std::string complaints = line.verify ? check_output(output) : ""; !complaints.empty()) {
    fmt::print(stderr, "{}", complaints);
    return complain("internal error: vinterp would not take this output");
  }
  if (!line.dot_file.empty() && !base::write_file(line.dot_file, result.dot, error)) return complain(error);
  if (!base::write_file(line.output, output, error)) return complain(error);
  return 0;
}

}  // namespace
}  // namespace fcode_opt

int main(int argc, char** argv) {
  return base::program_main([&] {
    int status = 0;
    const std::optional<fcode_opt::CommandLine> line = fcode_opt::parse_command_line(argc, argv, status);
    if (!line) return status;
    try {
      return fcode_opt::run(*line);
    } catch (const std::bad_alloc&) {
      fmt::print(stderr, "fcode-opt: {}: out of memory: the program does not fit\n", line->input);
      return 1;
    }
  });
}
