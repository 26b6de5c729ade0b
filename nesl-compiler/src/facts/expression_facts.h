#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "syntax/ast.h"
#include "types/definition.h"
#include "vcode/op.h"

namespace nesl {

/// Properties of analysed expressions and definitions that decide how they are compiled, computed on demand and cached.
/// Use one object for one compilation, during which no definition changes.
class ExpressionFacts {
 public:
  /// Local variables that an expression uses but does not bind, ascending.
  const std::vector<std::uint32_t>& free_locals(const Expr& expr);

  struct SideEffects {
    bool may_fail = false;  ///< can end the program, run forever, or do input or output
    bool draws = false;     ///< draws random numbers
  };
  /// Effects of evaluating an expression or calling a definition, including the effects of all called functions.
  SideEffects side_effects(const Expr& expr);
  SideEffects side_effects(const Definition& definition);
  /// Effects of a primitive applied to scalars.
  SideEffects scalar_side_effects(const Definition& primitive);

  /// Globals that a definition needs, itself or through functions it mentions, sorted by name.
  const std::vector<Definition*>& globals(const Definition& definition);
  /// Globals that an expression needs, in the order of first use.
  std::vector<Definition*> globals(const Expr& expr);

  /// Members of the definition's strongly connected component of the call graph, including itself, sorted by name.
  const std::vector<const Definition*>& group(const Definition& definition);

  /// Number of syntax nodes of a function's body after inlining all calls in it; at most kLarge.
  int inlined_size(const Definition& definition);
  static constexpr int kLarge = 1'000'000;

  /// Whether evaluating an expression makes a sequence, directly or in a non-recursive function it calls.
  bool makes_sequences(const Expr& expr);
  /// Whether an expression mentions a recursive function.
  bool calls_recursion(const Expr& expr);

  /// True if a sequence bound to this local variable is only indexed, only has its length taken, or is only passed to
  /// functions for which the same holds. Such a sequence need not be restricted to the active instances.
  bool only_indexed(const Definition& definition, std::uint32_t local);
  /// As above for a variable in its scope; for a record, for all sequences in it.
  bool only_indexed(const Expr& scope, std::uint32_t local);

 private:
  struct DefinitionFacts {
    bool effects_known = false, size_known = false, globals_known = false;
    SideEffects effects;
    int size = 0;
    std::optional<bool> makes_sequences = {};
    std::vector<Definition*> globals;  ///< while globals_known is false: those found so far
    std::vector<const Definition*> group;
    std::size_t visit = 0;         ///< position in the order of find_globals()'s visits; 0: not visited
    std::size_t oldest_visit = 0;  ///< lowest visit number among the unfinished definitions that this one reaches
    std::unordered_map<std::uint32_t, bool> only_indexed;
  };

  void find_globals(const Definition& definition);

  std::unordered_map<const Expr*, std::vector<std::uint32_t>> free_;
  std::unordered_map<const Expr*, SideEffects> expr_side_effects_;
  std::unordered_map<const Expr*, bool> calls_recursion_, makes_sequences_;
  std::unordered_map<const Definition*, DefinitionFacts> definitions_;
  std::vector<const Definition*> unfinished_;  ///< visited by find_globals(); component not known yet
  std::size_t visits_ = 0;
};

/// Calls visit(child) for each direct subexpression of an expression, in the order of evaluation.
template <class F>
void for_each_child(const Expr& expr, F&& visit) {
  std::visit(
      [&](const auto& node) {
        using T = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<T, Call>) {
          visit(*node.function);
          visit(*node.argument);
        } else if constexpr (std::is_same_v<T, Pair>) {
          visit(*node.first);
          visit(*node.rest);
        } else if constexpr (std::is_same_v<T, If>) {
          visit(*node.condition);
          visit(*node.then_branch);
          visit(*node.else_branch);
        } else if constexpr (std::is_same_v<T, Let>) {
          for (const auto& [pattern, value] : node.bindings) visit(*value);
          visit(*node.body);
        } else if constexpr (std::is_same_v<T, Lambda>) {
          visit(*node.body);
        } else if constexpr (std::is_same_v<T, SequenceLiteral>) {
          for (const auto& element : node.elements) visit(*element);
        } else if constexpr (std::is_same_v<T, Each>) {
          for (const auto& [pattern, value] : node.bindings) visit(*value);
          if (node.filter) visit(*node.filter);
          visit(*node.body);
        } else if constexpr (std::is_same_v<T, Time>) {
          visit(*node.expression);
        } else if constexpr (std::is_same_v<T, Field>) {
          visit(*node.record);
        } else if constexpr (std::is_same_v<T, OptionalArgument>) {
          visit(*node.value);
        }
      },
      expr.node);
}

/// Calls visit(pattern) for each variable of a pattern, from left to right.
template <class F>
void for_each_variable(const Pattern& pattern, F&& visit) {
  if (pattern.kind == Pattern::Kind::kVariable) visit(pattern);
  for (const auto& part : pattern.parts) for_each_variable(*part, visit);
}

/// VCODE instruction of a primitive. The suffix is kNone unless the text of the primitive fixes it.
struct PrimitiveInstruction {
  vcode::Op op;
  vcode::Suffix suffix;
};
std::optional<PrimitiveInstruction> find_instruction(const Definition& primitive);
bool primitive_may_fail(const Definition& primitive);

/// True if the value of a global is computed at each use instead of once: constants of the prelude, and functions,
/// whose code must be known at compile time.
bool is_computed_in_place(const Definition& global);

}  // namespace nesl
