#include "nesl_types.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "definition.h"

namespace nesl {

Positions::Positions(const std::vector<Type*>& variables) {
  for (Type* variable : variables) add(variable);
}

bool Positions::add(Type* variable) {
  if (find(variable) != kNone) return false;
  if (few_.size() < kFew)
    few_.push_back(variable);
  else
    many_.emplace(variable, few_.size() + many_.size());
  return true;
}

std::size_t Positions::find(Type* variable) const {
  auto at = std::find(few_.begin(), few_.end(), variable);
  if (at != few_.end()) return static_cast<std::size_t>(at - few_.begin());
  auto found = many_.find(variable);
  return found == many_.end() ? kNone : found->second;
}

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
      type.nesting = std::max(type.nesting, argument->nesting);
    }
    type.size = size;
    if (type.kind == Type::Kind::kSequence) ++type.nesting;
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

void TypeStore::shrink(std::size_t size) {
  VC_CHECK(size <= types_.size());
  while (types_.size() > size) types_.pop_back();
}

Type* TypeStore::substitute(Type* type, const std::vector<Type*>& variables, const std::vector<Type*>& types) {
  VC_CHECK(variables.size() == types.size());
  return substitute(type, Positions(variables), types);
}

Type* TypeStore::substitute(Type* type, const Positions& variables, const std::vector<Type*>& types) {
  type = resolve(type);
  if (type->ground) return type;
  if (type->kind == Type::Kind::kVariable) {
    std::size_t at = variables.find(type);
    return at == Positions::kNone ? type : types[at];
  }
  std::vector<Type*> arguments(type->arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i] = substitute(type->arguments[i], variables, types);
  return add({.kind = type->kind, .arguments = std::move(arguments), .datatype = type->datatype});
}

namespace {

// Stops at kMaxTypeSize, so that a type of exponential size does not take exponential time.
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

bool same(Type* left, Type* right, const Positions& left_variables, const Positions& right_variables) {
  left = resolve(left);
  right = resolve(right);
  if (left == right && left->ground) return true;
  if (left->kind != right->kind || left->datatype != right->datatype ||
      left->arguments.size() != right->arguments.size())
    return false;
  if (left->kind == Type::Kind::kVariable)
    return left->type_class == right->type_class && left_variables.find(left) == right_variables.find(right);
  for (std::size_t i = 0; i < left->arguments.size(); ++i)
    if (!same(left->arguments[i], right->arguments[i], left_variables, right_variables)) return false;
  return true;
}

}  // namespace

std::uint32_t size_of(Type* type) {
  std::uint32_t size = 0;
  add_size(type, size);
  return std::min(size, kMaxTypeSize + 1);
}

namespace {

void collect(Type* type, Positions& seen, std::vector<Type*>& variables) {
  type = resolve(type);
  if (type->ground) return;
  if (type->kind == Type::Kind::kVariable && seen.add(type)) variables.push_back(type);
  for (Type* argument : type->arguments) collect(argument, seen, variables);
}

}  // namespace

void collect_variables(Type* type, std::vector<Type*>& variables) {
  Positions seen(variables);
  collect(type, seen, variables);
}

bool is_known(Type* type) {
  std::vector<Type*> variables;
  if (size_of(type) <= kMaxTypeSize) collect_variables(type, variables);
  return variables.empty();
}

Scheme generalize(Type* type) {
  Scheme scheme{{}, type};
  collect_variables(type, scheme.quantified);
  return scheme;
}

bool same_type(const Scheme& left, const Scheme& right) {
  return left.quantified.size() == right.quantified.size() &&
         same(left.type, right.type, Positions(left.quantified), Positions(right.quantified));
}

bool is_within(TypeClass inner, TypeClass outer) {
  switch (outer) {
    case TypeClass::kAny:
      return true;
    case TypeClass::kScalar:
      return inner != TypeClass::kAny;
    case TypeClass::kOrdinal:
      return inner == TypeClass::kOrdinal || inner == TypeClass::kNumber || inner == TypeClass::kLiteral;
    case TypeClass::kNumber:
      return inner == TypeClass::kNumber || inner == TypeClass::kLiteral;
    case TypeClass::kLogical:
    case TypeClass::kLiteral:
      return inner == outer;
  }
  VC_CHECK(false);
  return false;
}

namespace {

/// Whether a type is ordinal; with `any_variable`, its variables count as ordinal. The number of steps is limited, as
/// datatypes share their contents.
bool is_ordinal(Type* type, bool any_variable, std::uint32_t& steps) {
  if (++steps > kMaxTypeSize) return false;
  type = resolve(type);
  switch (type->kind) {
    case Type::Kind::kVariable:
      return any_variable || is_within(type->type_class, TypeClass::kOrdinal);
    case Type::Kind::kInt:
    case Type::Kind::kFloat:
    case Type::Kind::kChar:
      return true;
    case Type::Kind::kBool:
    case Type::Kind::kFunction:
      return false;
    case Type::Kind::kData: {
      Type* constructor = type->datatype->scheme.type;
      if (constructor == nullptr || !is_ordinal(resolve(constructor)->arguments[0], true, steps)) return false;
      break;
    }
    case Type::Kind::kSequence:
    case Type::Kind::kPair:
      break;
  }
  return std::all_of(type->arguments.begin(), type->arguments.end(),
                     [&](Type* argument) { return is_ordinal(argument, any_variable, steps); });
}

}  // namespace

bool has_ordinal_contents(const Type& data) {
  std::uint32_t steps = 0;
  Type* constructor = data.datatype->scheme.type;
  return constructor != nullptr && is_ordinal(resolve(constructor)->arguments[0], true, steps);
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
      return type_class != TypeClass::kLogical && !is_within(type_class, TypeClass::kNumber);
    case Type::Kind::kBool:
      return !is_within(type_class, TypeClass::kOrdinal);
    case Type::Kind::kSequence:
    case Type::Kind::kPair:
    case Type::Kind::kData:
      if (type_class == TypeClass::kOrdinal) {
        std::uint32_t steps = 0;
        return is_ordinal(type, false, steps);
      }
      return type_class == TypeClass::kAny;
    case Type::Kind::kFunction:
      return type_class == TypeClass::kAny;
  }
  VC_CHECK(false);
  return false;
}

bool has_function(Type* type) {
  type = resolve(type);
  return type->kind == Type::Kind::kFunction ||
         std::any_of(type->arguments.begin(), type->arguments.end(), has_function);
}

void append_key(Type* type, std::string& key) {
  type = resolve(type);
  key += static_cast<char>('0' + static_cast<int>(type->kind));
  if (type->kind == Type::Kind::kData) key += fmt::format("{}", static_cast<const void*>(type->datatype));
  for (Type* argument : type->arguments) append_key(argument, key);
}

}  // namespace nesl
