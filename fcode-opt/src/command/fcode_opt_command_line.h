#pragma once

#include <optional>
#include <string>

#include "fcode-opt/optimize.h"

namespace fcode_opt {

struct CommandLine {
  std::string input;
  std::string output = "-";
  std::string dot_file;
  bool time_passes = false;
  bool verify = false;  ///< read and check the result before it is written
  OptimizeOptions options;
};

/// Parses the command line. Returns nothing after --help, --version, --list-passes or an error; the program then ends
/// with `exit_status`.
std::optional<CommandLine> parse_command_line(int argc, char** argv, int& exit_status);

}  // namespace fcode_opt
