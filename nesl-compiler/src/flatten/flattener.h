#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/diagnostics.h"
#include "facts/call_order.h"
#include "facts/expression_facts.h"
#include "facts/function_group.h"
#include "fetch.h"
#include "flat_value.h"
#include "levels.h"
#include "syntax/ast.h"
#include "types/definition.h"
#include "types/nesl_types.h"

namespace nesl {

/// Compiles analysed NESL to let-form by flattening. Each function is compiled once for each combination of types,
/// function values and nesting levels of its arguments.
///
/// Work efficiency: a value keeps the nesting level of the outermost index space it varies with, and is spread to inner
/// index spaces only when an operation combines it elementwise with inner values. Indexing gathers from a sequence
/// without replicating it. After G. Blelloch's flattening as in "Vector Models for Data-Parallel Computing" (1990),
/// with shared values after B. Lippmeier et al., "Work Efficient Higher-Order Vectorisation" (2012), in place of
/// virtual segments.
class Flattener {
 public:
  /// `serial_map` is the prelude's function map, which implements {* … }.
  Flattener(TypeStore& types, const Definition& serial_map, base::Diagnostics& diagnostics, CodeTarget target);

  /// Compiles a program that computes the value of `statement` and leaves it on the stack. Parameters of the program
  /// are the globals in `given`, in this order, and then the statement's own parameter. The program first runs the
  /// statements `before`, in order, and computes the other globals it needs, each once. If the result is empty, the
  /// diagnostics say why.
  std::optional<letform::Program> compile(const GlobalStatement& statement, const std::vector<Definition*>& given,
                                          const std::vector<const GlobalStatement*>& before);

  /// Remarks of --explain about conditionals and loops of the last compiled program, in order.
  const std::vector<std::string>& remarks() const { return context_.remarks(); }

 private:
  // --- flatten_calls.cpp: functions and instances ---------------------------------------------------------------

  /// A let-form function compiled for a definition.
  struct Instance {
    std::uint32_t function = 0;
    ValuePtr result;  ///< form of the result, at the function's own nesting levels; null while unknown
    bool finished = false;
  };

  ValuePtr call_definition(const Definition& definition, const std::vector<Type*>& instantiation, ValuePtr argument);
  ValuePtr call_value(const FlatValue& function, ValuePtr argument);
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
                         const CallLevels& levels, const Place& where);
  /// Result of a call, with the variables and nesting levels of the caller.
  static ValuePtr with_results(const ValuePtr& form, const std::vector<Var>& results, const CallLevels& levels);
  /// Value of the body of an apply-to-each at nesting level `outer`, at the current level. The body becomes a function
  /// if running it in pieces can pay: it makes sequences, so that an instance may take more memory than its element and
  /// its result.
  ValuePtr lower_body(const Expr& body, int outer);
  bool is_outlined(const Expr& body, int outer);
  /// The argument with each part at the nesting level that the called function is compiled for.
  ValuePtr argument_for_call(const ValuePtr& argument, const Definition& definition, const Pattern* parameter);
  /// Whether the current instances are a subset of those of an outer nesting level, which is not 0.
  bool is_restricted(int outer);
  /// The value restricted to the current instances, if these are a subset of its own.
  ValuePtr restricted(const ValuePtr& value);
  const Definition* choose_specialization(const Definition& definition, Type* type, SubstitutionPtr& substitution);
  /// Extends the substitution so that it maps `pattern` to `type`; false if that is impossible.
  bool match(Type* pattern, Type* type, Substitution& substitution);
  /// Type of the contents of a datatype's values.
  Type* contents(Type* data);
  /// The type with each outermost datatype replaced by the type of its contents.
  Type* unwrap(Type* type);
  /// The FlatValue of a type; appends the kinds of its leaves to `kinds`, and uses positions in that list as variables.
  ValuePtr form_of(Type* type, int level_number, std::vector<Kind>& kinds);
  /// A value of the type at nesting level 0, of zeros and empty sequences.
  ValuePtr placeholder(Type* type);
  ValuePtr global_value(const Definition& global, const std::vector<Type*>& instantiation = {});
  void run_global(const GlobalStatement& statement);
  void run_needed(const GlobalStatement& statement);
  void run_needed(const Definition* global);

