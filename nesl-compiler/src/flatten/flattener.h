#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conditionals.h"
#include "syntax/ast.h"

namespace nesl {

/// Compiles analysed NESL to let-form by flattening.
///
/// Work efficiency: a value keeps the nesting level of the outermost index space it varies with, and is spread to inner
/// index spaces only when an operation combines it elementwise with inner values. Indexing gathers from a sequence
/// without replicating it. After G. Blelloch's flattening as in "Vector Models for Data-Parallel Computing" (1990),
/// with shared values after B. Lippmeier et al., "Work Efficient Higher-Order Vectorisation" (2012), in place of
/// virtual segments.
///
/// Walks the typed expressions, and owns the classes that it dispatches to. Each of them knows only earlier ones:
/// Levels; WholeValues, Checks and Primitives, which know nothing of calls; MergedFunctions, Loops and Calls; Joins and
/// Conditionals. Those that compile subexpressions use the ExpressionWalker.
class Flattener final : private ExpressionWalker {
 public:
  /// `serial_map` is the prelude's function map, which implements {* … }.
  Flattener(TypeStore& types, const Definition& serial_map, base::Diagnostics& diagnostics, bool fuses, Watch watch);

  /// Compiles a program that computes the value of `statement` and leaves it on the stack. Parameters of the program
  /// are the globals in `given`, in this order, and then the statement's own parameter. The program first runs the
  /// statements `before`, in order, and computes the other globals it needs, each once. If the result is empty, the
  /// diagnostics say why.
  std::optional<letform::Program> compile(const GlobalStatement& statement, const std::vector<Definition*>& given,
                                          const std::vector<const GlobalStatement*>& before);

  /// Remarks of --explain about conditionals and loops of the last compiled program, in order.
  const std::vector<std::string>& remarks() const { return context_.remarks(); }
  // Watch points and places of the last compiled program, if it is watched.
  std::vector<WatchPoint> take_watch_points() { return watcher_.take_points(); }
  std::vector<Place> take_places() { return context_.take_places(); }

 private:
  ValuePtr lower(const Expr& expr) override;
  ValuePtr lower_lazily(const Expr& expr) override;
  void bind(const Pattern& pattern, const ValuePtr& value, const Expr* scope = nullptr) override;
  ValuePtr global_value(const Definition& global, const std::vector<Type*>& instantiation = {}) override;
  void run_global(const GlobalStatement& statement);
  void run_needed(const GlobalStatement& statement);
  void run_needed(const Definition* global);

  Emitter& emit() { return levels_.emit(); }
  ValuePtr lower_here(const Expr& expr);
  /// Whether values of this type nest sequences so deep that copying them takes too much code (kDeepestShared).
  bool is_deep(Type* type);
  ValuePtr lower_name(const Name& name);
  ValuePtr lower_call(const Call& call);
  /// Compiles a call of the primitive check or check_numbers.
  void lower_check(const Expr& argument, Intrinsic which);
  /// Compiles a ++ b, where a and b may be appended in turn.
  ValuePtr lower_append(const Pair& operands);
  /// Values of the operands of nested appends, from left to right.
  void lower_appended(const Expr& expr, std::vector<ValuePtr>& parts);
  ValuePtr lower_field(const Field& field);
  ValuePtr lower_time(const Expr& timed);
  ValuePtr lower_iterated(const Expr& expr);
  ValuePtr lower_each(const Expr& expr, const Each& node);
  ValuePtr lower_serial_each(const Each& node);
  ValuePtr lower_sequence(const SequenceLiteral& literal);
  ValuePtr closure(const Pattern& parameter, const Expr& body, const std::vector<std::uint32_t>& captured);

  const Definition& serial_map_;
  const Watch watch_;
  FlattenContext context_;
  Levels levels_{context_};
  WholeValues values_{context_, levels_};
  Checks checks_{context_, levels_, values_};
  Primitives primitives_{context_, levels_, values_, checks_};
  MergedFunctions merged_{context_, levels_};
  Watcher watcher_{context_, levels_};
  Loops loops_{context_, levels_, merged_, *this};
  Calls calls_{context_, levels_, values_, primitives_, loops_, watcher_, *this};
  Joins joins_{context_, levels_, values_, merged_, calls_, *this};
  Conditionals conditionals_{context_, levels_, values_, joins_, *this};
  std::vector<PatternPtr> patterns_;  ///< made by lower_serial_each(); the code of function values points to them
};

}  // namespace nesl
