#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nesl_cli {

/// The completion of the name at the end of a text.
struct Completion {
  std::string insert;                ///< the common continuation of all candidates
  std::vector<std::string> choices;  ///< the candidates, if there are several
};

/// Sorts the choices and sets `insert` to their common prefix without its first `typed` characters, which the user has
/// typed. A single choice is removed, since `insert` completes it.
void settle(Completion& completion, std::size_t typed);

/// Whether a name can complete a prefix. Case does not matter.
bool begins_with(std::string_view name, std::string_view prefix);

/// Completes the last name of `before` from `names`, or from `commands` if `before` begins with a colon. Case does not
/// matter.
Completion complete(std::string_view before, const std::vector<std::string>& names,
                    const std::vector<std::string>& commands);

}  // namespace nesl_cli
