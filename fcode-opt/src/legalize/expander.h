#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fcode-opt/target.h"

namespace vcode::letform {

/// Writes operations in place of one operation that the target lacks.
class Expander {
 public:
  Expander(Program& program, Function& function, const Target& target)
      : program_(program), function_(function), target_(target) {}

  /// Appends the expansion of an operation to a block. Returns the value that replaces its result.
  Var expand(const Binding& operation, Block& to);

  // --- for expansions: values for the operation that is being expanded

  Op operation() const { return operation_->op; }
  Suffix suffix() const { return operation_->suffix; }
  /// Appends an operation, or its expansion if the target lacks it, too. It reports no faults of its own.
  Var op(Op op, Suffix suffix, std::vector<Var> operands);
  Var op(Op op, std::vector<Var> operands) { return this->op(op, Suffix::kNone, std::move(operands)); }
  /// Appends an operation that reports the faults of the expanded operation.
  Var faulting_op(Op op, Suffix suffix, std::vector<Var> operands);
  /// PACK, which has two results.
  std::pair<Var, Var> pack(Suffix suffix, std::vector<Var> operands);
  Var number(std::int64_t number);
  /// The scalar zero of the suffix.
  Var zero(Suffix suffix);
  /// The number for each element of a vector.
  Var spread(std::int64_t number, Var for_each) {
    return op(Op::kDist, Suffix::kInt, {this->number(number), all_of(for_each)});
  }
  /// One segment over all elements of a vector.
  Var all_of(Var vector);
  Var length(Var vector);
  /// Appends IF good ELSE what `otherwise` appends; neither branch yields anything.
  void unless(Var good, const std::function<void()>& otherwise);
  /// Ends the program with the message of the expanded operation, which is about the first false one of `flags`; with
  /// an error of the machine if it has none.
  void exit_with_message(Var flags);

 private:
  Var fresh(Kind kind);
  std::vector<Var> append(Binding binding);
  std::uint32_t site_of_exit();
  bool has_message() const;

  Program& program_;
  Function& function_;
  const Target& target_;
  const Binding* operation_ = nullptr;
  Block* to_ = nullptr;
  std::map<std::uint32_t, std::uint32_t> exit_sites_;
};

/// Writes the operations for an operation with these operands and returns the value of its result.
using Expansion = Var (*)(Expander&, const std::vector<Var>& operands);

/// The expansion of an operation; null if it has none.
Expansion expansion_of(Op op);

void bytes_as_ints(Program& program);

Var expand_byte_to_int(Expander& to, const std::vector<Var>& operands);
Var expand_int_to_byte(Expander& to, const std::vector<Var>& operands);
Var expand_assert(Expander& to, const std::vector<Var>& operands);
Var expand_require(Expander& to, const std::vector<Var>& operands);
Var expand_bound(Expander& to, const std::vector<Var>& operands);
Var expand_elements(Expander& to, const std::vector<Var>& operands);
Var expand_offsets(Expander& to, const std::vector<Var>& operands);
Var expand_count_ints(Expander& to, const std::vector<Var>& operands);
Var expand_max_index(Expander& to, const std::vector<Var>& operands);
Var expand_min_index(Expander& to, const std::vector<Var>& operands);
Var expand_slice(Expander& to, const std::vector<Var>& operands);
Var expand_append(Expander& to, const std::vector<Var>& operands);
Var expand_append3(Expander& to, const std::vector<Var>& operands);
Var expand_merge(Expander& to, const std::vector<Var>& operands);
Var expand_merge_segments(Expander& to, const std::vector<Var>& operands);
Var expand_latest(Expander& to, const std::vector<Var>& operands);
Var expand_accumulate(Expander& to, const std::vector<Var>& operands);

}  // namespace vcode::letform