  // --- flatten_expr.cpp: expressions --------------------------------------------------------------------------

  /// Value of an expression, without slices.
  ValuePtr lower(const Expr& expr);
  /// Value of an expression; a sequence that is an element of another one may be a slice of it. For callers that index
  /// the value, take its length, or pass it to such code.
  ValuePtr lower_lazily(const Expr& expr);
  ValuePtr lower_here(const Expr& expr);
  /// Whether values of this type nest sequences so deep that copying them takes too much code (kDeepestShared).
  bool is_deep(Type* type);
  ValuePtr lower_name(const Name& name);
  ValuePtr lower_call(const Call& call);
  ValuePtr lower_field(const Field& field);
  ValuePtr lower_time(const Expr& timed);
  /// Cost in syntax nodes of evaluating a branch for all instances; more than kSelectSize if that is not allowed.
  int select_cost(const Expr& expr);
  ValuePtr lower_if(const Expr& expr, const If& node);
  /// Compiles IF whose condition varies with the instances of the current nesting level.
  ValuePtr lower_lifted_if(const Expr& expr, const If& node, const ValuePtr& condition);
  /// Whether the value of an expression is known at its conditional without an operation.
  bool is_simple(const Expr& expr);
  ValuePtr lower_each(const Each& node);
  ValuePtr lower_serial_each(const Each& node);
  ValuePtr lower_sequence(const SequenceLiteral& literal);
  ValuePtr closure(const Pattern& parameter, const Expr& body, const std::vector<std::uint32_t>& captured);
  ValuePtr string_value(const std::string& text);
  Var characters(const std::string& text);
  std::int64_t integer_literal(const IntLiteral& literal);
  /// Binds the variables of a pattern. Copies a slice, unless its variable is only indexed in `scope`, the expression
  /// in which it is visible.
  void bind(const Pattern& pattern, const ValuePtr& value, const Expr* scope = nullptr);

  Emitter& emit() { return levels_.emit(); }

  // --- flatten_masks.cpp: conditionals as straight-line code --------------------------------------------------

  /// Computes the branches of a conditional of scalars for all instances of the current nesting level and joins them by
  /// SELECT. Returns null and emits nothing if masks are impossible, or cost more than packing the instances of each
  /// branch.
  ValuePtr lower_if_by_masks(const If& node, Var flags);

  // --- flatten_joins.cpp: calls in the branches of a conditional, made together ----------------------------------

  /// A joined call to be made next: its argument, and the instances of the nesting level that make the call.
  struct Due {
    /// Argument in parts; undefined, like a null part, for instances that make no call. Empty: no call.
    std::vector<ValuePtr> parts = {};
    ValuePtr needed = {};    ///< scalar BOOL: whether an instance makes the call; null: all do
    Position position = {};  ///< location of the first call in the text
  };
  /// Merges a part of the arguments of two branches; either can be null.
  using JoinParts = std::function<ValuePtr(const ValuePtr&, const ValuePtr&)>;
  /// Makes the calls that branches of a conditional have in common. Returns the value of the conditional if its
  /// branches end in these calls. Otherwise returns null: the rest must be compiled as usual, with the values in
  /// Frame::ready.
  ValuePtr join_calls(const Expr& expr, const If& node, const ValuePtr& condition);
  std::string unit_of_call(const Expr& expr, const std::set<std::uint32_t>& inner);
  ValuePtr call_due(const std::vector<const Expr*>& calls, const Due& due);
  /// Evaluates the expressions before the next joined calls, in the order of evaluation.
  Due prepare(const Expr& expr, const CallOrder& order);
  Due prepare_call(const Call& call, const CallOrder& order);
  Due prepare_branches(const Expr& expr, const If& node, const CallOrder& order);
  Due prepare_by_masks(const If& node, Var flags, const CallOrder& order);
  Due prepare_branch(const Expr& branch, Var flags, Var taken, Var mixed, const CallOrder& order);
  /// Evaluates an expression early if it must not be evaluated after the expressions that follow it.
  void settle(const Expr& expr);
  ValuePtr bound_value(const Pattern& pattern);
  /// The argument with copies in place of slices, except those that the function only indexes.
  ValuePtr with_slices(const ValuePtr& argument, const Definition& definition, const Pattern* parameter);
  /// Merges the calls of both branches of a conditional at the current nesting level.
  Due either(Var flags, const Due& a, const Due& b, const JoinParts& join);
  /// Merges a part of two arguments; a part that both branches share stays at its nesting level.
  ValuePtr merge_parts(Var flags, const ValuePtr& a, const ValuePtr& b);
  /// Expands the value of the instances with a true flag to all instances, with zeros or empty sequences for the
  /// others.
  ValuePtr fill(Var flags, const ValuePtr& value);
  ValuePtr absent_like(const ValuePtr& value);

