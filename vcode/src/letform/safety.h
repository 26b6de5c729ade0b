#pragma once

#include <vector>

#include "vcode/letform.h"

namespace vcode::letform {

/// What is known of the values of one function that keeps an operation from failing: divisors that are constants,
/// lengths that are lengths of something.
class Safety {
 public:
  Safety(const Program& program, const Function& function) : program_(program), known_(function.values.size()) {}

  /// To be told of every binding before those that use it; of an IF, the bindings inside are told by themselves.
  void note(const Binding& binding);
  /// Whether the binding, which is not an IF, must be kept. `functions`: which functions must.
  bool has_effect(const Binding& binding, const std::vector<bool>& functions) const;

 private:
  struct Known {
    std::uint32_t constant = UINT32_MAX;  ///< all elements are the one of this constant
    bool count = false;                   ///< lengths, or numbers of elements of something: not negative
  };
  bool is_count(const Binding& binding) const;

  const Program& program_;
  std::vector<Known> known_;
};

}  // namespace vcode::letform
