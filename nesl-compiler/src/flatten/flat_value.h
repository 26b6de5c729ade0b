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

struct Value;
using ValuePtr = std::shared_ptr<const Value>;

/// Concrete types for the quantified variables of a definition being compiled.
struct Substitution {
  std::vector<Type*> variables, types;
};
using SubstitutionPtr = std::shared_ptr<const Substitution>;

/// The code of a function value: all functions are known when they are compiled.
struct Code {
  const Definition* definition = nullptr;  ///< a function, primitive or constructor; or null for a lambda:
  const Pattern* parameter = nullptr;
  const Expr* body = nullptr;
  const Definition* owner = nullptr;  ///< the definition the lambda is written in; null: a top-level statement
  const vcode::Source* source = nullptr;
  SubstitutionPtr substitution;      ///< for the types in the lambda
  std::vector<Type*> instantiation;  ///< of definition
};

/// What the compiler knows of a NESL value: a tree that ends in let-form variables. Outside of sequences each
/// scalar and each sequence has a level: how many of the enclosing apply-to-eaches and conditionals it varies with.
/// A value of level 3 has one instance for each element of the third nested index space; one of level 0 is the
/// same everywhere and exists once. Inside a sequence, `elements` has one instance for each element.
struct Value {
  enum class Kind : std::uint8_t {
    kScalar,    ///< var: one number, bool or character per instance
    kSequence,  ///< var: the descriptor, one segment per instance; parts[0]: the elements
    kPair,      ///< parts[0], parts[1]
    kFunction,  ///< code, and parts: what it has captured, in the order of `captured`
  };
  Kind kind = Kind::kScalar;
  int level = 0;  ///< of kScalar and kSequence
  Var var = letform::kNoVar;
  std::vector<ValuePtr> parts = {};
  std::shared_ptr<const Code> code = {};
  std::vector<std::uint32_t> captured = {};  ///< numbers of local variables
};

ValuePtr scalar_value(Var var, int level);
ValuePtr sequence_value(Var descriptor, ValuePtr elements, int level);
ValuePtr pair_value(ValuePtr first, ValuePtr rest);

/// All variables of a value in the order of the stack, deepest first.
void append_leaves(const Value& value, std::vector<Var>& leaves);
std::vector<Var> leaves_of(const Value& value);
/// The first of them, or kNoVar.
Var first_leaf(const Value& value);
/// The same tree with each scalar and sequence at `level`.
ValuePtr with_level(const ValuePtr& value, int level);
/// The same tree with other variables and, of scalars and sequences outside of sequences, other levels.
ValuePtr rebuild(const ValuePtr& value, const std::function<Var(Var)>& variable, const std::function<int(int)>& level);
/// The highest level in a value.
int max_level(const Value& value);
/// True if both functions are the same code with the same kinds of captured variables.
bool same_code(const Value& a, const Value& b);
/// True if both are the same up to variables: levels, nesting, code.
bool same_shape(const Value& a, const Value& b);

}  // namespace nesl
