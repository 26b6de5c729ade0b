#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nesl_cli {

/// What can be put for the name that ends at the end of a text.
struct Completion {
  std::string insert;                ///< what all candidates go on with
  std::vector<std::string> choices;  ///< the candidates, if there are several
};

/// Sorts the choices, and says in `insert` how they all go on after so many characters. One choice alone is no choice:
/// only its rest remains.
void settle(Completion& completion, std::size_t typed);

/// Completes the last name of `before`, as far as the names that begin so agree. A `:` at the beginning asks for one
/// of `commands`. Case does not matter.
Completion complete(std::string_view before, const std::vector<std::string>& names,
                    const std::vector<std::string>& commands);

}  // namespace nesl_cli
