#pragma once

#include <string>
#include <vector>

#include "terminal/line_source.h"
#include "top_level.h"

namespace nesl_cli {

/// Reads statements and commands from a source of lines and answers them until it ends or is told to leave. Returns
/// the exit status: 0, for lines that nobody typed 1 if any statement failed and 130 after an interrupt.
///
/// Somebody who types gets prompts; a statement then ends where it can end, with the line, unless it is a definition or
/// more lines are there already; and an empty line ends it in any case. Otherwise only a terminator does.
int run_session(LineSource& lines, TopLevel& top_level);

/// The names of the commands that begin with a colon.
const std::vector<std::string>& session_commands();

}  // namespace nesl_cli
