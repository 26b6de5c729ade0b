#pragma once

#include <optional>
#include <string>

#include "vcode-interp/run_flags.h"

namespace interp {

/// The parsed command line of vinterp.
struct CommandLine {
  std::string file;  ///< "-" for standard input
  RunFlags flags;
};

/// Parses the classic and the modern options. After --help, --version, and an error (with a message on standard error),
/// returns nothing and sets `exit_status`.
std::optional<CommandLine> parse_command_line(int argc, char** argv, int& exit_status);

}  // namespace interp
