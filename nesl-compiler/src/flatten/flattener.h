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
#include "emitter.h"
#include "facts/call_order.h"
#include "facts/expression_facts.h"
#include "facts/function_group.h"
#include "flat_value.h"
#include "level_stack.h"
#include "syntax/ast.h"
#include "types/definition.h"
#include "types/nesl_types.h"

namespace nesl {

/// Compiles analysed NESL to let-form by flattening. Every function is compiled once for each combination of types,
/// function values and levels of its arguments it is reached with.
///
/// Work efficiency: a value keeps the level of the outermost index space it varies with, and is spread to inner
/// ones only when an operation combines it elementwise with inner values. Indexing gathers from the sequence where it
/// is; after G. Blelloch's flattening as in "Vector Models for Data-Parallel Computing" (1990), with shared
/// values after B. Lippmeier et al., "Work Efficient Higher-Order Vectorisation" (2012), in place of virtual segments.
class Flattener {
 public:
  /// How the program will be used.
  struct Target {
    bool print_checks = true;  ///< if not, the interpreter says which check has failed, from its site
    bool masks = false;        ///< fusion makes kernels of it, so that masks cost less than packing
    /// Whether checks without numbers are ASSERT, and those of indices BOUND, which only our own interpreter knows and
    /// fusion takes into kernels.
    bool has_asserts() const { return masks && !print_checks; }
    /// Whether our own interpreter runs it, which knows more operations than the VCODE of 1995.
    bool has_extensions() const { return !print_checks; }
  };
  /// `serial_map` is the prelude's function map, which runs {* … }.
  Flattener(TypeStore& types, const Definition& serial_map, base::Diagnostics& diagnostics, Target target);

  /// A program that computes the value of `statement` and leaves it on the stack. The globals in `given`, in this
  /// order, and the statement's own parameter are those of the program. The program first runs the statements `before`,
  /// in order, and computes the other globals it needs, each once. An empty result has been explained in the
  /// diagnostics.
  std::optional<letform::Program> compile(const GlobalStatement& statement, const std::vector<Definition*>& given,
                                          const std::vector<const GlobalStatement*>& before);

  /// What --explain says of the conditionals and loops of the program that compile() has returned, in order.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  // --- flatten_calls.cpp: functions and instances ---------------------------------------------------------------

  /// Expressions that have been evaluated ahead of those around them, for calls that are made together.
  struct Ready {
    std::unordered_map<const Expr*, ValuePtr> values = {};
    std::vector<const Expr*> order = {};  ///< in which they were
    /// Conditionals whose branches were evaluated for the instances that take them, in part: the rest must be, too.
    std::set<const Expr*> packed = {};

    const ValuePtr* find(const Expr& expr) const;
    void set(const Expr& expr, ValuePtr value);
    /// Forgets all but the first `size`.
    void shrink(std::size_t size);
  };
  /// Local variables and types of the definition whose text is being compiled, inlined or not.
  struct Frame {
    const Definition* definition = nullptr;  ///< null for a top-level statement
    const base::Source* source = nullptr;
    SubstitutionPtr substitution;
    bool prelude = false;                    ///< positions in it mean nothing to the user
    std::uint32_t inlined = vcode::kNoCall;  ///< of the user's program: the call that the text was inlined for
    std::unordered_map<std::uint32_t, ValuePtr> locals = {};
    Ready ready = {};
  };
  /// Where the user's program is being executed, for error messages.
  struct Position {
    const base::Source* source = nullptr;
    Span span = {};
    const Definition* function = nullptr;
  };
  /// Which instances of a level count while code is emitted for all of them.
  struct Mask {
    int level;
    Var flags;
  };
  /// The let-form function being built.
  struct Body {
    Emitter emitter;
    LevelStack levels = {};
    std::optional<Mask> mask = {};
    std::size_t own_levels = 0;  ///< how many of the levels are parameters of the function
    std::unordered_map<const Definition*, ValuePtr> globals = {};
    Position position = {};
  };
  /// A let-form function made for a definition.
  struct Instance {
    std::uint32_t function = 0;
    ValuePtr result;  ///< its shape, with the function's own levels; null while unknown
    bool finished = false;
  };

