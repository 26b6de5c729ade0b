#include "fcode_opt_command_line.h"

#include <cstdio>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "fcode-opt/optimize_flags.h"
#include "base/command_line.h"

namespace fcode_opt {

std::optional<CommandLine> parse_command_line(int argc, char** argv, int& exit_status) {
  CommandLine line;
  OptimizeOptions& options = line.options;
  CLI::App app("Optimizes a VCODE program.", "fcode-opt");
  app.footer("Exit status: 0, or 1 after an error; then nothing is written.");
  app.add_option("FILE", line.input, "the program; - reads it from standard input")->required()->option_text(" ");
  app.add_option("-o", line.output, "where the result goes; - is standard output, the default")->option_text("FILE");
  add_optimize_flags(app, options);
  app.set_version_flag("--version", "fcode-opt " NESL_VERSION);
  app.add_flag_function(
      "--list-passes", [](std::int64_t) { throw CLI::Success{}; }, "print the passes and when they run");
  app.add_flag("--time-passes", line.time_passes, "print how long each pass took");
  app.add_flag("--verify", line.verify, "read and check the result as vinterp does before it is written");
  app.add_flag("--explain", options.explain, "report what was done, and what was not and why, to standard error");
  app.add_option("--dot", line.dot_file, "write the data-flow graph for graphviz")->option_text("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    text.exceptions(std::ios::badbit);  // or a stream without memory would cut the text off
    if (app.count("--list-passes") > 0)
      text << list_passes() << '\n';
    else
      exit_status = app.exit(success, text);
    fmt::print("{}", text.str());
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "fcode-opt: {}\nusage: fcode-opt [OPTION]... FILE    (fcode-opt --help lists the options)\n",
               base::complaint_about_command_line(app, error));
    exit_status = 1;
    return std::nullopt;
  }
  options.dot = !line.dot_file.empty();
  return line;
}

}  // namespace fcode_opt
