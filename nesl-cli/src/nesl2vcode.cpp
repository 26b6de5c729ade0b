// nesl2vcode: NESL to VCODE, the compiler's place in the classic tool chain; the same as `nesl compile`.

#include <string>

#include <CLI/CLI.hpp>

#include "commands.h"
#include "nesl-compiler/session.h"

int main(int argc, char** argv) {
  CLI::App app("Compiles NESL to VCODE.");
  std::string input, output = "-", expression;
  nesl_cli::Flags flags;
  app.add_option("FILE", input, "NESL source; - reads the standard input")->required();
  app.add_option("-o,--output", output, "VCODE file; - or nothing: the standard output");
  app.add_option("--main", expression, "the program's result; by default the last value of the file");
  interp::add_int_option(app, flags);
  app.set_version_flag("--version", "nesl2vcode " NESL_VERSION);
  CLI11_PARSE(app, argc, argv);
  int status = 1;
  nesl::run_with_deep_stack([&] { status = nesl_cli::compile_nesl(input, expression, output, flags); });
  return status;
}
