#pragma once

#include <deque>
#include <memory>
#include <unordered_map>

#include "cost_rules.h"
#include "facts/expression_facts.h"
#include "typed_trees.h"

namespace nesl {

/// Translates analysed NESL to NESL that counts its work and depth, before flattening. Every expression with a cost
/// that depends on values becomes one that also yields its cost, a pair of floats, which count exactly up to 2^53: the
/// work, and the slack, which is the work without the depth. Operations on scalars have none.
///
///   function f(x) = if #x < 2 then sum(x) else f(g(x))
///
///   function f'(x, (w, s)) =
///     let w1 = w + 2.0
///     in if #x < 2 then let l = cost_length(x) in (sum(x), (w1 + 1.0 + l, s + l))
///        else let (v, (w2, s2)) = g'(x, (0.0, 0.0)) in f'(v, (w1 + w2, s + s2))
///
/// A call at the end of a function passes on the cost so far, so that loops stay loops. Other calls begin with 0, so
/// that what is evaluated once for all elements of an apply-to-each still is. The elements of an apply-to-each yield
/// their costs as two more vectors, of which it takes the sum and the maximum.
///
/// A function value becomes one that takes its argument with a cost, and returns its result with one. Types remain
/// those of the function values before translation.
class CostTranslation {
 public:
  CostTranslation(TypeStore& types, const Environment& environment) : trees_(types, environment) {}
  CostTranslation(const CostTranslation&) = delete;

  /// The statement whose value is the work and the depth of the given one's. Belongs with its functions to this object.
  std::shared_ptr<GlobalStatement> statement(const GlobalStatement& counted);

  // For translated expressions:
  CostRules& rules() { return rules_; }
  ExpressionFacts& facts() { return facts_; }
  const TypedTrees& trees() const { return trees_; }
  /// The translation of a function, primitive or constructor.
  Definition& function(Definition& original);
  /// The translation of a global whose value contains functions.
  Definition& global(Definition& original);

 private:
  Definition& copy_of(Definition& original);
  void translate(Definition& original, Definition& to);
  void wrap(Definition& original, Definition& to);
  void set_type(const Definition& original, Definition& to);

  TypedTrees trees_;
  CostRules rules_;
  ExpressionFacts facts_;
  std::unordered_map<const Definition*, Definition*> translated_;
  std::deque<Definition> definitions_;
  std::deque<Expr> calls_;  ///< of primitives and constructors, before translation
};

}  // namespace nesl
