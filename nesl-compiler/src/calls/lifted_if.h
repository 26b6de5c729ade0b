#pragma once

#include <utility>
#include <vector>

#include "levels/levels.h"

namespace nesl {

/// A conditional for each instance of the current nesting level. Each branch is computed in a block, for the instances
/// that take it. If the results are scalars, tuples of scalars, or slices of one sequence, letform::Binding::kLiftedIf
/// joins them, which the optimizer computes by masks or by packing; otherwise the user of this class does.
class LiftedIf {
 public:
  LiftedIf(Levels& levels, Var flags);

  Var flags() const { return branches_[0].flags; }
  Var not_flags() const { return branches_[1].flags; }
  Var all() const { return all_; }
  /// Whether an instance takes the branch, and whether instances take both.
  Var taken(bool then_branch) const { return branches_[then_branch ? 0 : 1].taken; }
  Var mixed() const { return mixed_; }

  /// Begins and ends the block of a branch, whose code has the nesting level of its instances.
  void enter(bool then_branch);
  void leave(bool then_branch);
  /// To be called in a block: the value as it can be used after the block. Unless it existed before and does not vary
  /// with the instances of the branch, it is lifted to these.
  ValuePtr outlive(const ValuePtr& value);
  /// Whether a value was made by one of the blocks; not if it is a known number.
  bool is_inside(Var var) const;
  /// The value, with known numbers of the blocks made again outside of them.
  Var outside(Var var);

  /// The value that is `a` for the instances with a true flag and `b` for the others; either may be null, for no value.
  /// Parts that are the same stay at their nesting level. Null if the values cannot be joined. The value exists only
  /// after finish().
  ValuePtr join(const ValuePtr& a, const ValuePtr& b);
  /// Emits the conditional, with the joined values as its results.
  void finish(const Location& where);
  /// The block of a branch, for a conditional that cannot be joined.
  letform::Block take_block(bool then_branch) { return std::move(branches_[then_branch ? 0 : 1].block); }

 private:
  struct Branch {
    Var flags, taken;
    Var begin = letform::kNoVar, end = letform::kNoVar;  ///< the values made in the block
    letform::Block block = {};
  };
  Emitter& emit() { return levels_.emit(); }
  bool is_outside(const FlatValue& value) const;
  Var result(const ValuePtr& a, const ValuePtr& b);

  Levels& levels_;
  Branch branches_[2];
  Var all_, mixed_;
  std::vector<std::pair<ValuePtr, ValuePtr>> joined_;  ///< scalars; null: no value
  std::vector<Var> results_;
};

}  // namespace nesl
