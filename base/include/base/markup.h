#pragma once

#include <string>
#include <string_view>

namespace base {

/// Text for the elements and the quoted attributes of HTML, SVG and XML. Line ends and tabs stay; other control
/// characters, which XML 1.0 excludes, and bytes that are no UTF-8 become question marks.
std::string markup(std::string_view text);

}  // namespace base
