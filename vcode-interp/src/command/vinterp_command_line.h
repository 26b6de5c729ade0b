#pragma once

#include <optional>
#include <string>

#include "vcode-interp/run_flags.h"

namespace interp {

/// Everything the command line of vinterp says.
struct CommandLine {
  std::string file;  ///< "-" for standard input
  RunFlags flags;
};

/// Parses the classic and the modern options. If there is nothing left to run (--help, --version, an
/// error, which is explained on standard error), returns nothing and sets `exit_status`.
std::optional<CommandLine> parse_command_line(int argc, char** argv, int& exit_status);

}  // namespace interp
