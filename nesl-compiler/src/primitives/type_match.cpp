#include "type_match.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "types/definition.h"

namespace nesl {

bool match(Type* pattern, Type* type, Substitution& substitution) {
  pattern = resolve(pattern);
  type = resolve(type);
  if (pattern->kind == Type::Kind::kVariable) {
    auto it = std::find(substitution.variables.begin(), substitution.variables.end(), pattern);
    if (it == substitution.variables.end()) {
      if (type->kind != Type::Kind::kVariable && !is_member(type, pattern->type_class)) return false;
      substitution.variables.push_back(pattern);
      substitution.types.push_back(type);
      return true;
    }
    std::string a, b;
    append_key(substitution.types[it - substitution.variables.begin()], a);
    append_key(type, b);
    return a == b;
  }
  if (pattern->kind != type->kind || pattern->datatype != type->datatype ||
      pattern->arguments.size() != type->arguments.size())
    return false;
  for (std::size_t i = 0; i < pattern->arguments.size(); ++i)
    if (!match(pattern->arguments[i], type->arguments[i], substitution)) return false;
  return true;
}

Type* contents(TypeStore& types, Type* data) {
  const Scheme& constructor = data->datatype->scheme;
  Substitution substitution;
  [[maybe_unused]] const bool is_instance = match(resolve(constructor.type)->arguments[1], data, substitution);
  VC_CHECK(is_instance);
  return resolve(types.substitute(resolve(constructor.type)->arguments[0], substitution.variables, substitution.types));
}

namespace {

/// The type with each outermost datatype replaced by the type of its contents.
Type* unwrap(TypeStore& types, Type* type) {
  type = resolve(type);
  if (type->kind == Type::Kind::kData) return contents(types, type);
  if (type->kind == Type::Kind::kPair)
    return types.pair(unwrap(types, type->arguments[0]), unwrap(types, type->arguments[1]));
  if (type->kind == Type::Kind::kSequence) return types.sequence(unwrap(types, type->arguments[0]));
  if (type->kind == Type::Kind::kFunction)
    return types.function(unwrap(types, type->arguments[0]), unwrap(types, type->arguments[1]));
  return type;
}

}  // namespace

const Definition* choose_specialization(TypeStore& types, const Definition& definition, Type* type,
                                        SubstitutionPtr& substitution) {
  // If no specialization matches a datatype, try its contents.
  for (int wrappers = 0; wrappers < 64; ++wrappers) {
    for (const auto& special : definition.specializations) {
      Substitution found;
      if (match(special->scheme.type, type, found)) {
        substitution = std::make_shared<Substitution>(std::move(found));
        return special.get();
      }
    }
    std::string before, after;
    append_key(type, before);
    type = unwrap(types, type);
    append_key(type, after);
    if (before == after) break;
  }
  return nullptr;
}

}  // namespace nesl
