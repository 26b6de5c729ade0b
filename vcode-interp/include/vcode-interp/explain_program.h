#pragma once

#include <string>
#include <vector>

#include "cvl/backend.h"
#include "vcode/program.h"

namespace interp {

/// A sentence about a location of the source program. Without a file, it is about the function.
struct PlacedText {
  vcode::Site location;
  std::string text;
};

/// Describes how the parts of a program are run: each kernel, with its lines, operations and machine code, which is
/// compiled to know its size; operations on vectors that are in no kernel; calls that may run in pieces; and updates of
/// vectors, in place or of a copy.
std::vector<PlacedText> explain_program(const vcode::Program& program, cvl::Backend& backend, vcode::Widths widths);

}  // namespace interp
