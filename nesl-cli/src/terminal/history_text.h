#pragma once

#include <string>

namespace nesl_cli {

/// A statement of several lines as one that can be edited: line ends and the blanks around them become one blank,
/// except in strings, where they stay.
std::string one_line(const std::string& statement);

}  // namespace nesl_cli
