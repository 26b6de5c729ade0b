#pragma once

#include <string>

#include "vcode/program.h"

namespace vcode {

/// VCODE text that parses back to an equal program: one instruction a line, a blank line after each
/// function, floats with as many digits as needed to read back the same number. VCODE (not FCODE) that uses operations
/// which classic interpreters do not know begins with a comment that names them.
std::string print_vcode(const Program& program);

/// One instruction as the printer writes it; long constants are cut after `max_elements`.
std::string print_instruction(const Program& program, const Instruction& instruction,
                              std::size_t max_elements = SIZE_MAX);

}  // namespace vcode
