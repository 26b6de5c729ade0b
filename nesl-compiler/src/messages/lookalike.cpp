#include "lookalike.h"

#include <iterator>

#include <fmt/format.h>

namespace nesl {

namespace {

struct Known {
  std::string_view character;
  std::string_view name;
  std::string_view meant;
};

constexpr Known kKnown[] = {
    {"\xE2\x80\x9C", "typographic quote", "\""},  // U+201C
    {"\xE2\x80\x9D", "typographic quote", "\""},  // U+201D
    {"\xE2\x80\x9E", "typographic quote", "\""},  // U+201E
    {"\xE2\x80\x98", "typographic quote", "'"},   // U+2018
    {"\xE2\x80\x99", "typographic quote", "'"},   // U+2019
    {"\xE2\x88\x92", "minus sign of its own, U+2212", "-"},
    {"\xE2\x80\x90", "hyphen of its own, U+2010", "-"},
    {"\xE2\x80\x91", "hyphen of its own, U+2011", "-"},
    {"\xE2\x80\x93", "dash", "-"},  // U+2013
    {"\xE2\x80\x94", "dash", "-"},  // U+2014
    {"\xC3\x97", "multiplication sign", "*"},
    {"\xC3\xB7", "division sign", "/"},
    {"\xE2\x89\xA0", "comparison sign", "/="},
    {"\xE2\x89\xA4", "comparison sign", "<="},
    {"\xE2\x89\xA5", "comparison sign", ">="},
    {"\xE2\x86\x92", "arrow", "->"},
    {"\xE2\x86\x90", "arrow", "<-"},
    {"\xE2\x87\x92", "arrow", "=>"},
    {"\xC2\xA0", "no-break space, U+00A0", ""},
    {"\xE2\x80\xAF", "no-break space, U+202F", ""},
    {"\xE2\x80\x8B", "space without width, U+200B", ""},
    {"\xE3\x80\x80", "wide space, U+3000", ""},
};

}  // namespace

Lookalike find_lookalike(std::string_view text) {
  for (const Known& known : kKnown) {
    if (!text.starts_with(known.character)) continue;
    if (known.meant.empty())
      return {known.character.size(), fmt::format("this is a {}; write an ordinary blank", known.name), false};
    return {known.character.size(), fmt::format("{} is a {}; write {}", known.character, known.name, known.meant),
            known.meant == "\""};
  }
  return {};
}

}  // namespace nesl
