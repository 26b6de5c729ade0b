#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "types/definition.h"
#include "types/nesl_types.h"

namespace nesl {

/// Functions that call each other and return values of one type, merged into one function.
struct FunctionGroup {
  std::vector<const Definition*> members = {};
  std::size_t bits = 0;                                  ///< number of flags that select the called member
  std::vector<Type*> types = {};                         ///< types of the merged parameters, flags first
  std::vector<std::vector<std::size_t>> positions = {};  ///< for each member, the merged parameter of each of its own
  std::unique_ptr<Definition> definition = {};
  std::vector<const Expr*> bodies = {};  ///< for each member, its body in the merged definition
};

/// Merges at least two members. Members must not be polymorphic or take functions.
FunctionGroup make_group(std::vector<const Definition*> members, TypeStore& types);

/// Calls visit(pattern, type) for each component of the tuple that a function takes. The pattern is null where the
/// function names the whole tuple.
template <class Visit>
void for_each_parameter(const Pattern* pattern, Type* type, Visit&& visit) {
  type = resolve(type);
  if (type->kind == Type::Kind::kPair && (pattern == nullptr || pattern->kind != Pattern::Kind::kData)) {
    const bool split = pattern != nullptr && pattern->kind == Pattern::Kind::kPair;
    for_each_parameter(split ? pattern->parts[0].get() : nullptr, type->arguments[0], visit);
    for_each_parameter(split ? pattern->parts[1].get() : nullptr, type->arguments[1], visit);
    return;
  }
  visit(pattern, type);
}

}  // namespace nesl
