#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "types/definition.h"
#include "types/nesl_types.h"

namespace nesl {

/// One function that is several others, which call each other, and return values of one type.
struct FunctionGroup {
  std::vector<const Definition*> members = {};
  std::size_t bits = 0;                               ///< so many flags say which member is called
  std::vector<Type*> types = {};                      ///< of the parameters: the flags come first
  std::vector<std::vector<std::size_t>> places = {};  ///< for each member, which of them its own parameters are
  std::unique_ptr<Definition> definition = {};
  std::vector<const Expr*> bodies = {};  ///< the part of the definition that is each member's
};

/// At least two members, which are not polymorphic, and take no functions.
FunctionGroup make_group(std::vector<const Definition*> members, TypeStore& types);

/// Calls visit(pattern, type) for the parts of the tuple that a function takes; the pattern is null where the function
/// names the tuple itself.
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