  ValuePtr call_definition(const Definition& definition, const std::vector<Type*>& instantiation, ValuePtr argument);
  ValuePtr call_value(const FlatValue& function, ValuePtr argument);
  ValuePtr inline_call(const Definition& definition, SubstitutionPtr substitution, ValuePtr argument);
  ValuePtr call_instance(const Definition& definition, SubstitutionPtr substitution, ValuePtr argument);
  ValuePtr emit_call(const Definition& definition, const SubstitutionPtr& substitution, const ValuePtr& argument);
  /// Appends the globals that the code of function values in the argument needs and `globals` does not have yet.
  void append_globals(const FlatValue& argument, std::vector<Definition*>& globals);
  /// The levels of a call: the caller's level of each of the function's own, from 1 on, and back.
  struct CallLevels {
    std::vector<int> callers, callees;
    int own() const { return static_cast<int>(callers.size()) - 1; }
  };
  /// Those that the argument varies with, and the current one.
  CallLevels levels_of_call(const FlatValue& argument);
  std::vector<Var> operands_of_call(const CallLevels& levels, const FlatValue& argument,
                                    const std::vector<Definition*>& globals);
  std::uint32_t new_function();
  /// Makes the let-form function for such a call. `compute` has its code emitted, given its parameter, and returns its
  /// result; so does this.
  ValuePtr compile_function(std::uint32_t number, const std::string& name, const CallLevels& levels,
                            const FlatValue& argument, const std::vector<Definition*>& globals,
                            const std::function<ValuePtr(const ValuePtr&)>& compute);
  /// Of a function that is finished; `form` is its result.
  ValuePtr call_function(std::uint32_t function, std::vector<Var> operands, const ValuePtr& form,
                         const CallLevels& levels, const Place& where);
  /// The result of a call, in terms of the caller.
  static ValuePtr with_results(const ValuePtr& form, const std::vector<Var>& results, const CallLevels& levels);
  /// The body of an apply-to-each, which is at level `outer`, at the current level. It becomes a function of its own if
  /// that can be worth running in pieces: it makes sequences, so that each instance may take more memory than its
  /// element and its result.
  ValuePtr lower_body(const Expr& body, int outer);
  bool is_outlined(const Expr& body, int outer);
  /// The argument with each part at a level the called function is to be compiled for.
  ValuePtr argument_for_call(const ValuePtr& argument, const Definition& definition, const Pattern* parameter);
  /// Whether the current instances are some of those of an outer level, which is not 0.
  bool is_restricted(int outer);
  /// The value, if only some of its instances are current, with those alone.
  ValuePtr restricted(const ValuePtr& value);
  const Definition* choose_specialization(const Definition& definition, Type* type, SubstitutionPtr& substitution);
  /// Extends the substitution so that it makes `type` of `pattern`; false if there is none.
  bool match(Type* pattern, Type* type, Substitution& substitution);
  /// The type of the contents of a datatype's values.
  Type* contents(Type* data);
  /// The type with the contents of each outermost datatype in its place.
  Type* unwrap(Type* type);
  /// The FlatValue of a type, whose kinds are appended to `kinds`; its variables are positions in that list.
  ValuePtr form_of(Type* type, int level_number, std::vector<Kind>& kinds);
  /// Zeros and empty sequences of a type, at level 0.
  ValuePtr placeholder(Type* type);
  ValuePtr global_value(const Definition& global, const std::vector<Type*>& instantiation = {});
  void run_global(const GlobalStatement& statement);
  void run_needed(const GlobalStatement& statement);
  void run_needed(const Definition* global);
  ValuePtr in_frame(Frame& frame, const std::function<ValuePtr()>& work);
  /// Runs `work` at an outer level: with the first `number` levels alone.
  ValuePtr at_level(int number, const std::function<ValuePtr()>& work);

