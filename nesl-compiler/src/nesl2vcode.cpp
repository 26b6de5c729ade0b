// nesl2vcode: NESL to VCODE.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "nesl-compiler/session.h"
#include "vcode/printer.h"

namespace {

std::optional<std::string> read_text(const std::string& path) {
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream file(path, std::ios::binary);
  if (!file || file.peek() == std::ifstream::traits_type::eof()) {
    if (file && !file.bad() && file.eof()) return std::string();
    return std::nullopt;
  }
  text << file.rdbuf();
  return text.str();
}

/// Compiles one file; the exit status.
int compile(const std::string& input, const std::string& output, const std::string& main_expression) {
  auto text = read_text(input);
  if (!text) {
    fmt::print(stderr, "nesl2vcode: cannot read {}\n", input);
    return 1;
  }
  nesl::Session session;
  const vcode::Source& source = session.add_source(input == "-" ? "<stdin>" : input, std::move(*text));
  vcode::Diagnostics diagnostics;
  std::optional<nesl::Unit> last;
  session.read(source, false, diagnostics, [&](nesl::Unit& unit) {
    if (unit.kind == nesl::Unit::Kind::kCommand) {
      diagnostics.error(unit.span, "commands are for the interactive top level only");
    } else if (unit.kind == nesl::Unit::Kind::kValue) {
      session.commit(unit);  // the statements that follow may use its variables
      last = std::move(unit);
    }
    return true;
  });
  const vcode::Source* main_source = &source;
  if (!diagnostics.has_errors() && !main_expression.empty()) {
    last.reset();
    main_source = &session.add_source("--main", main_expression + ";");
    session.read(*main_source, false, diagnostics, [&](nesl::Unit& unit) {
      last = std::move(unit);
      return true;
    });
  }
  std::optional<nesl::Compiled> compiled;
  if (!diagnostics.has_errors()) {
    if (!last || last->kind != nesl::Unit::Kind::kValue) {
      fmt::print(stderr, "{}: error: there is no expression to compute; end the file with one, or give --main\n",
                 main_source->name());
      return 1;
    }
    compiled = session.compile(*last, true, diagnostics);
  }
  fmt::print(stderr, "{}", vcode::render(*main_source, diagnostics));
  if (!compiled) return 1;
  const std::string program = vcode::print_vcode(compiled->program);
  if (output == "-") {
    std::fwrite(program.data(), 1, program.size(), stdout);
    if (std::fflush(stdout) != 0) {
      fmt::print(stderr, "nesl2vcode: cannot write to the standard output\n");
      return 1;
    }
    return 0;
  }
  std::ofstream file(output, std::ios::binary);
  file << program << std::flush;
  if (!file) {
    fmt::print(stderr, "nesl2vcode: cannot write {}\n", output);
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compiles NESL to VCODE.");
  std::string input, output = "-", main_expression;
  app.add_option("FILE", input, "NESL source; - reads the standard input")->required();
  app.add_option("-o,--output", output, "VCODE file; - or nothing: the standard output");
  app.add_option("--main", main_expression, "the program's result; by default the file's last expression");
  app.set_version_flag("--version", "nesl2vcode " NESL_VERSION);
  CLI11_PARSE(app, argc, argv);
  int status = 1;
  nesl::run_with_deep_stack([&] { status = compile(input, output, main_expression); });
  return status;
}
