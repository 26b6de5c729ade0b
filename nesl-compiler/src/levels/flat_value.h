#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emitter.h"
#include "syntax/ast.h"
#include "types/definition.h"

namespace nesl {

struct FlatValue;
using ValuePtr = std::shared_ptr<const FlatValue>;

/// Concrete types of the quantified variables of a definition being compiled.
struct Substitution {
  std::vector<Type*> variables, types;
};
using SubstitutionPtr = std::shared_ptr<const Substitution>;

/// Code of a function value. Function values have no run-time form: the compiler knows the code of each.
struct Code {
  const Definition* definition = nullptr;  ///< a function, primitive or constructor; null for a lambda:
  const Pattern* parameter = nullptr;
  const Expr* body = nullptr;
  const Definition* owner = nullptr;  ///< the definition that contains the lambda; null: a top-level statement
  const base::Source* source = nullptr;
  SubstitutionPtr substitution;      ///< of the types in the lambda
  std::vector<Type*> instantiation;  ///< types of the quantified variables of `definition`
};

/// A NESL value at compile time: a tree whose leaves are let-form variables. Outside of sequences each scalar and each
/// sequence has a nesting level: the number of enclosing apply-to-eaches, filters and branches it varies with. A value
/// of nesting level 3 has one instance for each element of the third nested index space; a value of nesting level 0
/// exists once and is shared by all instances. The elements of a sequence have one instance for each element.
struct FlatValue {
  enum class Kind : std::uint8_t {
    kScalar,    ///< var: one number, bool or character for each instance
    kSequence,  ///< var: the descriptor, one segment for each instance; parts[0]: the elements
    kPair,      ///< parts[0], parts[1]
    kFunction,  ///< code, and parts: the values of the variables in `captured`
    kSlice,  ///< for each instance a sequence that lies inside another one, whose elements, parts[0], are not copied:
             ///< var: length, starts: index of the first element
  };
  Kind kind = Kind::kScalar;
  int level = 0;  ///< nesting level of a kScalar, kSequence or kSlice
  Var var = letform::kNoVar;
  Var starts = letform::kNoVar;
  std::vector<ValuePtr> parts = {};
  std::shared_ptr<const Code> code = {};
  std::vector<std::uint32_t> captured = {};  ///< numbers of local variables
};

ValuePtr scalar_value(Var var, int level);
ValuePtr sequence_value(Var descriptor, const ValuePtr& elements, int level);
ValuePtr slice_value(Var lengths, Var starts, const ValuePtr& elements, int level);
ValuePtr pair_value(ValuePtr first, ValuePtr rest);
/// Whether a value has a nesting level itself, and not only its parts.
bool has_level(const FlatValue& value);
/// Whether the part of a value is the elements of a sequence, which have no nesting level.
bool has_elements(const FlatValue& value);
/// Whether a value is a slice or a tuple that contains one. Slices occur nowhere else.
bool has_slice(const FlatValue& value);

/// Whether two values have slices at the same places, if any, and these are slices of the same sequences.
bool have_same_sources(const FlatValue& a, const FlatValue& b);

/// Variables of a value in the order of the stack, deepest first.
void append_leaves(const FlatValue& value, std::vector<Var>& leaves);
std::vector<Var> leaves_of(const FlatValue& value);
/// First variable of a value, as append_leaves() orders them, or kNoVar.
Var first_leaf(const FlatValue& value);
/// Copy of a tree with each scalar, sequence and slice at nesting level `level`.
ValuePtr with_level(const ValuePtr& value, int level);
/// Copy of a tree with each variable replaced and, outside of sequences, each nesting level. Visits variables in the
/// order of append_leaves().
ValuePtr rebuild(const ValuePtr& value, const std::function<Var(Var)>& variable, const std::function<int(int)>& level);
/// Highest nesting level in a value.
int max_level(const FlatValue& value);
/// True if two functions have the same code and capture the same variables.
bool same_code(const FlatValue& a, const FlatValue& b);
/// True if two values agree except for their variables: nesting levels, structure and code.
bool same_shape(const FlatValue& a, const FlatValue& b);
/// True if two values have the same structure and the same variables.
bool is_same(const FlatValue& a, const FlatValue& b);

}  // namespace nesl
