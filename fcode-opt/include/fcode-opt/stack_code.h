#pragma once

#include <string>
#include <vector>

#include "fcode-opt/letform.h"

/// Conversion of let-form to stack code and back.
namespace vcode::letform {

/// Stack code with few COPY, POP and CPOP. Operands move at their last use, and a branch begins by dropping values that
/// only the other branch needs, so that a value has reference count 1 at its last use and can be overwritten in place.
/// Sites become comments (docs/vcode.md).
vcode::Program to_stack_code(const Program& program);
/// Stack code of a program that is partly let-form: the bodies of external functions, and of the functions they call,
/// come from `original`.
vcode::Program to_stack_code(const Program& program, const vcode::Program& original);

/// A function that stays stack code, because it cannot be written as let-form or because a kept function needs it.
struct KeptFunction {
  std::uint32_t function;  ///< number in the stack code
  base::Span span;         ///< code that the reason is about; empty if it is about the function
  std::string reason;
};
struct Converted {
  Program program;
  std::vector<KeptFunction> kept;  ///< by function number, each once
};
/// Let-form of stack code that has no kernels and that validate() accepts. Functions are converted for each combination
/// of kinds they are called with; pairs become the values in them. Functions that cannot be written as let-form are
/// kept: those whose number or kinds of results depend on the data, and callers that must know these.
/// See Note [Stack code that stays] in from_stack_code.cpp.
Converted from_stack_code(const vcode::Program& program);

}  // namespace vcode::letform
