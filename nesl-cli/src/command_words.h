#pragma once

#include <string>
#include <vector>

namespace nesl_cli {

/// The words of a command: separated by blanks and commas; what stands in quotes is one word, without them.
std::vector<std::string> words_of(const std::string& text);

}  // namespace nesl_cli
