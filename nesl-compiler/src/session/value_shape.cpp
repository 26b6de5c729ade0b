#include "nesl-compiler/value_shape.h"

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

}  // namespace nesl
