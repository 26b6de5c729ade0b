#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/stop_request.h"
#include "fcode-opt/letform.h"
#include "fcode-opt/shapes.h"
#include "passes/constant_pool.h"
#include "passes/dead_bindings.h"
#include "passes/definitions.h"
#include "shapes/safety.h"

namespace vcode::letform {

/// A pass that visits the bindings of one function in order and rewrites single operations, using facts about the
/// values they read.
class PatternFinder {
 public:
  PatternFinder(const Program& program, ConstantPool& pool, Function& function, const ShapeFacts& facts);
  virtual ~PatternFinder() = default;
  PatternFinder(const PatternFinder&) = delete;
  PatternFinder& operator=(const PatternFinder&) = delete;

  void run(Block& block);
  /// Values whose operations were found unable to fault, and may have become dead.
  const std::vector<Var>& faultless() const { return faultless_; }

 protected:
  /// Rewrites an operation if it matches a pattern. Its operands are as long as its signature demands.
  virtual void rewrite(Binding& binding) = 0;
  /// Rewrites an IF whose blocks have been visited, and adds bindings behind it.
  virtual void rewrite_if(Binding&) {}
  void put_behind(Binding binding) { behind_.push_back(std::move(binding)); }
  /// Records a binding that has been rewritten or left.
  virtual void note(const Binding& binding);

  /// Changes a binding to another operation, with the same results.
  static void become(Binding& binding, Op op, std::vector<Var> operands);
  Var new_value(Kind kind);
  /// Adds a binding before the one being visited.
  void put(Binding binding);
  Var add(Op op, Suffix suffix, std::vector<Var> operands);
  Var add_number(int number);
  /// A scalar INT for each segment of a descriptor.
  Var for_each_segment(Var number, Var descriptor);

  const std::array<Var, Signature::kMaxRoles>& operands(Var v) const { return definitions_.of(v).operands; }
  /// Whether a value that was visited can be read here: it is not in a block that has ended.
  bool is_in_scope(Var v) const { return v >= ended_.size() || !ended_[v]; }
  bool is(Var v, Op op) const { return definitions_.is_op(v, op); }
  /// The INT that all elements are, if it is known and they are equal, else -1.
  std::int64_t uniform(Var v) const;
  /// Whether a value is an INDEX of stride 1 over a descriptor. counts_up(): whether it is 0, 1, 2, … in each segment.
  bool is_range(Var v, Var descriptor);
  bool counts_up(Var v, Var descriptor) { return is_range(v, descriptor) && uniform(operands(v)[0]) == 0; }
  /// Segment length of a descriptor made of one constant, or -1.
  std::int64_t uniform_length(Var descriptor) const;
  /// Whether each segment of `descriptor` is as long as the segment of `all` minus that of `part`, by the way it was
  /// made.
  bool is_difference(Var descriptor, Var all, Var part);
  /// Whether each segment of s3 is as long as the segments of s1 and s2 together, by the way it was made.
  bool is_sum(Var s3, Var s1, Var s2);
  /// Whether the compiler states that an operation cannot fault: it gives a message to every operation that may.
  bool cannot_fail(const Binding& binding) const;
  /// Removes the binding of `v` from the block being written and returns it, if it is in the block and no later binding
  /// can fault or has an effect.
  std::optional<Binding> take_back(Var v);

  const Program& program_;
  ConstantPool& pool_;
  Function& function_;
  Definitions definitions_;
  Shapes shapes_;
  std::vector<std::uint32_t> uses_;  ///< of each value: number of uses as an operand, in a nest, or as a result
  std::vector<Var> held_;            ///< flags of checks that have run
  std::vector<Var> faultless_;

 private:
  void visit(Binding& binding);
  /// The scalar constant that equals every element of a value, or null: of a DIST or SLICE of such elements, or an IF
  /// that chooses between them, or between them and none.
  const Constant* each_element(Var v) const;

  std::vector<Binding>* to_ = nullptr;  ///< the block being written
  std::vector<bool> ended_;             ///< values in blocks that have ended
  std::vector<Binding> behind_;         ///< bindings that follow the one being visited
};

/// Runs a PatternFinder over each function, and removes bindings that have become dead.
template <class Finder>
void find_patterns(Program& program) {
  ConstantPool pool(program);
  const ShapeFacts shape_facts = find_shape_facts(program);
  const ShapeFacts lengths = length_facts(program);
  const std::vector<bool> effects = functions_with_effects(program, lengths);
  for (Function& function : program.functions) {
    base::check_stop();
    Finder finder(program, pool, function, shape_facts);
    finder.run(function.body);
    Safety safety(program, function, lengths);
    for (Var v : finder.faultless()) safety.cannot_fail(v);
    remove_dead_bindings(function, std::move(safety), effects);
  }
}

}  // namespace vcode::letform
