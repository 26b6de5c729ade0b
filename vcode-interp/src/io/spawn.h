#pragma once

#include <array>
#include <string>

namespace interp {

/// Starts a program with standard input, output and error connected to the given descriptors; -1 asks for
/// a pipe, whose other end is returned in the same place. The command is split at white space, without
/// quoting, and searched on PATH. Returns an empty string, or why the process could not be started.
std::string spawn_process(const std::string& command, std::array<int, 3>& descriptors);

}  // namespace interp
