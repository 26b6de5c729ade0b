#include "hide_lengths.h"

#include <fmt/format.h>

#include "vcode/printer.h"

namespace {

using vcode::Constant;
using vcode::Instruction;
using vcode::Statement;
using vcode::Suffix;

bool is_vector(const Constant& constant) {
  return constant.type != Suffix::kSegdes &&
         (constant.bracketed || constant.type == Suffix::kChar || constant.type == Suffix::kByte);
}

/// Instructions that pack the constant on top of the stack by flags that are all true: random numbers below 1 are 0.
std::string packed(const Constant& constant) {
  const Suffix type = vcode::suffix_of(vcode::suffix_kind(constant.type));
  return fmt::format(
      "CONST INT 1\nCONST SEGDES {0}\nDIST INT\nRAND\nCONST INT 0\nCONST SEGDES {0}\nDIST INT\n= INT\nCONST SEGDES "
      "{0}\nPACK {1}\nPOP 1 0\n",
      constant.size(), vcode::suffix_name(type));
}

}  // namespace

std::string with_hidden_lengths(const vcode::Program& program) {
  std::string text;
  for (const vcode::Function& function : program.functions) {
    text += "FUNC " + function.name + "\n";
    for (const Instruction& instruction : function.body) {
      text += print_instruction(program, instruction) + "\n";
      if (instruction.statement == Statement::kConst && is_vector(program.constants[instruction.target]))
        text += packed(program.constants[instruction.target]);
    }
    text += "RET\n\n";
  }
  return text;
}
