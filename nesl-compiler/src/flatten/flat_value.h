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

/// Concrete types for the quantified variables of a definition being compiled.
struct Substitution {
  std::vector<Type*> variables, types;
};
using SubstitutionPtr = std::shared_ptr<const Substitution>;

/// The code of a function value. Function values have no run-time form: the compiler knows the code of each.
struct Code {
  const Definition* definition = nullptr;  ///< a function, primitive or constructor; or null for a lambda:
  const Pattern* parameter = nullptr;
  const Expr* body = nullptr;
  const Definition* owner = nullptr;  ///< the definition the lambda is written in; null: a top-level statement
  const base::Source* source = nullptr;
  SubstitutionPtr substitution;      ///< for the types in the lambda
  std::vector<Type*> instantiation;  ///< of definition
};

/// A NESL value at compile time: a tree whose leaves are let-form variables. Outside of sequences each scalar and each
/// sequence has a level: how many of the enclosing apply-to-eaches and conditionals it varies with. A value of level 3
/// has one instance for each element of the third nested index space; a value of level 0 is the same everywhere and
/// exists once. The elements of a sequence have one instance for each element.
struct FlatValue {
  enum class Kind : std::uint8_t {
    kScalar,    ///< var: one number, bool or character per instance
    kSequence,  ///< var: the descriptor, one segment per instance; parts[0]: the elements
    kPair,      ///< parts[0], parts[1]
    kFunction,  ///< code, and parts: the values of the variables in `captured`
    kSlice,     ///< per instance a sequence that lies inside another one, whose elements, parts[0], are not copied:
                ///< var: its length, starts: the number of its first element
  };
  Kind kind = Kind::kScalar;
  int level = 0;  ///< of kScalar, kSequence and kSlice
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
/// Whether it has a level itself, and not only its parts.
bool has_level(const FlatValue& value);
/// Whether its part are elements, which have no level.
bool has_elements(const FlatValue& value);
/// Whether it is a slice or a tuple with one in it; slices are nowhere else.
bool has_slice(const FlatValue& value);

/// All variables of a value in the order of the stack, deepest first.
void append_leaves(const FlatValue& value, std::vector<Var>& leaves);
std::vector<Var> leaves_of(const FlatValue& value);
/// The first of them, or kNoVar.
Var first_leaf(const FlatValue& value);
/// The same tree with each scalar, sequence and slice at `level`.
ValuePtr with_level(const ValuePtr& value, int level);
/// The same tree with each variable and, outside of sequences, each level replaced. Variables are visited as
/// append_leaves() orders them.
ValuePtr rebuild(const ValuePtr& value, const std::function<Var(Var)>& variable, const std::function<int(int)>& level);
/// The highest level in a value.
int max_level(const FlatValue& value);
/// True if both values, which are functions, have the same code and capture the same variables.
bool same_code(const FlatValue& a, const FlatValue& b);
/// True if both are the same up to variables: levels, nesting, code.
bool same_shape(const FlatValue& a, const FlatValue& b);
/// True if both are the same value.
bool is_same(const FlatValue& a, const FlatValue& b);

}  // namespace nesl
