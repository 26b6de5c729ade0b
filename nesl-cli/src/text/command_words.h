#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nesl_cli {

/// The words of a command: separated by blanks and commas; what stands in quotes is one word, without them.
std::vector<std::string> words_of(const std::string& text);

/// What stands between the commas outside of all brackets and strings, without the blanks around it: at least one part.
std::vector<std::string> parts_of(const std::string& text);

/// True if the text is one string literal.
bool is_string(const std::string& text);

/// on, t; off, f.
std::optional<bool> truth_of(const std::string& word);

}  // namespace nesl_cli
