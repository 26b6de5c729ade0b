#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nesl_cli {

/// The answer to a command of the classic top level that has no effect here.
struct ClassicAnswer {
  bool accepted = false;  ///< programs with the command mean the same without it
  std::string text;       ///< the reason, or a replacement for the command; may be empty if accepted
};

/// The answer to a command, given as its words; nothing if the classic top level has no such command.
std::optional<ClassicAnswer> answer_classic_command(const std::vector<std::string>& words);

/// True if a program that is compiled as a whole means the same without the command: an accepted command, or a setting
/// that changes only the output of sessions.
bool changes_no_program(const std::vector<std::string>& words);

}  // namespace nesl_cli
