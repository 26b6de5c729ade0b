#pragma once

#include <algorithm>
#include <iterator>

namespace nesl {

/// An escape sequence of NESL strings: the letter behind the backslash, and the character it denotes.
struct Escape {
  char letter, character;
};
inline constexpr Escape kEscapes[] = {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'0', '\0'}, {'\\', '\\'}, {'"', '"'}};

/// Finds an escape by its letter (&Escape::letter) or its character (&Escape::character); null if there is none.
constexpr const Escape* find_escape(char Escape::*what, char c) {
  const auto* at =
      std::find_if(std::begin(kEscapes), std::end(kEscapes), [&](const Escape& e) { return e.*what == c; });
  return at == std::end(kEscapes) ? nullptr : at;
}

}  // namespace nesl
