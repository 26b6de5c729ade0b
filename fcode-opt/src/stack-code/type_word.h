#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vcode/stack_effects.h"

namespace vcode::letform {

/// Type of a value on the stack, as a word: one of "IBFS" for a value that is not a pair, otherwise "P" and the types
/// of its two parts.
using TypeWord = std::string;
using TypeWords = std::vector<TypeWord>;

inline constexpr char kPairLetter = 'P';

/// Type word of a kind: "I" for Int, and so on. Not for kPair.
TypeWord type_of(Kind kind);
/// Kind of a letter of a type other than "P".
Kind kind_of(char letter);
bool has_pairs(const TypeWords& types);

/// Types of the values that a function leaves, the topmost last, if `inputs`, the topmost last, and its effect
/// determine them.
std::optional<TypeWords> output_types(const StackEffect& effect, const TypeWords& inputs);

/// Types of a function's inputs, the topmost last, if there is only one choice and none is a pair.
std::optional<TypeWords> only_input_types(const StackEffect& effect);

}  // namespace vcode::letform
