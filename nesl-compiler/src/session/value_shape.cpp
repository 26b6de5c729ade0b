#include "nesl-compiler/value_shape.h"

#include <fmt/format.h>

#include "types/definition.h"
#include "types/nesl_types.h"

namespace nesl {

namespace {

ValueShape shape(Type* type, const std::vector<Type*>& variables, const std::vector<ValueShape>& shapes) {
  type = resolve(type);
  ValueShape result;
  auto add_parts = [&] {
    for (Type* argument : type->arguments) result.parts.push_back(shape(argument, variables, shapes));
  };
  switch (type->kind) {
    case Type::Kind::kInt:
      break;
    case Type::Kind::kFloat:
      result.kind = ValueShape::Kind::kFloat;
      break;
    case Type::Kind::kBool:
      result.kind = ValueShape::Kind::kBool;
      break;
    case Type::Kind::kChar:
      result.kind = ValueShape::Kind::kChar;
      break;
    case Type::Kind::kSequence:
      result.kind = ValueShape::Kind::kSequence;
      add_parts();
      break;
    case Type::Kind::kPair:
      result.kind = ValueShape::Kind::kPair;
      add_parts();
      break;
    case Type::Kind::kFunction:
      result.kind = ValueShape::Kind::kFunction;
      break;
    case Type::Kind::kData: {
      result.kind = ValueShape::Kind::kData;
      result.name = type->datatype->name;
      result.type = to_text(type);
      // The constructor's type says what is inside: contents -> name(variables).
      const Type* constructor = resolve(type->datatype->scheme.type);
      std::vector<Type*> parameters;
      for (Type* parameter : resolve(constructor->arguments[1])->arguments) parameters.push_back(resolve(parameter));
      std::vector<ValueShape> arguments;
      for (Type* argument : type->arguments) arguments.push_back(shape(argument, variables, shapes));
      result.parts = {shape(constructor->arguments[0], parameters, arguments)};
      break;
    }
    case Type::Kind::kVariable:
      // A variable that nothing depends on is an int.
      for (std::size_t i = 0; i < variables.size(); ++i)
        if (variables[i] == type) return shapes[i];
      break;
  }
  return result;
}

}  // namespace

ValueShape shape_of(Type* type) { return shape(type, {}, {}); }

namespace {

/// The text of the parts of a tuple, or of any other type, without parentheses around it.
std::string open_text(const ValueShape& shape) {
  if (shape.kind != ValueShape::Kind::kPair) return type_text(shape);
  std::string text = type_text(shape.parts[0]);
  const ValueShape* rest = &shape.parts[1];
  for (; rest->kind == ValueShape::Kind::kPair; rest = &rest->parts[1]) text += ", " + type_text(rest->parts[0]);
  return text + ", " + type_text(*rest);
}

}  // namespace

std::string type_text(const ValueShape& shape) {
  switch (shape.kind) {
    case ValueShape::Kind::kInt:
      return "int";
    case ValueShape::Kind::kFloat:
      return "float";
    case ValueShape::Kind::kBool:
      return "bool";
    case ValueShape::Kind::kChar:
      return "char";
    case ValueShape::Kind::kSequence:
      return fmt::format("[{}]", type_text(shape.parts[0]));
    case ValueShape::Kind::kPair:
      return fmt::format("({})", open_text(shape));
    case ValueShape::Kind::kData:
      return shape.type;
    case ValueShape::Kind::kFunction:
      break;
  }
  return "fn";
}

std::size_t entry_count(const ValueShape& shape) {
  std::size_t count = shape.kind <= ValueShape::Kind::kSequence ? 1 : 0;
  for (const ValueShape& part : shape.parts) count += entry_count(part);
  return count;
}

}  // namespace nesl
