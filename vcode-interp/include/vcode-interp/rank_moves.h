#pragma once

#include <string>

#include "vcode/program.h"

namespace interp {

/// A line for each operation of a program, and for each kernel, that exchanges elements between ranks if its vectors
/// are divided among them (docs/cluster.md): source location, operation, and the elements that it exchanges. Lines that
/// would be equal are there once. Empty if no operation exchanges elements.
std::string describe_moves(const vcode::Program& program);

}  // namespace interp
