#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "syntax/ast.h"
#include "types/definition.h"
#include "vcode/ops.h"

namespace nesl {

/// Properties of analysed expressions and definitions that decide how they are compiled. Computed on demand and
/// kept; one object serves one compilation, during which no definition changes.
class Facts {
 public:
  /// The local variables an expression uses but does not bind, ascending.
  const std::vector<std::uint32_t>& free_locals(const Expr& expr);

  struct Effects {
    bool may_fail = false;  ///< can end the program, run forever, or does input or output
    bool draws = false;     ///< uses random numbers
  };
  /// What evaluating an expression, functions it calls included, can do.
  Effects effects(const Expr& expr);
  Effects effects(const Definition& definition);
  /// What a primitive can do to scalars.
  Effects scalar_effects(const Definition& primitive);

  /// The globals a definition or expression needs, through all functions it mentions, in order of first use.
  const std::vector<Definition*>& globals(const Definition& definition);
  std::vector<Definition*> globals(const Expr& expr);

  /// Number of syntax nodes after all inlining below it, capped at kLarge.
  int inlined_size(const Definition& definition);
  static constexpr int kLarge = 1'000'000;

  /// True if a sequence bound to this local variable of the definition is only indexed, measured, or passed on to
  /// be: then it need not be restricted to the instances that are active.
  bool only_indexed(const Definition& definition, std::uint32_t local);

 private:
  struct DefinitionFacts {
    bool effects_known = false, size_known = false, globals_known = false;
    Effects effects;
    int size = 0;
    std::vector<Definition*> globals;  ///< while globals_known is false: those found so far
    std::size_t visit = 0;             ///< when find_globals() came here first; 0: not yet
    std::size_t oldest_visit = 0;      ///< of those it calls that have not been finished
    std::unordered_map<std::uint32_t, bool> only_indexed;
  };

  void find_globals(const Definition& definition);

  std::unordered_map<const Expr*, std::vector<std::uint32_t>> free_;
  std::unordered_map<const Expr*, Effects> expr_effects_;
  std::unordered_map<const Definition*, DefinitionFacts> definitions_;
  std::vector<const Definition*> unfinished_;  ///< visited by find_globals(), their group not yet known
  std::size_t visits_ = 0;
};

/// Calls visit(child) for the direct subexpressions of an expression, in the order of evaluation.
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

/// The instruction a primitive stands for; the suffix is kNone unless its text fixes it.
struct PrimitiveInstruction {
  vcode::Op op;
  vcode::Suffix suffix;
};
std::optional<PrimitiveInstruction> find_instruction(const Definition& primitive);
bool primitive_may_fail(const Definition& primitive);

/// True if the value of a global is not computed once and kept but anew wherever it is used: the constants of the
/// prelude, and functions, whose code must be known.
bool is_computed_in_place(const Definition& global);

}  // namespace nesl
