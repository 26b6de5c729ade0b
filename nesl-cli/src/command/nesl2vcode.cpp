// nesl2vcode: the compiler from NESL to VCODE under its name in the classic tool chain; does the same as `nesl
// compile`.

#include <cstdio>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/command_line.h"
#include "base/program_main.h"
#include "commands.h"
#include "fcode-opt/optimize_flags.h"
#include "nesl-compiler/session.h"
#include "vcode-interp/run_flags.h"

namespace {

constexpr int kWrongUsage = 2;

int run(int argc, char** argv) {
  interp::occupy_standard_descriptors();
  CLI::App app("Compiles NESL to VCODE.", "nesl2vcode");
  app.footer("Exit status: 0, or 1 after an error, or 2 if the command line is wrong, or 130 after Ctrl-C.");
  std::string input, output = "-", expression;
  nesl_cli::Flags flags;
  app.add_option("FILE", input, "NESL source; - reads the standard input")->required()->option_text(" ");
  app.add_option("-o,--output", output, "VCODE file; - or nothing: the standard output")->option_text("OUT");
  app.add_option("--main", expression, "the program's result; by default the last value of the file")
      ->option_text("EXPR");
  interp::add_int_option(app, flags);
  app.set_version_flag("--version", "nesl2vcode " NESL_VERSION);
  flags.optimize = nesl_cli::kCompileOptions;
  fcode_opt::add_optimize_flags(app, flags.optimize);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    std::ostringstream text;
    text.exceptions(std::ios::badbit);  // otherwise exhausted memory would truncate the text
    const int status = app.exit(help_or_version, text);
    fmt::print("{}", text.str());
    return status;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "nesl2vcode: {}\n{}", base::complaint_about_command_line(app, error), app.help());
    return kWrongUsage;
  }
  int status = 1;
  nesl::run_with_deep_stack([&] { status = nesl_cli::compile_nesl(input, expression, output, false, flags); });
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return base::program_main([&] { return run(argc, argv); });
}
