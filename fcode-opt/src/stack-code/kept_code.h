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

  /// Tells the number in the result of a root or an external function; kNoFunction: none yet.
  void place(const Function& function, std::uint32_t number);
  /// The number in the result of a function of the original program, which is appended if it has none yet.
  std::uint32_t number_of(std::uint32_t original);
  /// Writes the functions that number_of() has been asked for, and those they call.
  void write(Labels& labels);

 private:
  void write_function(std::uint32_t original, Labels& labels);

  const Program& program_;
  const vcode::Program& original_;
  InlinedCalls& calls_;
  vcode::Program& result_;
  std::vector<std::uint32_t> numbers_;    ///< in the result, of the original functions
  std::vector<std::uint32_t> constants_;  ///< likewise
  std::vector<std::uint32_t> to_write_;   ///< original functions
};

}  // namespace vcode::letform
