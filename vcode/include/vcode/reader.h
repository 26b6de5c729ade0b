#pragma once

#include <optional>
#include <string_view>

#include "vcode/program.h"

namespace vcode {

/// Parses a VCODE or FCODE text. Reports all errors, not only the first, and returns a program only if there are none.
/// Warnings (a label defined twice) do not prevent a program.
[[nodiscard]] std::optional<Program> parse_vcode(const base::Source& source, base::Diagnostics& diagnostics);

/// Whether a word may be the name of a function: MAIN, or no word of the grammar.
[[nodiscard]] bool can_name_function(std::string_view word);

/// Called for each token of the text, for `vinterp -d lex`.
using TokenObserver = void (*)(void* context, std::string_view token_class, std::string_view text);
void scan_vcode(const base::Source& source, TokenObserver observer, void* context);

}  // namespace vcode
