#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vcode/program.h"

namespace vcode {

/// Numbers of inlined calls in a text: the text spells a call out once, and refers to it by its number from then on.
using CallNumbers = std::map<std::uint32_t, std::uint32_t>;

/// The site that the text between `{@` and `}` describes, or nothing if the comment is an ordinary one. Adds
/// spelled-out calls to `inlined`, and their index to `numbers`.
std::optional<InstructionSite> parse_site(std::string_view text, std::vector<InlinedCall>& inlined,
                                          CallNumbers& numbers);

/// Appends the site as a comment, braces included. Characters that a site cannot contain become question marks.
/// `numbers` has the numbers, by index, of calls that the text has spelled out.
void append_site(std::string& out, const InstructionSite& site, const std::vector<InlinedCall>& inlined,
                 CallNumbers& numbers);

}  // namespace vcode
