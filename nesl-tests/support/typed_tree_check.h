#pragma once

#include <string>

#include "types/definition.h"

namespace nesl {

/// For tests: the first error in the types and names that inference has written into a syntax tree, or "".
std::string check_typed_tree(const Definition& function);
std::string check_typed_tree(const GlobalStatement& statement);

}  // namespace nesl
