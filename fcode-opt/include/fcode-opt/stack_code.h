#pragma once

#include <string>
#include <vector>

#include "fcode-opt/letform.h"

/// Let-form to stack code and back.
namespace vcode::letform {

/// Stack code with few COPY, POP and CPOP. Operands move at their last use, and a branch begins by dropping values that
/// only the other branch needs; so the vector library sees last uses as values whose reference count is 1. Sites become
/// comments (docs/vcode.md).
vcode::Program to_stack_code(const Program& program);
/// The same, with the bodies of external functions, and of what they call, taken from `original`.
vcode::Program to_stack_code(const Program& program, const vcode::Program& original);

/// A function that stays stack code, because it cannot be written as let-form or because such a function needs it.
struct KeptFunction {
  std::uint32_t function;  ///< of the stack code
  base::Span span;         ///< what the reason is about; empty if it is about the function
  std::string reason;
};
struct Converted {
  Program program;
  std::vector<KeptFunction> kept;  ///< by number, each once
};
/// Stack code without kernels, accepted by validate(), as let-form. Functions are converted for each combination of
/// kinds they are called with; pairs become the values in them. Functions that cannot be written as let-form are kept:
/// those that leave a number or kinds of values that depend on the data, and callers that must know these.
/// See Note [Stack code that stays] in from_stack_code.cpp.
Converted from_stack_code(const vcode::Program& program);

}  // namespace vcode::letform