  // --- flatten_expr.cpp: expressions --------------------------------------------------------------------------

  /// The value of an expression, without slices.
  ValuePtr lower(const Expr& expr);
  /// The same, but a sequence that is an element of another one may be a slice of it. For the few that index it or ask
  /// for its length, or hand it on to those.
  ValuePtr lower_lazily(const Expr& expr);
  ValuePtr lower_here(const Expr& expr);
  /// Whether values of this type hold sequences nested so deep that copying them takes too much code (kDeepestShared).
  bool is_deep(Type* type);
  ValuePtr lower_name(const Name& name);
  ValuePtr lower_call(const Call& call);
  ValuePtr lower_field(const Field& field);
  ValuePtr lower_time(const Expr& timed);
  /// The cost in syntax nodes of evaluating a branch for all instances; more than kSelectSize if it must not be.
  int select_cost(const Expr& expr);
  ValuePtr lower_if(const Expr& expr, const If& node);
  /// IF whose condition varies with the instances of the current level.
  ValuePtr lower_lifted_if(const Expr& expr, const If& node, const ValuePtr& condition);
  /// Whether the value of an expression is known without an operation, where its conditional is.
  bool is_simple(const Expr& expr);
  ValuePtr lower_each(const Each& node);
  ValuePtr lower_serial_each(const Each& node);
  ValuePtr lower_sequence(const SequenceLiteral& literal);
  ValuePtr closure(const Pattern& parameter, const Expr& body, const std::vector<std::uint32_t>& captured);
  ValuePtr string_value(const std::string& text);
  Var characters(const std::string& text);
  std::int64_t integer_literal(const IntLiteral& literal);
  /// Binds the variables of a pattern. A slice is copied, except for a variable that `scope`, where it is visible, only
  /// indexes.
  void bind(const Pattern& pattern, const ValuePtr& value, const Expr* scope = nullptr);
  Type* concrete(Type* type);
  std::vector<Type*> concrete(const std::vector<Type*>& types);
  [[noreturn]] void fail(Span span, std::string message);
  [[noreturn]] void fail_here(std::string message);

  // --- flatten_levels.cpp: index spaces -----------------------------------------------------------------------

  int depth() const { return static_cast<int>(body_->levels.size()); }
  Emitter& emit() { return body_->emitter; }
  /// Levels are numbered from 1, the outermost, to depth().
  Level& level(int number) { return body_->levels[number - 1]; }
  /// Enters the elements of a sequence of the current level.
  void push_elements(Var descriptor, const FlatValue* elements);
  /// Enters the instances of the current level whose flag (of the current level) is true.
  void push_subset(Var flags, Var within, Var mixed, bool maybe_empty);
  Level pop_level();
  /// The descriptor of one segment with all instances of a level; of level 0, with one element.
  Var single(int number);
  Var count(int number);
  /// For each instance of level `from`, how many instances of the inner level `to` it contains, as a descriptor.
  Var grouping(int from, int to);
  Var find_grouping(int from, int to);
  /// For each instance of level `to`, the number of the instance of level `from` it belongs to.
  Var origin(int from, int to);
  /// The value spread to an inner level, or the same level.
  ValuePtr lift(const ValuePtr& value, int to);
  ValuePtr lift_here(const ValuePtr& value) { return lift(value, depth()); }
  Var lift_scalar(Var var, int from, int to);
  /// A scalar BOOL, true if there is an instance of the current level; kNoVar if there certainly is one.
  Var nonempty();
  /// The descriptor of the filtered sequence, where the current level is the subset of its elements that were kept.
  Var packed_descriptor();

  // --- flatten_masks.cpp: conditionals as straight-line code --------------------------------------------------

