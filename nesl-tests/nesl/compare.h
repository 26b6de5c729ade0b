#pragma once

#include <string>

#include "nesl_case_file.h"

namespace nesl_cases {

/// Compares replies by the rules at the top of cases.txt: types up to the names of their variables, floats up to one
/// unit in the 15th digit, printed text without trailing blanks, errors by class and text. Returns a description of the
/// difference; empty if the replies agree.
std::string difference(const Reply& expected, const Reply& actual);

}  // namespace nesl_cases
