#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cost/cost_command.h"
#include "program/flags.h"
#include "show/show_command.h"
#include "trials/bench_command.h"
#include "trials/test_command.h"

namespace nesl_cli {

/// The parsed command line of nesl.
struct CommandLine {
  enum class Action {
    kSession,
    kEvaluate,
    kRun,
    kCheck,
    kCompile,
    kDescribe,
    kApropos,
    kHelp,
    kCache,
    kTest,
    kBench,
    kFormat,
    kShow,
    kCost,
    kServeEditor
  };
  Action action = Action::kSession;
  std::string file;                    ///< of kRun, kCheck, kCompile, kCost
  std::string expression;              ///< of kEvaluate; of kRun and kCompile, if not empty
  std::string output = "-";            ///< of kCompile
  std::string word;                    ///< of kDescribe, kApropos and kHelp
  bool native = false;                 ///< of kCompile
  bool clear = false;                  ///< of kCache
  int ranks = 0;                       ///< of kRun: number of processes to start; 0: this one alone
  std::vector<std::string> filled;     ///< of kCache: programs whose kernels are compiled
  std::vector<std::string> formatted;  ///< of kFormat: files and folders
  bool check = false;                  ///< of kFormat: change nothing
  TestFlags test;                      ///< of kTest
  BenchFlags bench;                    ///< of kBench
  ShowFlags show;                      ///< of kShow
  CostFlags cost;                      ///< of kCost
  std::optional<bool> checked;         ///< whether overflow of ints is an error, if an option says so
  Flags flags;
  fcode_opt::OptimizeOptions compile = kCompileOptions;  ///< of kCompile
};

/// Parses the command line. After --help, --version, and an error (with a message on standard error), returns nothing
/// and sets `exit_status`.
std::optional<CommandLine> parse_command_line(int argc, char** argv, int& exit_status);

}  // namespace nesl_cli
