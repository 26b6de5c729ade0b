#pragma once

#include <optional>
#include <vector>

#include "syntax/ast.h"
#include "vcode/program.h"

namespace nesl {

/// A sequence of constants as a structure of arrays: one array for each let-form value.
struct ConstantColumns {
  enum class Kind { kScalar, kSequence, kPair };
  Kind kind = Kind::kScalar;
  vcode::Constant values = {};  ///< kScalar: the elements; kSequence: the lengths
  std::vector<ConstantColumns> parts = {};
};

/// Returns the columns of a literal whose elements are all constants: numbers (also negated), characters, strings,
/// booleans, and tuples and sequences of constants; nothing for other literals. The outermost column is a kSequence
/// with one length.
std::optional<ConstantColumns> constant_sequence(const SequenceLiteral& literal);

}  // namespace nesl
