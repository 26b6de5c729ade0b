#pragma once

#include <string>

#include "vcode/program.h"

namespace vcode {

/// VCODE text that parses back to an equal program: one instruction a line, a blank line after each function, floats
/// with as many digits as are needed to read back the same number. VCODE (not FCODE) with operations that classic
/// interpreters do not know begins with a comment that names them.
std::string print_vcode(const Program& program);

/// One instruction as the printer writes it; constants are shortened to `max_elements` elements.
std::string print_instruction(const Program& program, const Instruction& instruction,
                              std::size_t max_elements = SIZE_MAX);

}  // namespace vcode
