#pragma once

#include <vector>

#include "fcode-opt/letform.h"
#include "labels.h"

namespace vcode::letform {

/// Takes functions that stay stack code from the original program over to the result.
class KeptCode {
 public:
  KeptCode(const Program& program, const vcode::Program& original, vcode::Program& result);

  /// A root, or an external function, has this number in the result; kNoFunction: none yet.
  void place(const Function& function, std::uint32_t number);
  /// In the result, of a function of the original program; it is appended if it was not known.
  std::uint32_t number_of(std::uint32_t original);
  /// Writes the functions that have been asked for, and what they call.
  void write(Labels& labels);

 private:
  void write_function(std::uint32_t original, Labels& labels);

  const Program& program_;
  const vcode::Program& original_;
  vcode::Program& result_;
  std::vector<std::uint32_t> numbers_;    ///< in the result, of the original functions
  std::vector<std::uint32_t> constants_;  ///< likewise
  std::vector<std::uint32_t> to_write_;   ///< original functions
};

}  // namespace vcode::letform
