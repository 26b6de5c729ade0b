#include "types.h"

#include <algorithm>

namespace nesl {

TypeStore::TypeStore()
    : int_(add({.kind = Type::Kind::kInt, .ground = true})),
      float_(add({.kind = Type::Kind::kFloat, .ground = true})),
      bool_(add({.kind = Type::Kind::kBool, .ground = true})),
      char_(add({.kind = Type::Kind::kChar, .ground = true})) {}

Type* TypeStore::add(Type type) {
  if (!type.arguments.empty() || type.kind == Type::Kind::kData) {
    type.ground = true;
    std::uint32_t size = 1;
    for (Type*& argument : type.arguments) {
      argument = resolve(argument);
      type.ground = type.ground && argument->ground;
      size = std::min(size + argument->size, kMaxTypeSize + 1);
    }
    type.size = size;
  }
  return &types_.emplace_back(std::move(type));
}

Type* TypeStore::sequence(Type* element) { return add({.kind = Type::Kind::kSequence, .arguments = {element}}); }

Type* TypeStore::pair(Type* first, Type* rest) { return add({.kind = Type::Kind::kPair, .arguments = {first, rest}}); }

Type* TypeStore::function(Type* argument, Type* result) {
  return add({.kind = Type::Kind::kFunction, .arguments = {argument, result}});
}

Type* TypeStore::data(Definition* datatype, std::vector<Type*> arguments) {
  return add({.kind = Type::Kind::kData, .arguments = std::move(arguments), .datatype = datatype});
}

Type* TypeStore::variable(TypeClass type_class) {
  return add({.kind = Type::Kind::kVariable, .type_class = type_class, .id = next_id_++});
}

Type* TypeStore::substitute(Type* type, const std::vector<Type*>& variables, const std::vector<Type*>& types) {
  type = resolve(type);
  if (type->ground) return type;
  if (type->kind == Type::Kind::kVariable) {
    auto at = std::find(variables.begin(), variables.end(), type);
    return at == variables.end() ? type : types[static_cast<std::size_t>(at - variables.begin())];
  }
  std::vector<Type*> arguments(type->arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i] = substitute(type->arguments[i], variables, types);
  return add({.kind = type->kind, .arguments = std::move(arguments), .datatype = type->datatype});
}

namespace {

// Adds up to the limit, so that the walk over a type of exponential size ends.
void add_size(Type* type, std::uint32_t& size) {
  type = resolve(type);
  if (type->ground) {
    size += type->size;
    return;
  }
  ++size;
  for (Type* argument : type->arguments) {
    if (size > kMaxTypeSize) return;
    add_size(argument, size);
  }
}

bool same(Type* left, Type* right, const Scheme& left_scheme, const Scheme& right_scheme) {
  left = resolve(left);
  right = resolve(right);
  if (left == right && left->ground) return true;
  if (left->kind != right->kind || left->datatype != right->datatype ||
      left->arguments.size() != right->arguments.size())
    return false;
  if (left->kind == Type::Kind::kVariable) {
    auto place = [](Type* variable, const Scheme& scheme) {
      return std::find(scheme.quantified.begin(), scheme.quantified.end(), variable) - scheme.quantified.begin();
    };
    return left->type_class == right->type_class && place(left, left_scheme) == place(right, right_scheme);
  }
  for (std::size_t i = 0; i < left->arguments.size(); ++i)
    if (!same(left->arguments[i], right->arguments[i], left_scheme, right_scheme)) return false;
  return true;
}

}  // namespace

std::uint32_t size_of(Type* type) {
  std::uint32_t size = 0;
  add_size(type, size);
  return std::min(size, kMaxTypeSize + 1);
}

void collect_variables(Type* type, std::vector<Type*>& variables) {
  type = resolve(type);
  if (type->ground) return;
  if (type->kind == Type::Kind::kVariable) {
    if (std::find(variables.begin(), variables.end(), type) == variables.end()) variables.push_back(type);
    return;
  }
  for (Type* argument : type->arguments) collect_variables(argument, variables);
}

Scheme generalize(Type* type) {
  Scheme scheme{{}, type};
  collect_variables(type, scheme.quantified);
  return scheme;
}

bool same_type(const Scheme& left, const Scheme& right) {
  return left.quantified.size() == right.quantified.size() && same(left.type, right.type, left, right);
}

bool is_within(TypeClass inner, TypeClass outer) {
  switch (outer) {
    case TypeClass::kAny:
      return true;
    case TypeClass::kScalar:
      return inner != TypeClass::kAny;
    case TypeClass::kOrdinal:
      return inner == TypeClass::kOrdinal || inner == TypeClass::kNumber;
    case TypeClass::kNumber:
      return inner == TypeClass::kNumber;
    case TypeClass::kLogical:
      return inner == TypeClass::kLogical;
  }
  return false;
}

bool is_member(Type* type, TypeClass type_class) {
  type = resolve(type);
  switch (type->kind) {
    case Type::Kind::kVariable:
      return is_within(type->type_class, type_class);
    case Type::Kind::kInt:
      return true;
    case Type::Kind::kFloat:
      return type_class != TypeClass::kLogical;
    case Type::Kind::kChar:
      return type_class != TypeClass::kLogical && type_class != TypeClass::kNumber;
    case Type::Kind::kBool:
      return type_class != TypeClass::kOrdinal && type_class != TypeClass::kNumber;
    default:
      return type_class == TypeClass::kAny;
  }
}

}  // namespace nesl
