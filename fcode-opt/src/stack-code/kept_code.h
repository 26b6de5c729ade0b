#pragma once

#include <vector>

#include "fcode-opt/letform.h"
#include "inlined_calls.h"
#include "labels.h"

namespace vcode::letform {

/// Copies functions that stay stack code from the original program to the result.
class KeptCode {
 public:
  KeptCode(const Program& program, const vcode::Program& original, InlinedCalls& calls, vcode::Program& result);

  /// Sets the number in the result of a root or an external function; kNoFunction: none yet.
  void place(const Function& function, std::uint32_t number);
  /// Number in the result of a function of the original program, which is appended if it has none yet.
  std::uint32_t number_of(std::uint32_t original);
  /// Writes the functions whose numbers number_of() has returned, and the functions they call.
  void write(Labels& labels);

 private:
  void write_function(std::uint32_t original, Labels& labels);

  const Program& program_;
  const vcode::Program& original_;
  InlinedCalls& calls_;
  vcode::Program& result_;
  std::vector<std::uint32_t> numbers_;    ///< of each original function: its number in the result
  std::vector<std::uint32_t> constants_;  ///< of each original constant: its number in the result
  std::vector<std::uint32_t> to_write_;   ///< original functions that must be written
};

}  // namespace vcode::letform