  /// Functions that can be compiled as one with this function, including itself; empty if there are no others.
  std::vector<const Definition*> members_of(const Definition& definition);
  const FunctionGroup& group_of(const std::vector<const Definition*>& members);
  /// The group whose merged function is `definition`; null if there is none.
  const FunctionGroup* find_group(const Definition* definition) const;
  /// Argument parts of the group's merged function for a call of a member; null for parameters the member lacks.
  std::vector<ValuePtr> argument_of_group(const FunctionGroup& group, const Definition& member,
                                          const ValuePtr& argument);
  /// Scope in which the body of a group's member is compiled: makes the member the current definition.
  class Origin {
   public:
    Origin(Flattener& flattener, const Expr& expr);
    ~Origin();
    Origin(const Origin&) = delete;
    Origin& operator=(const Origin&) = delete;

   private:
    Frame* frame_ = nullptr;
    const Definition* definition_ = nullptr;
    const base::Source* source_ = nullptr;
  };

  // --- flatten_loops.cpp: functions that end by calling themselves --------------------------------------------

  /// Advances the arguments of a loop's next call by some steps. Returns the arguments unchanged, and emits nothing, if
  /// the function is no loop or its steps cannot be computed by masks.
  ValuePtr take_steps(const Definition& definition, ValuePtr arguments);
  bool is_loop(const Definition& definition);
  bool is_step(const Expr& expr, const Definition& definition) const;
  ValuePtr next_arguments(const Expr& expr, const Definition& definition, const ValuePtr& arguments);
  ValuePtr step(Var flags, const ValuePtr& a, const ValuePtr& b);

  // --- flatten_sequences.cpp: operations on whole values --------------------------------------------------

  /// A value of the type whose variables become further parameters of the function under construction.
  ValuePtr parameter_of(Type* type, const std::string& name);
  Var zero(Kind kind);
  /// Zeros over a descriptor of one segment.
  Var zeros(Kind kind, Var descriptor);
  /// Appends two sequences of the current nesting level, segment by segment.
  ValuePtr append(const ValuePtr& a, const ValuePtr& b);
  ValuePtr append_elements(const ValuePtr& a, Var a_segments, const ValuePtr& b, Var b_segments, Var segments);
  /// For each instance of the current nesting level, the entry of `a` where the flag is true (`a` has only those),
  /// otherwise the entry of `b`.
  ValuePtr merge(Var flags, const ValuePtr& a, const ValuePtr& b);
  /// Numbers of the instances whose flag is true.
  Var numbers_of(Var flags);
  /// Scatters the entries of all values to the targets `places`. Other entries are zeros and empty sequences.
  ValuePtr scatter(const std::vector<ValuePtr>& values, const std::vector<Var>& places, Var target_single);
  ValuePtr select(Var flags, const ValuePtr& a, const ValuePtr& b);
  /// `base` with the elements of `b` at the flagged instances; `b` has only those. Scalars and pairs of them.
  ValuePtr overlay(const ValuePtr& base, Var flags, const ValuePtr& b);
  /// A dummy value of the same form: without instances or, at nesting level 0, of zeros and empty sequences.
  ValuePtr empty_like(const ValuePtr& value, int result_level);
  bool holds_sequence(const FlatValue& value);

