#pragma once

#include <string>
#include <vector>

namespace nesl_cli {

/// Formats files in place, and all .nesl files below folders; "-" is standard input, whose text goes to standard
/// output. With `check`, changes nothing and prints the names of those that are not formatted. Files with errors stay
/// as they are. Returns 1 after errors, and if `check` finds a file that is not formatted. Must be called on a thread
/// made by nesl::run_with_deep_stack().
int format_files(const std::vector<std::string>& names, bool check);

}  // namespace nesl_cli
