#pragma once

#include <string_view>

namespace nesl {

/// What a word of other languages is in NESL, for a message about a name that has no meaning here; null for most words.
const char* hint_for_word(std::string_view name);
/// The same for the name of a type.
const char* hint_for_type(std::string_view name);

/// True of those that other languages write in front of another word, as in `def g` and `for x`: where a syntax error
/// follows, they are its likely cause.
bool begins_foreign_form(std::string_view name);

}  // namespace nesl
