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

/// Without a value, what was asked for is done, or a message printed; the program ends with `exit_status`.
std::optional<CommandLine> parse_command_line(int argc, char** argv, int& exit_status);

}  // namespace fcode_opt