  /// The branches of a conditional of scalars, computed for all instances of the current level and joined by SELECT.
  /// Null, and nothing is emitted, if they cannot be, or cost more than packing the instances of each branch.
  ValuePtr lower_if_by_masks(const If& node, Var flags);
  /// Whether `work`, which computes branches by masks, has succeeded. If not, nothing is emitted, and `reason` says
  /// why; `cost` is that of the operations for each element.
  bool try_masks(const std::function<void()>& work, double& cost, std::string& reason);
  /// What `branch` emits counts only where the flags are true.
  ValuePtr under_mask(Var flags, const std::function<ValuePtr()>& branch);
  /// The flags of the mask if it is one of the current level, else kNoVar.
  Var mask() const { return body_->mask && body_->mask->level == depth() ? body_->mask->flags : letform::kNoVar; }
  /// The flags, and true for the instances that do not count.
  Var or_absent(Var flags);
  /// Ends the attempt to compute a conditional by masks.
  void refuse_under_mask(const char* reason);
  void remark(const std::string& text);

  // --- flatten_joins.cpp: calls in the branches of a conditional, made together ----------------------------------

  /// The argument of a call that is due, and which instances of the level make it.
  struct Due {
    std::vector<ValuePtr> parts = {};  ///< none: no call; they count for nothing where no call is made, as null does
    ValuePtr needed = {};              ///< a scalar BOOL; null: all
    Position position = {};            ///< of the first call in the text
  };
  /// Makes one argument of those of two branches, each of which can be null.
  using JoinParts = std::function<ValuePtr(const ValuePtr&, const ValuePtr&)>;
  /// Makes the calls that branches of a conditional have in common. Returns its value if those calls are all that its
  /// branches do, else null: the rest is to be compiled as usual, with what is ready.
  ValuePtr join_calls(const Expr& expr, const If& node, const ValuePtr& condition);
  std::string unit_of_call(const Expr& expr, const std::set<std::uint32_t>& inner);
  ValuePtr call_due(const std::vector<const Expr*>& calls, const Due& due);
  /// Evaluates what comes before the calls that are due, in the order of evaluation.
  Due prepare(const Expr& expr, const CallOrder& order);
  Due prepare_call(const Call& call, const CallOrder& order);
  Due prepare_branches(const Expr& expr, const If& node, const CallOrder& order);
  Due prepare_by_masks(const If& node, Var flags, const CallOrder& order);
  Due prepare_branch(const Expr& branch, Var flags, Var taken, Var mixed, const CallOrder& order);
  /// Evaluates an expression that others follow, if it must not be evaluated later than they are.
  void settle(const Expr& expr);
  ValuePtr bound_value(const Pattern& pattern);
  /// The argument with copies in place of slices, except those that the function only indexes.
  ValuePtr with_slices(const ValuePtr& argument, const Definition& definition, const Pattern* parameter);
  /// What both branches need, of the current level.
  Due either(Var flags, const Due& a, const Due& b, const JoinParts& join);
  /// Parts that both branches share stay at their level.
  ValuePtr merge_parts(Var flags, const ValuePtr& a, const ValuePtr& b);
  /// The value of the instances with flags, and zeros or empty sequences in place of the others.
  ValuePtr fill(Var flags, const ValuePtr& value);
  ValuePtr absent_like(const ValuePtr& value);

  /// The functions that can be one with this; none if there are no others.
  std::vector<const Definition*> members_of(const Definition& definition);
  const FunctionGroup& group_of(const std::vector<const Definition*>& members);
  /// The group that a definition is that of; null if it is of none.
  const FunctionGroup* find_group(const Definition* definition) const;
  /// The parameters of a group for a call of a member, null where it gives none.
  std::vector<ValuePtr> argument_of_group(const FunctionGroup& group, const Definition& member,
                                          const ValuePtr& argument);
  /// While an expression is compiled that is a member's body in a group, it belongs to the member.
  class Origin {
   public:
    Origin(const Flattener& flattener, const Expr& expr);
    ~Origin();
    Origin(const Origin&) = delete;
    Origin& operator=(const Origin&) = delete;

