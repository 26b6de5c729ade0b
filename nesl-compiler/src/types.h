#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace nesl {

struct Definition;

/// The classes that restrict type variables. kNumber is within kOrdinal within kScalar within kAny, and kLogical
/// within kScalar.
enum class TypeClass : std::uint8_t { kAny, kScalar, kOrdinal, kNumber, kLogical };

/// A type of an expression. Types are built by a TypeStore and never freed before it.
struct Type {
  enum class Kind : std::uint8_t {
    kInt,
    kFloat,
    kBool,
    kChar,
    kSequence,  ///< arguments[0]: the element type
    kPair,      ///< arguments[0], arguments[1]
    kFunction,  ///< arguments[0] -> arguments[1]
    kData,      ///< a datatype with arguments
    kVariable,
  };
  Kind kind;
  std::vector<Type*> arguments{};
  Definition* datatype = nullptr;            ///< of kData
  TypeClass type_class = TypeClass::kAny;    ///< of kVariable
  Type* link = nullptr;                      ///< of kVariable: what it has been unified with
  std::uint32_t id = 0;                      ///< of kVariable: distinct
};

/// Follows the links of unified variables.
inline Type* resolve(Type* type) {
  while (type->kind == Type::Kind::kVariable && type->link != nullptr) type = type->link;
  return type;
}

/// A type that may be used at many instances: `type` with the variables `quantified` replaced.
struct Scheme {
  std::vector<Type*> quantified;  ///< unlinked variables
  Type* type = nullptr;
};

/// Creates types and owns them.
class TypeStore {
 public:
  TypeStore();
  TypeStore(const TypeStore&) = delete;

  Type* const int_;
  Type* const float_;
  Type* const bool_;
  Type* const char_;
  Type* sequence(Type* element);
  Type* pair(Type* first, Type* rest);
  Type* function(Type* argument, Type* result);
  Type* data(Definition* datatype, std::vector<Type*> arguments);
  Type* variable(TypeClass type_class);

  /// The type with each variables[i] replaced by types[i].
  Type* substitute(Type* type, const std::vector<Type*>& variables, const std::vector<Type*>& types);

 private:
  Type* add(Type type);
  std::deque<Type> types_;
  std::uint32_t next_id_ = 0;
};

/// NESL syntax, as the top level prints it: `(a, b) -> [a] :: (a in any; b in any)`. A tuple at the outermost
/// level has no parentheses. Variables are named a, b, c, … by first occurrence.
std::string to_text(const Scheme& scheme);
std::string to_text(Type* type);
/// Several types that share the names of their variables, as an error message needs them.
std::vector<std::string> to_texts(const std::vector<Type*>& types);

/// True if a type without unlinked variables belongs to the class.
bool is_member(Type* type, TypeClass type_class);
/// The spelling in a context: "any", "number", ….
const char* to_text(TypeClass type_class);

}  // namespace nesl
