#pragma once

#include <string>
#include <vector>

#include "terminal/line_source.h"
#include "top_level.h"

namespace nesl_cli {

/// Runs statements and commands from a source of lines, up to its end or a command to leave. Returns the exit status: 0
/// for an interactive source; otherwise 1 if a statement failed, and 130 after an interrupt.
///
/// For an interactive source, prompts are printed, and the end of a line ends a statement that is complete, unless it
/// is a definition or further lines have been pasted; an empty line ends any statement. Otherwise only a terminator
/// ends a statement.
int run_session(LineSource& lines, TopLevel& top_level);

/// The names of the colon commands, without arguments.
const std::vector<std::string>& session_commands();

}  // namespace nesl_cli
