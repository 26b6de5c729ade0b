#pragma once

#include <string_view>

namespace nesl {

// The variables of closure(function, value), which the parser writes as
//   let kClosureValue = value in kClosureArgument => function(kClosureValue, kClosureArgument).
// No program can name them, so that they hide nothing.
inline constexpr std::string_view kClosureValue = "(closure value)";
inline constexpr std::string_view kClosureArgument = "(closure argument)";

}  // namespace nesl
