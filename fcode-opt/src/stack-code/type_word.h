#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vcode/stack_effects.h"

namespace vcode::letform {

/// The type of a value on the stack, as a word: one of "IBFS" for a value that is not a pair, otherwise "P" and the
/// types of its two parts.
using TypeWord = std::string;
using TypeWords = std::vector<TypeWord>;

inline constexpr char kPairLetter = 'P';

/// "I" for Int, and so on. Not for kPair.
TypeWord type_of(Kind kind);
/// Of a letter of a type other than "P".
Kind kind_of(char letter);
bool has_pairs(const TypeWords& types);

/// The types of what a function leaves, the topmost last, if `inputs`, the topmost last, and its effect determine them.
std::optional<TypeWords> output_types(const StackEffect& effect, const TypeWords& inputs);

/// The inputs of a function, the topmost last, if there is only one choice and none is a pair.
std::optional<TypeWords> only_input_types(const StackEffect& effect);

}  // namespace vcode::letform
