#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "expression_walker.h"
#include "loops.h"
#include "primitives/primitives.h"
#include "watcher.h"

namespace nesl {

/// Calls, and the let-form functions compiled for definitions and for bodies of apply-to-eaches. Each function is
/// compiled once for each combination of types, function values and nesting levels of its arguments.
class Calls {
 public:
  Calls(FlattenContext& context, Levels& levels, WholeValues& values, Primitives& primitives, Loops& loops,
        Watcher& watcher, ExpressionWalker& walker)
      : context_(context),
        levels_(levels),
        values_(values),
        primitives_(primitives),
        loops_(loops),
        watcher_(watcher),
        walker_(walker) {}

  ValuePtr call_definition(const Definition& definition, const std::vector<Type*>& instantiation, ValuePtr argument);
  ValuePtr call_value(const FlatValue& function, ValuePtr argument);
  /// Value of the body of an apply-to-each at nesting level `outer`, at the current level. The body becomes a function
  /// if running it in pieces can pay: it makes sequences, so that an instance may take more memory than its element and
  /// its result.
  ValuePtr lower_body(const Expr& body, int outer);

 private:
  /// A let-form function compiled for a definition.
  struct Instance {
    std::uint32_t function = 0;
    ValuePtr result;  ///< form of the result, at the function's own nesting levels; null while unknown
    bool finished = false;
  };

  ValuePtr inline_call(const Definition& definition, SubstitutionPtr substitution, ValuePtr argument);
  ValuePtr call_instance(const Definition& definition, SubstitutionPtr substitution, ValuePtr argument);
  ValuePtr emit_call(const Definition& definition, const SubstitutionPtr& substitution, const ValuePtr& argument);
  /// Appends the globals that function values in the argument need, unless `globals` contains them.
  void append_globals(const FlatValue& argument, std::vector<Definition*>& globals);
  /// Nesting levels of a call: `callers` maps the function's own levels, from 1 on, to the caller's, and `callees` the
  /// reverse.
  struct CallLevels {
    std::vector<int> callers, callees;
    int own() const { return static_cast<int>(callers.size()) - 1; }
  };
  /// Emits the call of a function that may be unfinished.
  ValuePtr emit_call(const Definition& definition, const SubstitutionPtr& substitution, const CallLevels& levels,
                     const Instance& instance, std::vector<Var> operands);
  /// Returns the nesting levels that the argument varies with, and the current one.
  CallLevels levels_of_call(const FlatValue& argument);
  std::vector<Var> operands_of_call(const CallLevels& levels, const FlatValue& argument,
                                    const std::vector<Definition*>& globals);
  std::uint32_t new_function();
  /// Compiles the let-form function for a call with these levels and this argument. `compute` emits the code for the
  /// given parameter and returns the result, which compile_function() returns, too.
  ValuePtr compile_function(std::uint32_t number, const std::string& name, const CallLevels& levels,
                            const FlatValue& argument, const std::vector<Definition*>& globals,
                            const std::vector<Var>& operands, const std::function<ValuePtr(const ValuePtr&)>& compute);
  /// Calls a finished function; `form` is its result as returned by compile_function().
  ValuePtr call_function(std::uint32_t function, std::vector<Var> operands, const ValuePtr& form,
                         const CallLevels& levels, const Location& where);
  /// Result of a call, with the variables and nesting levels of the caller.
  static ValuePtr with_results(const ValuePtr& form, const std::vector<Var>& results, const CallLevels& levels);
  bool is_outlined(const Expr& body, int outer);
  /// The argument with each part at the nesting level that the called function is compiled for.
  ValuePtr argument_for_call(const ValuePtr& argument, const Definition& definition, const Pattern* parameter);
  /// Whether the current instances are a subset of those of an outer nesting level, which is not 0.
  bool is_restricted(int outer);
  /// The value restricted to the current instances, if these are a subset of its own.
  ValuePtr restricted(const ValuePtr& value);
  Emitter& emit() { return levels_.emit(); }

  FlattenContext& context_;
  Levels& levels_;
  WholeValues& values_;
  Primitives& primitives_;
  Loops& loops_;
  Watcher& watcher_;
  ExpressionWalker& walker_;
  std::map<std::string, Instance> instances_;
};

}  // namespace nesl
