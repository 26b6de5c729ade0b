#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "syntax/ast.h"
#include "types/definition.h"
#include "types/environment.h"
#include "types/nesl_types.h"

namespace nesl {

using Bindings = std::vector<std::pair<PatternPtr, ExprPtr>>;

/// Builder of analysed expressions and patterns: every node has its type, and names are resolved.
class TypedTrees {
 public:
  TypedTrees(TypeStore& types, const Environment& environment) : types_(types), environment_(environment) {}

  TypeStore& types() const { return types_; }
  /// The type of a cost: work, and slack, which is work without depth.
  Type* cost() const { return cost_; }
  Type* with_cost(Type* type) const { return types_.pair(type, cost_); }

  ExprPtr make(Span span, Type* type, Expr::Node node) const;
  ExprPtr local(std::uint32_t number, Type* type, Span span) const;
  ExprPtr number(double value, Span span) const;
  ExprPtr pair(ExprPtr first, ExprPtr rest) const;
  ExprPtr if_then_else(ExprPtr condition, ExprPtr then_branch, ExprPtr else_branch) const;
  /// The body alone if there are no bindings.
  ExprPtr let(Bindings bindings, ExprPtr body) const;
  /// {body : bindings | filter}; the filter may be null.
  ExprPtr each(bool serial, ExprPtr body, Bindings bindings, ExprPtr filter, Span span) const;
  ExprPtr name(Definition& definition, std::vector<Type*> instantiation, Span span) const;
  /// A call whose result is of the given type, whatever the type of the function is.
  ExprPtr call(ExprPtr function, ExprPtr argument, Type* result) const;
  /// A call of a function of the library. `instantiation` has the types of its quantified variables, in their order.
  ExprPtr library_call(const char* function, std::vector<Type*> instantiation, ExprPtr argument) const;
  ExprPtr sum(ExprPtr a, ExprPtr b) const;

  PatternPtr variable(std::uint32_t number, Type* type, Span span) const;
  PatternPtr pair(PatternPtr first, PatternPtr rest) const;

 private:
  TypeStore& types_;
  const Environment& environment_;
  Type* const cost_ = types_.pair(types_.float_, types_.float_);
};

}  // namespace nesl
