#pragma once

#include <optional>
#include <vector>

#include "syntax/ast.h"
#include "vcode/program.h"

namespace nesl {

/// A sequence of constants as a structure of arrays, one for each of its let-form values.
struct ConstantColumns {
  enum class Kind { kScalar, kSequence, kPair };
  Kind kind = Kind::kScalar;
  vcode::Constant values = {};  ///< of kScalar: the elements; of kSequence: the lengths
  std::vector<ConstantColumns> parts = {};
};

/// The columns of a literal if all its elements are constants: numbers (also negated), characters, strings, booleans,
/// tuples and sequences of them. The outermost column is a kSequence with one length.
std::optional<ConstantColumns> constant_sequence(const SequenceLiteral& literal);

}  // namespace nesl
