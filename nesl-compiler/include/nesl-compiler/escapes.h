#pragma once

#include <algorithm>
#include <iterator>

namespace nesl {

/// A letter behind a backslash in a string of NESL, and the character that the two are.
struct Escape {
  char letter, character;
};
inline constexpr Escape kEscapes[] = {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'0', '\0'}, {'\\', '\\'}, {'"', '"'}};

/// The escape with this letter (&Escape::letter), or of this character (&Escape::character); null if there is none.
constexpr const Escape* find_escape(char Escape::*what, char c) {
  const auto* at =
      std::find_if(std::begin(kEscapes), std::end(kEscapes), [&](const Escape& e) { return e.*what == c; });
  return at == std::end(kEscapes) ? nullptr : at;
}

}  // namespace nesl
