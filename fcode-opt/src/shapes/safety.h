#pragma once

#include <vector>

#include "fcode-opt/letform.h"
#include "fcode-opt/shapes.h"

namespace vcode::letform {

/// Shape facts for Safety; none are needed if the program states that lengths agree.
ShapeFacts length_facts(const Program& program);

/// For each function, whether calls must be kept although nothing uses their results. This is so if the function
/// contains a system operation, EXIT, RAND, an operation that can fault, one whose lengths might disagree, or a call of
/// such a function; and if it is external or does not return. `lengths`: result of length_facts().
std::vector<bool> functions_with_effects(const Program& program, const ShapeFacts& lengths);

/// Facts about the values of one function that imply that an operation cannot fault: divisors that are constants,
/// numbers that are lengths of something, operands that are equally long.
class Safety {
 public:
  /// `lengths`: result of length_facts() for the program as it is now.
  Safety(const Program& program, const Function& function, const ShapeFacts& lengths);

  /// Declares that the operation that makes `v` does not fault on its data.
  void cannot_fail(Var v) { known_[v].faultless = true; }
  /// Notes facts about a binding. To be called for every binding before its uses; the bindings inside an IF are noted
  /// one by one.
  void note(const Binding& binding);
  /// Whether a binding, which is not an IF, must be kept. `functions`: result of functions_with_effects().
  bool has_effect(const Binding& binding, const std::vector<bool>& functions) const;
  /// Whether an IF might stop the program because its condition is empty.
  bool can_stop(const Binding& choice) const { return !may_be_empty_.empty() && may_be_empty_[choice.operands[0]]; }

 private:
  struct Known {
    std::uint32_t constant = UINT32_MAX;  ///< all elements equal the one of this constant
    bool faultless = false;               ///< the operation that makes the value does not fault on its data
    Var permuted = kNoVar;                ///< the descriptor whose segments the indices permute
    bool count = false;                   ///< lengths, or numbers of elements: not negative
  };
  bool is_count(const Binding& binding) const;
  bool may_disagree(const Binding& binding) const;

  const Program& program_;
  std::vector<Known> known_;
  // Facts about each value; empty if the program states that lengths agree.
  std::vector<bool> disagree_;      ///< the lengths in the operation that makes the value are not known to agree
  std::vector<bool> may_be_empty_;  ///< the value is a condition that is not known to have an element
};

}  // namespace vcode::letform
