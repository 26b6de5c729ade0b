#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace nesl {

struct Definition;

/// The classes that restrict type variables. As sets of types, kNumber is in kOrdinal, kOrdinal and kLogical are in
/// kScalar, and kScalar is in kAny.
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
  Definition* datatype = nullptr;          ///< of kData
  TypeClass type_class = TypeClass::kAny;  ///< of kVariable
  Type* link = nullptr;                    ///< of kVariable: what it has been unified with
  std::uint32_t id = 0;                    ///< of kVariable: distinct
  bool ground = false;                     ///< contained no variable when it was built
  std::uint32_t size = 1;                  ///< parts when it was built, at most kMaxTypeSize + 1
  std::uint32_t nesting = 0;               ///< depth of sequences within sequences when it was built
};

/// Types with more parts than this are refused: sharing lets a short program build types of exponential size.
inline constexpr std::uint32_t kMaxTypeSize = 1'000'000;

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

/// The positions of variables in a list. Most lists have one or two variables, but some have thousands.
class Positions {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;
  explicit Positions(const std::vector<Type*>& variables);
  /// False if the list has the variable already.
  bool add(Type* variable);
  std::size_t find(Type* variable) const;

 private:
  static constexpr std::size_t kFew = 16;
  std::vector<Type*> few_;
  std::unordered_map<Type*, std::size_t> many_;  // those beyond kFew
};

/// Creates types and owns them.
class TypeStore {
 private:
  Type* substitute(Type* type, const Positions& variables, const std::vector<Type*>& types);
  Type* add(Type type);
  std::deque<Type> types_;  // declared before int_ and the other constants, which it holds
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

  /// The number of types, and a return to an earlier number: types made since then are gone.
  std::size_t size() const { return types_.size(); }
  void shrink(std::size_t size);

  /// The type with each variables[i] replaced by types[i].
  Type* substitute(Type* type, const std::vector<Type*>& variables, const std::vector<Type*>& types);
};

/// The number of parts of a type, at most kMaxTypeSize + 1.
std::uint32_t size_of(Type* type);
/// Appends the unlinked variables of a type that are not in the list yet, by first occurrence.
void collect_variables(Type* type, std::vector<Type*>& variables);
/// The type with all of its variables quantified.
Scheme generalize(Type* type);
/// True if two schemes are the same up to the names of their variables.
bool same_type(const Scheme& left, const Scheme& right);

/// NESL syntax, as the top level prints it: `(a, b) -> [a] :: (a in any; b in any)`. A tuple at the outermost
/// level has no parentheses. Variables are named a, b, c, … by first occurrence.
std::string to_text(const Scheme& scheme);
std::string to_text(Type* type);
/// Several types that share the names of their variables, as an error message needs them: every tuple in
/// parentheses, and contexts only where they restrict something.
std::vector<std::string> to_texts(const std::vector<Type*>& types);
bool has_function(Type* type);
/// Appends a text that is the same for the same concrete types only.
void append_key(Type* type, std::string& key);

/// True if a type without unlinked variables belongs to the class. An unlinked variable belongs to it if all
/// members of its own class do.
bool is_member(Type* type, TypeClass type_class);
/// True if every type in `inner` is in `outer`.
bool is_within(TypeClass inner, TypeClass outer);
/// The spelling in a context: "any", "number", ….
const char* to_text(TypeClass type_class);

}  // namespace nesl
