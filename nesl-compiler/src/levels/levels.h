#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "flatten_context.h"
#include "level_stack.h"

namespace nesl {

/// Nesting levels of the let-form function under construction: their instances, and values spread to or packed for
/// them. Nesting levels are numbered from 1, the outermost, to depth(). Knows nothing of expressions and calls.
class Levels {
 public:
  explicit Levels(FlattenContext& context) : context_(context) {}

  /// Begins a function with its own nesting levels, the outermost first, each of which may be empty or not. The
  /// descriptors of the levels become its first parameters. Functions nest.
  void begin_function(std::string name, const std::vector<bool>& maybe_empty);
  letform::Function end_function(std::vector<Var> results);
  Emitter& emit() { return function_->emitter; }
  /// Values of global variables in the function.
  std::unordered_map<const Definition*, ValuePtr>& globals() { return function_->globals; }
  /// A number that no other nesting level has, entered before or later.
  std::uint64_t id(int number) { return level(number).id; }
  /// The descriptor of a nesting level, or its flags, as in Level.
  Var link_or_flags(int number) {
    return level(number).flags != letform::kNoVar ? level(number).flags : level(number).link;
  }
  /// Whether the function is the program's entry.
  bool is_in_main() const { return function_->outer == nullptr; }
  int own_levels() const { return static_cast<int>(function_->own_levels); }
  int depth() const { return static_cast<int>(function_->levels.size()); }
  bool maybe_empty(int number) { return level(number).maybe_empty; }
  void set_maybe_empty(int number, bool is) { level(number).maybe_empty = is; }

  /// Enters the elements of a sequence of the current nesting level.
  void push_elements(Var descriptor);
  /// Enters the instances of the current nesting level whose flag (of the current level) is true.
  void push_subset(Var flags, Var within, Var mixed, bool maybe_empty);
  void pop_level() { function_->levels.pop(); }
  /// Runs `work` at an outer nesting level: with only the first `number` levels.
  ValuePtr at_level(int number, const std::function<ValuePtr()>& work);
  /// Whether the current nesting level is the instances that take a branch of a conditional.
  bool in_branch() { return depth() > 0 && level(depth()).mixed != letform::kNoVar; }
  /// Whether each instance of level `to` is one of the instances of the outer level `from`.
  bool only_subsets(int from, int to);
  /// Descriptor of one segment over all instances of a nesting level; for level 0, over one element.
  Var single(int number);
  /// Descriptor that has, for each instance of level `from`, a segment of the instances of the inner level `to` it
  /// contains.
  Var grouping(int from, int to);
  /// The value spread to an inner nesting level, or to its own.
  ValuePtr lift(const ValuePtr& value, int to);
  ValuePtr lift_here(const ValuePtr& value) { return lift(value, depth()); }
  Var lift_scalar(Var var, int from, int to);
  /// The number, for each instance of the current nesting level.
  Var spread(std::int64_t number) { return lift_scalar(emit().integer(number), 0, depth()); }
  /// A scalar BOOL, true if the current nesting level has an instance; kNoVar if it certainly has one.
  Var nonempty();
  /// Descriptor of the filtered sequence, where the current nesting level is the subset of elements that the filter
  /// keeps.
  Var packed_descriptor();
  /// The slice of all elements of a sequence.
  ValuePtr all_of(const FlatValue& sequence);
  /// The value with copies in place of slices.
  ValuePtr copied(const ValuePtr& value);
  /// Emits IF. Both parts must yield values of the same form and nesting levels; `else_part` gets the value of
  /// `then_part` as a model.
  ValuePtr conditional(Var condition, const std::function<ValuePtr()>& then_part,
                       const std::function<ValuePtr(const ValuePtr&)>& else_part);
  /// Site and nest of an operation at the user's current location; message and values as in vcode::Site. `inner` is the
  /// part of the nest from the elements of the operation to the instances of the current nesting level.
  Location location(std::string message, std::vector<Var> inner = {}, std::string values = {});

 private:
  struct Function {
    Emitter emitter;
    std::unique_ptr<Function> outer;
    LevelStack levels = {};
    std::size_t own_levels = 0;  ///< number of nesting levels that are parameters of the function
    std::unordered_map<const Definition*, ValuePtr> globals = {};
  };
  Level& level(int number) { return function_->levels[number - 1]; }
  /// For each instance of level `to`, the number of the enclosing instance of level `from`.
  Var origin(int from, int to);
  /// One entry of a nest, from the instances of an inner nesting level to those of an outer one.
  Var between(int outer, int inner);

  FlattenContext& context_;
  std::unique_ptr<Function> function_;
  std::uint64_t next_level_id_ = 0;
};

}  // namespace nesl
