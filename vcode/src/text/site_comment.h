#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "vcode/program.h"

namespace vcode {

/// A site from the text between `{@` and `}`, or nothing if that is an ordinary comment.
std::optional<InstructionSite> parse_site(std::string_view text);

/// The site as a comment, brackets included. What cannot stand inside becomes a question mark.
void append_site(std::string& out, const InstructionSite& site);

}  // namespace vcode