   private:
    Frame* frame_ = nullptr;
    const Definition* definition_ = nullptr;
    const base::Source* source_ = nullptr;
  };

  // --- flatten_loops.cpp: functions that end by calling themselves --------------------------------------------

  /// The arguments of a call by which a loop goes on, some steps later. The same, and nothing is emitted, if it is no
  /// loop, or if its steps cannot be computed by masks.
  ValuePtr take_steps(const Definition& definition, ValuePtr arguments);
  bool is_loop(const Definition& definition);
  bool is_step(const Expr& expr, const Definition& definition) const;
  ValuePtr next_arguments(const Expr& expr, const Definition& definition, const ValuePtr& arguments);
  ValuePtr step(Var flags, const ValuePtr& a, const ValuePtr& b);

  // --- flatten_sequences.cpp: operations on whole values --------------------------------------------------

  /// A value of the type whose variables become parameters, behind those there are, of the function being built.
  ValuePtr parameter_of(Type* type, const std::string& name);
  Var single_over(const FlatValue& elements);
  Var zero(Kind kind);
  /// Zeros for a descriptor of one segment.
  Var zeros(Kind kind, Var descriptor);
  /// A number for each instance of the current level.
  Var spread(std::int64_t number);
  /// Both sequences are of the current level; segment by segment.
  ValuePtr append(const ValuePtr& a, const ValuePtr& b);
  ValuePtr append_elements(const ValuePtr& a, Var a_segments, const ValuePtr& b, Var b_segments, Var segments);
  /// For each instance of the current level, the entry of a where flags is true (a has only those), else of b.
  ValuePtr merge(Var flags, const ValuePtr& a, const ValuePtr& b);
  /// The numbers of the instances with flags.
  Var numbers_of(Var flags);
  /// The entries of all values in their places; zeros and empty sequences where there is none.
  ValuePtr scatter(const std::vector<ValuePtr>& values, const std::vector<Var>& places, Var target_single);
  ValuePtr select(Var flags, const ValuePtr& a, const ValuePtr& b);
  /// `base` with the elements of b in the places of the flagged instances; b has only those. Scalars and pairs of them.
  ValuePtr overlay(const ValuePtr& base, Var flags, const ValuePtr& b);
  /// A value of the same form with no instances or, at level 0, of zeros and empty sequences, to be ignored.
  ValuePtr empty_like(const ValuePtr& value, int result_level);
  bool holds_sequence(const FlatValue& value);
  [[noreturn]] void fail_at_different_functions();
  void require_same_code(const FlatValue& a, const FlatValue& b);
  /// IF. Both parts must yield values of the same form and levels; `else_part` gets the value of the other as a model.
  ValuePtr conditional(Var condition, const std::function<ValuePtr()>& then_part,
                       const std::function<ValuePtr(const ValuePtr&)>& else_part);

  // --- flatten_indexing.cpp: elements, and slices of nested sequences ----------------------------------------

