#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nesl_cli {

/// The .nesl files that a command line names: files as they are, "-" included, and for each folder all below it, sorted
/// by name. No name means the current folder. Nothing, with a message on standard error, if a name does not exist.
std::optional<std::vector<std::string>> nesl_files(const std::vector<std::string>& names);

/// Prints a message of the command to standard error. Returns the exit status 1.
int trial_problem(const std::string& message);

}  // namespace nesl_cli
