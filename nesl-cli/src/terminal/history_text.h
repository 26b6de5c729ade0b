#pragma once

#include <string>

namespace nesl_cli {

/// Joins the lines of a statement for the line editor: each line end with its surrounding blanks becomes one blank,
/// except in strings.
std::string one_line(const std::string& statement);

}  // namespace nesl_cli