  // --- flatten_indexing.cpp: elements, and slices of nested sequences ----------------------------------------

  ValuePtr element(const ValuePtr& sequence, const ValuePtr& index, const char* message);
  ValuePtr element_of_slice(const FlatValue& slice, Var index, const Place& where);
  /// Ends the program at the first index that is negative or not below its length, with the error of indexing.
  void check_indices(Var indices, Var lengths, const Place& where);
  /// The indices, after a check against the lengths.
  Var bounded(Var indices, Var lengths, const Place& where);
  ValuePtr get(const ValuePtr& sequence, const ValuePtr& indices, const char* message);
  /// The slice of all elements of a sequence.
  ValuePtr all_of(const FlatValue& sequence);
  /// The slice of `length` elements from index `start` on. All of them are known to exist.
  ValuePtr subsequence(const FlatValue& sequence, const ValuePtr& start, const ValuePtr& length);

  // --- flatten_checks.cpp ---------------------------------------------------------------------------------

  /// Values in the message of a failed check: two INTs of the failing instance, and the words for them, with %a and %b.
  struct Told {
    Var a, b;
    std::string words;
  };
  /// Emits a check of the flags, which are, like all operands of checks, at the current nesting level.
  void check_flags(Var flags, const std::string& message, const std::optional<Told>& told);
  /// Emits REQUIRE or ASSERT; the flags are the last operand.
  void require(std::vector<Var> operands, Op op, const std::string& message, const std::string& words);
  void check(const ValuePtr& condition, const std::string& message);
  /// Compiles a call of the primitive check or check_numbers.
  void lower_check(const Expr& argument, Intrinsic which);
  void check_equal_lengths(Var a, Var b, const char* message, const char* words = "lengths %a and %b");

  // --- flatten_primitives.cpp: primitives of the prelude --------------------------------------------------------

  ValuePtr primitive(const Definition& definition, ValuePtr argument, Type* argument_type, Type* result_type);
  /// `failure` is the message for an element at fault.
  ValuePtr instruction(const PrimitiveInstruction& which, const std::string& failure, const ValuePtr& argument,
                       Type* result_type);
  ValuePtr elementwise(Op op, const std::string& failure, const ValuePtr& argument);
  ValuePtr system_instruction(const PrimitiveInstruction& which, const ValuePtr& argument, Type* result_type);
  ValuePtr distribute(const ValuePtr& value, const ValuePtr& count);
  ValuePtr iota(const ValuePtr& start, const ValuePtr& stride, const ValuePtr& count);
  ValuePtr permute(const ValuePtr& sequence, const ValuePtr& places);
  ValuePtr put(const ValuePtr& values, const ValuePtr& places, const FlatValue* flags, const ValuePtr& defaults);
  ValuePtr replace(const ValuePtr& sequence, const ValuePtr& value, const ValuePtr& index);
  ValuePtr pack(const ValuePtr& pairs);
  ValuePtr flatten(const ValuePtr& sequence);
  ValuePtr partition(const ValuePtr& sequence, const ValuePtr& counts);
  ValuePtr occurrences(const ValuePtr& numbers, const ValuePtr& start, const ValuePtr& count);
  ValuePtr stop(const ValuePtr& text);
  ValuePtr write_text(const ValuePtr& text, const ValuePtr& stream);
  ValuePtr write_object(const ValuePtr& value, const ValuePtr& stream);
  ValuePtr read_object(const ValuePtr& like, const ValuePtr& stream, Type* type);
  Var elements_of(Var descriptor);
  /// Whether vectors and descriptors that were read form `count` values of this form.
  Var is_whole(const FlatValue& value, Var count);
  void write_message(const std::string& text);

  const Definition& serial_map_;
  FlattenContext context_;
  Levels levels_;
  std::map<std::string, Instance> instances_;
  std::map<const Definition*, FunctionGroup> groups_;  ///< by their first members
  std::unordered_map<const Expr*, const Definition*> origins_;
  std::vector<PatternPtr> patterns_;  ///< made by lower_serial_each(); the code of function values points to them
};

}  // namespace nesl
