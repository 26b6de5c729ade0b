#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace nesl {

struct Definition;

/// Classes that restrict type variables. As sets of types, kNumber is in kOrdinal, kNumber and kLogical are in kScalar,
/// and all are in kAny. kOrdinal has also sequences, pairs and datatypes of ordinals; as a class of variables it counts
/// as a part of kScalar all the same, as in NESL 3.1, where it had int, float and char: nothing is for scalars only.
/// kLiteral is for the types of int literals during inference: within kNumber, it becomes float where that is needed,
/// and else int.
enum class TypeClass : std::uint8_t { kAny, kScalar, kOrdinal, kNumber, kLogical, kLiteral };

/// Type of an expression. Built by a TypeStore, which owns it.
struct Type {
  enum class Kind : std::uint8_t {
    kInt,
    kFloat,
    kBool,
    kChar,
    kSequence,  ///< arguments[0]: the element type
    kPair,      ///< arguments[0], arguments[1]
    kFunction,  ///< arguments[0] -> arguments[1]
    kData,      ///< a datatype; arguments: those of the datatype
    kVariable,
  };
  Kind kind;
  std::vector<Type*> arguments{};
  Definition* datatype = nullptr;          ///< of kData
  TypeClass type_class = TypeClass::kAny;  ///< of kVariable
  Type* link = nullptr;                    ///< for kVariable: the type it has been unified with
  std::uint32_t id = 0;                    ///< for kVariable: unique number
  bool ground = false;                     ///< had no variables when it was built
  std::uint32_t size = 1;                  ///< number of parts when it was built, at most kMaxTypeSize + 1
  std::uint32_t nesting = 0;               ///< nesting of sequences when it was built
};

/// Largest number of parts of a type. Sharing lets a short program build types of exponential size.
inline constexpr std::uint32_t kMaxTypeSize = 1'000'000;

/// Follows the links of unified variables.
inline Type* resolve(Type* type) {
  while (type->kind == Type::Kind::kVariable && type->link != nullptr) type = type->link;
  return type;
}

/// A polymorphic type: `type` for all instances of the variables `quantified`.
struct Scheme {
  std::vector<Type*> quantified;  ///< unlinked variables
  Type* type = nullptr;
};

/// Index of the variables in a list. Most lists have one or two variables, but some have thousands.
class Positions {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;
  explicit Positions(const std::vector<Type*>& variables);
  /// Appends a variable; false if the list already contains it.
  bool add(Type* variable);
  std::size_t find(Type* variable) const;

 private:
  static constexpr std::size_t kFew = 16;
  std::vector<Type*> few_;
  std::unordered_map<Type*, std::size_t> many_;  // positions of the variables beyond the first kFew
};

/// Creates and owns types.
class TypeStore {
 private:
  Type* substitute(Type* type, const Positions& variables, const std::vector<Type*>& types);
  Type* add(Type type);
  std::deque<Type> types_;  // declared before int_ and the other constants, which are its elements
  std::uint32_t next_id_ = 0;

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

  /// Number of types. shrink() destroys the types made since size() had the given value.
  std::size_t size() const { return types_.size(); }
  void shrink(std::size_t size);

  /// Copy of a type with each variables[i] replaced by types[i].
  Type* substitute(Type* type, const std::vector<Type*>& variables, const std::vector<Type*>& types);
};

/// Number of parts of a type, at most kMaxTypeSize + 1.
std::uint32_t size_of(Type* type);
/// Appends the unlinked variables of a type, unless the list contains them, in the order of first occurrence.
void collect_variables(Type* type, std::vector<Type*>& variables);
/// Whether a type has no variables; true for one that is too large to look through.
bool is_known(Type* type);
/// Scheme of a type, with all of its variables quantified.
Scheme generalize(Type* type);
/// True if two schemes are equal up to the names of their variables.
bool same_type(const Scheme& left, const Scheme& right);

/// Type in NESL syntax, as the top level prints it: `(a, b) -> [a] :: (a in any; b in any)`. An outermost tuple has no
/// parentheses. Variables are named a, b, c, … in the order of first occurrence.
std::string to_text(const Scheme& scheme);
std::string to_text(Type* type);
/// Texts of types that share the names of variables, for an error message: every tuple in parentheses, and contexts
/// only where these restrict something.
std::vector<std::string> to_texts(const std::vector<Type*>& types);
bool has_function(Type* type);
/// Appends a text that is equal for equal concrete types only.
void append_key(Type* type, std::string& key);

/// True if a type without unlinked variables belongs to the class. An unlinked variable belongs to it if all members of
/// the variable's class do.
bool is_member(Type* type, TypeClass type_class);
/// True if the contents of a datatype are ordinal for ordinal arguments.
bool has_ordinal_contents(const Type& data);
/// True if every type of `inner` is in `outer`; also for kOrdinal in kScalar (TypeClass).
bool is_within(TypeClass inner, TypeClass outer);
/// Name of a class in a context: "any", "number", ….
const char* to_text(TypeClass type_class);

}  // namespace nesl
