#pragma once

#include <optional>
#include <string>

#include "cvl/backend.h"
#include "vcode-interp/run.h"

namespace interp {

/// Everything the command line says.
struct CommandLine {
  std::string file;             ///< "-" for standard input
  std::string backend = "cpu";  ///< or "auto": the best that works
  std::string simd;             ///< see cvl::BackendOptions
  cvl::BackendOptions backend_options;
  RunOptions run;
  double timeout = 0;  ///< seconds; 0: none
  bool profile = false;
  std::string profile_file;   ///< where the Chrome trace goes; empty: only the table
  bool show_time = false;     ///< -t
  bool show_tokens = false;   ///< -d lex
  bool show_program = false;  ///< -d program
  bool show_link = false;     ///< -d link
};

/// Parses the classic and the modern options. If there is nothing left to run (--help, --version, an
/// error, which is explained on standard error), returns nothing and sets `exit_status`.
std::optional<CommandLine> parse_command_line(int argc, char** argv, int& exit_status);

}  // namespace interp
