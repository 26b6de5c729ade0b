#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "vcode/program.h"

namespace vcode {

/// The site that the text between `{@` and `}` describes, or nothing if the comment is an ordinary one.
std::optional<InstructionSite> parse_site(std::string_view text);

/// Appends the site as a comment, braces included. Characters that cannot be in a site become question marks.
void append_site(std::string& out, const InstructionSite& site);

}  // namespace vcode
