#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/stop_request.h"
#include "fcode-opt/letform.h"
#include "fcode-opt/shapes.h"
#include "passes/constant_pool.h"
#include "passes/dead_bindings.h"
#include "passes/definitions.h"
#include "shapes/safety.h"

namespace vcode::letform {

/// A pass that goes through one function from its beginning to its end and rewrites single operations, with what is
/// known of the values they read.
class PatternFinder {
 public:
  PatternFinder(const Program& program, ConstantPool& pool, Function& function, const ShapeFacts& facts);
  virtual ~PatternFinder() = default;
  PatternFinder(const PatternFinder&) = delete;
  PatternFinder& operator=(const PatternFinder&) = delete;

  void run(Block& block);
  /// Values whose operations were found unable to fail, and may not be needed any more.
  const std::vector<Var>& harmless() const { return harmless_; }

 protected:
  /// Looks at an operation whose operands are as long as its signature demands.
  virtual void rewrite(Binding& binding) = 0;
  /// Takes note of a binding that is done.
  virtual void note(const Binding& binding);

  /// Makes another operation of a binding, with the same results.
  static void become(Binding& binding, Op op, std::vector<Var> operands);
  Var new_value(Kind kind);
  /// Adds a binding before the one looked at.
  void put(Binding binding);
  Var add(Op op, Suffix suffix, std::vector<Var> operands);
  Var add_number(int number);

  const std::array<Var, Signature::kMaxRoles>& operands(Var v) const { return definitions_.of(v).operands; }
  bool is(Var v, Op op) const { return definitions_.is_op(v, op); }
  /// The INT that each element is, if it is known and the same, else -1.
  std::int64_t uniform(Var v) const;
  /// Whether it is an INDEX of stride 1 over a descriptor; whether that is 0, 1, 2, … in each segment.
  bool is_range(Var v, Var descriptor);
  bool counts_up(Var v, Var descriptor) { return is_range(v, descriptor) && uniform(operands(v)[0]) == 0; }
  /// Whether the compiler says that an operation cannot fail: it gives a message to what may.
  bool cannot_fail(const Binding& binding) const;
  /// Takes the binding that makes `v` out of the block that is being written, if it is there and nothing behind it can
  /// fail or has an effect.
  std::optional<Binding> take_back(Var v);

  const Program& program_;
  ConstantPool& pool_;
  Function& function_;
  Definitions definitions_;
  Shapes shapes_;
  std::vector<std::uint32_t> uses_;  ///< of each value, as an operand, in a nest, or as a result
  std::vector<Var> held_;            ///< flags of checks that have run
  std::vector<Var> harmless_;

 private:
  void visit(Binding& binding);

  std::vector<Binding>* to_ = nullptr;  ///< the block being written
};

/// Runs a PatternFinder over each function, and removes what nobody needs then.
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
    for (Var v : finder.harmless()) safety.cannot_fail(v);
    remove_dead_bindings(function, std::move(safety), effects);
  }
}

}  // namespace vcode::letform
