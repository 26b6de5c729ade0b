#pragma once

#include <span>
#include <string>
#include <string_view>

namespace base {

/// The cost of one edit in typing_distance(): a letter inserted, dropped or replaced, or two neighbours swapped.
inline constexpr int kTypingMistake = 4;
/// The optimal string alignment distance of two words (Levenshtein's edits and swaps of neighbours), with
/// kTypingMistake for each edit and 1 for a letter in the wrong case.
int typing_distance(std::string_view a, std::string_view b);

/// "; did you mean X?" for the candidate with the smallest typing_distance() from `word`, or an empty string if no
/// candidate is near.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace base
