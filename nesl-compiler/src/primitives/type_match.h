#pragma once

#include "levels/flat_value.h"
#include "types/nesl_types.h"

namespace nesl {

/// Extends the substitution so that it maps `pattern` to `type`; false if that is impossible.
bool match(Type* pattern, Type* type, Substitution& substitution);
/// Type of the contents of a datatype's values.
Type* contents(TypeStore& types, Type* data);
/// The specialization of a definition for this type, with the types of its variables; null if there is none.
const Definition* choose_specialization(TypeStore& types, const Definition& definition, Type* type,
                                        SubstitutionPtr& substitution);

}  // namespace nesl
