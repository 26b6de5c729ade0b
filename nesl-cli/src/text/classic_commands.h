#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nesl_cli {

/// What becomes of a command of the classic top level that nothing is done for here.
struct ClassicAnswer {
  bool accepted = false;  ///< programs that give the command mean the same without it
  std::string text;       ///< why that is so, or what to use instead; may be empty if accepted
};

/// The answer to a command, given as its words; null if the classic top level has no such command either.
std::optional<ClassicAnswer> answer_classic_command(const std::vector<std::string>& words);

/// True if a program that is run as a whole means the same without the command: one that is accepted, or a setting of
/// what a session shows, which programs contain for being loaded in one.
bool changes_no_program(const std::vector<std::string>& words);

}  // namespace nesl_cli
