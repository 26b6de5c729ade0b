#pragma once

#include <optional>
#include <string_view>

#include "completion.h"

namespace nesl_cli {

/// If a file is to be named at the end of a line (inside a string, or behind `:load`), what can be put there: the files
/// and folders whose names begin with what has been typed, hidden ones only after a dot.
std::optional<Completion> complete_file(std::string_view before);

}  // namespace nesl_cli
