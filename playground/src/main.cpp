// The command `nesl` for the playground: without sessions, servers and processes.
#include <cstdio>

#include <fmt/format.h>

#include "base/program_main.h"
#include "command/commands.h"
#include "command/format_files.h"
#include "command/nesl_command_line.h"

namespace {

using nesl_cli::CommandLine;

int run(CommandLine& line) {
  using Action = CommandLine::Action;
  const char* missing = "";
  switch (line.action) {
    case Action::kEvaluate:
      return nesl_cli::evaluate_text(line.expression, line.flags);
    case Action::kRun:
      if (line.ranks > 1) {
        missing = "other processes";
        break;
      }
      return line.flags.explain ? nesl_cli::explain_nesl(line.file, line.expression, line.flags)
                                : nesl_cli::run_nesl(line.file, line.expression, line.flags);
    case Action::kCheck:
      return nesl_cli::check_nesl(line.file, line.flags);
    case Action::kCompile:
      line.flags.optimize = line.compile;
      return nesl_cli::compile_nesl(line.file, line.expression, line.output, line.native, line.flags);
    case Action::kTest:
      return nesl_cli::run_tests(line.test, line.flags);
    case Action::kBench:
      return nesl_cli::run_benchmarks(line.bench, line.flags);
    case Action::kShow:
      return nesl_cli::show_nesl(line.show, line.flags);
    case Action::kCost:
      return nesl_cli::run_cost(line.file, line.cost, line.flags);
    case Action::kFormat:
      return nesl_cli::format_files(line.formatted, line.check);
    case Action::kDescribe:
    case Action::kHelp:
      return nesl_cli::describe_name(line.word);
    case Action::kApropos:
      return nesl_cli::find_names(line.word);
    case Action::kSession:
      missing = "interactive sessions";
      break;
    case Action::kServeEditor:
      missing = "a language server";
      break;
    case Action::kCache:
      missing = "compiled kernels";
      break;
  }
  fmt::print(stderr, "nesl: the playground has no {}\n", missing);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  return base::program_main([&] {
    int status = 0;
    std::optional<CommandLine> line = nesl_cli::parse_command_line(argc, argv, status);
    return line ? run(*line) : status;
  });
}
