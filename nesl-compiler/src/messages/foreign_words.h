#pragma once

#include <string_view>

namespace nesl {

/// Hint for an unknown name that is a word of other languages, naming the NESL equivalent; null for most words.
const char* hint_for_word(std::string_view name);
/// As hint_for_word(), for the name of a type.
const char* hint_for_type(std::string_view name);

/// True for words that other languages write in front of another word, as in `def g` and `for x`. Before a syntax
/// error, such a word is the likely cause.
bool begins_foreign_form(std::string_view name);

}  // namespace nesl
