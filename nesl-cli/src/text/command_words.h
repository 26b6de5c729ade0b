#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nesl_cli {

/// The words of a command, separated by blanks and commas. A quoted string is one word, without its quotes.
std::vector<std::string> words_of(const std::string& text);

/// Splits a text at commas outside of brackets and strings, and trims the parts. There is at least one part.
std::vector<std::string> parts_of(const std::string& text);

/// True if the text is one string literal.
bool is_string(const std::string& text);

/// Parses a truth value: on or t, off or f; nothing for other words.
std::optional<bool> truth_of(const std::string& word);

}  // namespace nesl_cli
