#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vcode/program.h"

namespace vcode {

/// Numbers of inlined calls: a text spells a call out where it first names it, and has a number for it from then on.
using CallNumbers = std::map<std::uint32_t, std::uint32_t>;

/// The site that the text between `{@` and `}` describes, or nothing if the comment is an ordinary one. Adds the calls
/// that it spells out to `inlined`, and their index to `numbers`.
std::optional<InstructionSite> parse_site(std::string_view text, std::vector<InlinedCall>& inlined,
                                          CallNumbers& numbers);

/// Appends the site as a comment, braces included. Characters that cannot be in a site become question marks. `numbers`
/// has those of calls that the text has spelled out, by their index.
void append_site(std::string& out, const InstructionSite& site, const std::vector<InlinedCall>& inlined,
                 CallNumbers& numbers);

}  // namespace vcode
