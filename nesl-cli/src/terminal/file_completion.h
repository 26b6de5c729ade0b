#pragma once

#include <optional>
#include <string_view>

#include "completion.h"

namespace nesl_cli {

/// Completes a file name at the end of a line: inside a string, or behind `:load`; elsewhere nothing. Candidates are
/// the files and folders whose names begin with the typed text; hidden ones only if that begins with a dot.
std::optional<Completion> complete_file(std::string_view before);

}  // namespace nesl_cli
