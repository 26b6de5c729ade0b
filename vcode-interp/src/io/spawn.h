#pragma once

#include <array>
#include <string>

namespace interp {

/// Starts a program with standard input, output and error connected to the given file descriptors. A descriptor of -1
/// is replaced by the other end of a new pipe. The command is split at white space, without quoting, and searched on
/// PATH. Returns an empty string, or the reason why the process could not be started.
std::string spawn_process(const std::string& command, std::array<int, 3>& descriptors);

}  // namespace interp
