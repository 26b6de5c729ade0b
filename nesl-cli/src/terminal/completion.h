#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nesl_cli {

/// The completion of the name at the end of a text.
struct Completion {
  std::string insert;                ///< the text that all candidates continue with
  std::vector<std::string> choices;  ///< the candidates, if there are several
};

/// Sorts the choices and sets `insert` to their common prefix without its first `typed` characters, which the user has
/// typed. A single choice is removed: `insert` is the rest of it.
void settle(Completion& completion, std::size_t typed);

/// Completes the last name of `before`, as far as the names that begin so agree. A `:` at the beginning asks for one
/// of `commands`. Case does not matter.
Completion complete(std::string_view before, const std::vector<std::string>& names,
                    const std::vector<std::string>& commands);

}  // namespace nesl_cli
