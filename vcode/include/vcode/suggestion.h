#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vcode {

/// "; did you mean X?" for the candidate that is fewest typing mistakes away from `word` (the wrong case of
/// letters hardly counts), or nothing if none is near.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace vcode