  /// How to fetch entries of vectors that share an index space.
  struct Fetch {
    Op op;  ///< EXTRACT or BPERMUTE
    Var index;
    Var source, target;                   ///< descriptors; target for BPERMUTE only
    const Place* place = nullptr;         ///< if the index may be out of range
    Var target_single = letform::kNoVar;  ///< one segment over the fetched entries
    Var flags = letform::kNoVar;          ///< if only entries with a true flag count; for BPERMUTE
  };
  /// What is fetched of a nested sequence are slices.
  ValuePtr fetch_lazily(const ValuePtr& elements, const Fetch& how);
  ValuePtr fetch(const ValuePtr& elements, const Fetch& how);
  /// entries[index[k]] for all k; the descriptors are of one segment each.
  ValuePtr gather(const ValuePtr& elements, Var index, Var source_single, Var target_single);
  /// The value with copies in place of slices. `instances`: one segment over the instances, if they are not those of
  /// the value's level.
  ValuePtr copied(const ValuePtr& value, Var instances = letform::kNoVar);
  ValuePtr element(const ValuePtr& sequence, const ValuePtr& index, const char* message);
  ValuePtr element_of_slice(const FlatValue& slice, Var index, const Place& where);
  /// Ends the program at the first index that is negative or not below its length, as indexing does.
  void check_indices(Var indices, Var lengths, const Place& where);
  /// The indices, checked.
  Var bounded(Var indices, Var lengths, const Place& where);
  ValuePtr get(const ValuePtr& sequence, const ValuePtr& indices, const char* message);
  /// A sequence as the slice of all its elements.
  ValuePtr all_of(const FlatValue& sequence);
  /// The slice of a sequence that has so many elements from an index on, all of which are known to be there.
  ValuePtr subsequence(const FlatValue& sequence, const ValuePtr& start, const ValuePtr& length);

  // --- flatten_checks.cpp ---------------------------------------------------------------------------------

  /// What a failed check tells besides its message: two INTs of the instance, and words for them with %a and %b.
  struct Told {
    Var a, b;
    std::string words;
  };
  /// Of the current level, as all operands of checks.
  void check_flags(Var flags, const std::string& message, const std::optional<Told>& told);
  /// REQUIRE or ASSERT, whose last operand are the flags.
  void require(std::vector<Var> operands, Op op, const std::string& message, const std::string& words);
  void check(const ValuePtr& condition, const std::string& message);
  /// A call of the primitive check or check_numbers.
  void lower_check(const Expr& argument, Intrinsic which);
  void check_equal_lengths(Var a, Var b, const char* message, const char* words = "lengths %a and %b");

  // --- flatten_primitives.cpp: what the prelude declares as primitive ----------------------------------------

  ValuePtr primitive(const Definition& definition, ValuePtr argument, Type* argument_type, Type* result_type);
  /// `failure` is the message if elements are at fault.
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
  /// Whether vectors and descriptors that were read are `count` values of this form.
  Var is_whole(const FlatValue& value, Var count);
  void write_message(const std::string& text);
  /// The user's current place, for an operation; message and values are as in vcode::Site. `inner` is the part of the
  /// nest from the elements of the operation to the instances of the current level.
  Place place(std::string message, std::vector<Var> inner = {}, std::string values = {});
  /// One entry of a nest, from the instances of an inner level to those of an outer one.
  Var between(int outer, int inner);
  std::uint32_t site(std::string message, std::string values = {});
  /// The site of the user's current place, without a message; kNoSite outside of the user's program.
  std::uint32_t here();
  Emitter::Here here_and_around();
  /// The call of a definition here, which is being inlined.
  std::uint32_t inlined_here(const Definition& definition);

  TypeStore& types_;
  const Definition& serial_map_;
  base::Diagnostics& diagnostics_;
  const Target target_;
  ExpressionFacts facts_;
  letform::Program program_;
  std::map<std::string, Instance> instances_;
  std::map<std::tuple<const base::Source*, std::uint32_t, const Definition*>, std::uint32_t> places_;
  Body* body_ = nullptr;
  Frame* frame_ = nullptr;
  bool applies_ = false;  ///< the statement applies a function to arguments that it is given
  std::uint64_t next_level_id_ = 0;
  std::vector<std::string> remarks_;
  std::map<const Definition*, FunctionGroup> groups_;  ///< by their first members
  std::unordered_map<const Expr*, const Definition*> origins_;
  std::vector<PatternPtr> patterns_;  ///< made by lower_serial_each(); code of function values points to them
};

}  // namespace nesl
