#pragma once

#include "masks/lifting.h"

namespace vcode::letform {

/// Computes nests of lifted conditionals, and steps of loops, for all elements (see choose_masks()).
class LiftBranches : public Lifting {
 public:
  using Lifting::Lifting;

  /// Results of a kLiftedIf that is outside of all others, for all elements.
  std::vector<Var> lift_conditional(const Binding& choice);
  /// Values after a step of a kSteps from the given ones, and whether each element has taken it.
  std::vector<Var> take_step(const Binding& steps, const std::vector<Var>& values);

 private:
  Source source(Var v) const override;
  void lift_other(const Binding& binding, const Mask& mask) override;
  void enter(const Block& block, const Mask& mask);
  void lift_operation(const Binding& binding, const Mask& mask);
  void lift_distribution(const Binding& binding, const Mask& mask);
  void lift_pack(const Binding& pack, const std::vector<Var>& results, const Mask& mask);
  void lift_descriptor(const Binding& binding, const Mask& mask);
  void lift_if(const Binding& choice, const Mask& mask);
  bool is_number_for_branch(const Binding& choice, const Mask& mask);
  void pack_again(const Binding& choice, const Binding& pack);
  void lift_choice(const Binding& choice, const Mask& mask);
  void join(const Binding& choice, Var flags, Var others, const Mask& mask, const Mask& inner);
  Mask within(const Mask& mask, Var flags);
  bool is_op(Var v, Op op) const;
  bool is_root(const Binding& binding) const;
  bool counts(Var v);

  std::unordered_map<Var, Source> sources_;
};

}  // namespace vcode::letform
