#pragma once

#include <vector>

#include "fcode-opt/letform.h"
#include "fcode-opt/shapes.h"

namespace vcode::letform {

/// The shape facts that Safety needs: none where the program's lengths agree anyway.
ShapeFacts length_facts(const Program& program);

/// For each function, whether calls of it must be kept although nothing uses their results: it contains a system
/// operation, EXIT, RAND, an operation that can fail, or whose lengths might disagree, or a call of such a function; or
/// it is external or does not return. `lengths`: the length_facts().
std::vector<bool> functions_with_effects(const Program& program, const ShapeFacts& lengths);

/// Facts about the values of one function that imply that an operation cannot fail: divisors that are constants,
/// lengths that are lengths of something, operands that are equally long.
class Safety {
 public:
  /// `lengths`: the length_facts() of the program as it is now.
  Safety(const Program& program, const Function& function, const ShapeFacts& lengths);

  /// Declares that the data of the operation that makes `v` cannot be at fault.
  void cannot_fail(Var v) { known_[v].harmless = true; }
  /// To be called for every binding before its uses; the bindings inside an IF are noted one by one.
  void note(const Binding& binding);
  /// Whether the binding, which is not an IF, must be kept. `functions`: the functions_with_effects().
  bool has_effect(const Binding& binding, const std::vector<bool>& functions) const;
  /// Whether an IF might stop the program because its condition has no element.
  bool can_stop(const Binding& choice) const { return !may_be_empty_.empty() && may_be_empty_[choice.operands[0]]; }

 private:
  struct Known {
    std::uint32_t constant = UINT32_MAX;  ///< all elements are the one of this constant
    bool harmless = false;                ///< what makes it finds nothing wrong with its data
    Var permuted = kNoVar;                ///< the descriptor whose segments the indices permute
    bool count = false;                   ///< lengths, or numbers of elements of something: not negative
  };
  bool is_count(const Binding& binding) const;
  bool may_disagree(const Binding& binding) const;

  const Program& program_;
  std::vector<Known> known_;
  // Of each value; empty if lengths agree anyway.
  std::vector<bool> disagree_;      ///< the lengths of what makes it are not known to agree
  std::vector<bool> may_be_empty_;  ///< it is a condition, and not known to have an element
};

}  // namespace vcode::letform
