#pragma once

#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace nesl {

/// The comments of a text whose tokens are all good, each with its two %.
std::vector<base::Span> comments_of(std::string_view text);
/// The same for a part of the text that consists of blanks and comments.
std::vector<base::Span> comments_between(std::string_view text, base::Span part);

}  // namespace nesl
