#include "vcode/printer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/check.h"
#include "site_comment.h"
#include "words.h"

namespace vcode {
namespace {

void append(std::string& out, std::int64_t value) { fmt::format_to(std::back_inserter(out), "{}", value); }

/// Appends the shortest digits that are read back as the same number, always with a digit on both sides of the point.
void append(std::string& out, double value) {
  VC_CHECK(std::isfinite(value));
  char digits[32];
  char* end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  std::string_view text(digits, static_cast<std::size_t>(end - digits));
  std::string_view mantissa = text.substr(0, text.find('e'));
  out += mantissa;
  if (mantissa.find('.') == mantissa.npos) out += ".0";
  out += text.substr(mantissa.size());
}

void append_bool(std::string& out, bool value) { out += value ? 'T' : 'F'; }

/// Whether a CHAR or BYTE constant is printed as a string.
bool is_string(const Constant& constant) {
  if (constant.type != Suffix::kChar && constant.type != Suffix::kByte) return false;
  const int most = constant.type == Suffix::kChar ? 127 : 255;
  return std::all_of(constant.ints.begin(), constant.ints.end(),
                     [&](std::int64_t code) { return code >= most - 255 && code <= most && code != '"'; });
}

void append_constant(std::string& out, const Constant& constant, std::size_t max_elements) {
  std::size_t shown = std::min(constant.size(), max_elements);
  bool cut = shown < constant.size();
  if (is_string(constant)) {
    (out += suffix_name(constant.type)) += " \"";
    for (std::size_t i = 0; i < shown; ++i) out += static_cast<char>(constant.ints[i]);
    out += cut ? "...\"" : "\"";
    return;
  }
  // Codes that no string can hold are printed as an INT vector of the same value.
  bool bracketed =
      constant.bracketed || constant.type == Suffix::kChar || (constant.type == Suffix::kByte && constant.size() != 1);
  out += suffix_name(constant.type == Suffix::kChar ? Suffix::kInt : constant.type);
  out += bracketed ? " (" : " ";
  if (constant.stream) {
    out += stream_word(*constant.stream);
    return;
  }
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += ' ';
    if (constant.type == Suffix::kFloat)
      append(out, constant.floats[i]);
    else if (constant.type == Suffix::kBool)
      append_bool(out, constant.bools[i] != 0);
    else
      append(out, constant.ints[i]);
  }
  if (cut) out += " ...";
  if (bracketed) out += ')';
}

void append_instruction(std::string& out, const Program& program, const Instruction& instruction,
                        std::size_t max_elements) {
  if (instruction.statement == Statement::kOp) {
    out += info(instruction.op).text;
    if (instruction.suffix != Suffix::kNone) (out += ' ') += suffix_name(instruction.suffix);
    return;
  }
  out += statement_word(instruction.statement);
  switch (instruction.statement) {
    case Statement::kConst:
      append_constant(out += ' ', program.constants[instruction.target], max_elements);
      break;
    case Statement::kCopy:
    case Statement::kPop:
    case Statement::kCpop:
      append(out += ' ', instruction.count);
      append(out += ' ', instruction.depth);
      break;
    case Statement::kCall:
      (out += ' ') += program.functions[instruction.target].name;
      break;
    case Statement::kFused:
      append(out += ' ', program.kernels[instruction.target].number);
      break;
    case Statement::kOp:
    case Statement::kPair:
    case Statement::kUnpair:
    case Statement::kIf:
    case Statement::kElse:
    case Statement::kEndif:
      break;
  }
}

void append_types(std::string& out, const std::vector<Suffix>& types) {
  for (Suffix type : types) (out += ' ') += suffix_name(type);
}

void append_piece_operands(std::string& out, const PieceOperands& piece_operands) {
  if (!piece_operands.empty()) out += " PIECES";
  for (const PieceOperand& cut : piece_operands) {
    (out += ' ') += piece_operand_word(cut.how);
    if (cut.how != PieceOperand::How::kShared && cut.of != kIndexSpace)
      append(out += ' ', static_cast<std::int64_t>(cut.of));
  }
}

void append_function(std::string& out, const Program& program, const Function& function, CallNumbers& numbers) {
  (out += "FUNC ") += function.name;
  if (function.annotation) {
    append_types(out += " I", function.annotation->inputs);
    append_types(out += " O", function.annotation->outputs);
  }
  append_piece_operands(out, function.piece_operands);
  out += '\n';
  for (const Instruction& instruction : function.body) {
    append_instruction(out, program, instruction, SIZE_MAX);
    if (instruction.site != kNoSite) append_site(out += ' ', program.sites[instruction.site], program.inlined, numbers);
    out += '\n';
  }
  out += "RET\n";
}

void append_names(std::string& out, const Kernel& kernel, const std::vector<KernelVar>& values) {
  for (KernelVar v : values) (out += ' ') += kernel.values[v].name;
}

void append_kernel(std::string& out, const Program& program, const Kernel& kernel, CallNumbers& numbers) {
  out += fmt::format("KERNEL {} {} (", kernel.number, kernel.name);
  for (KernelVar v = 0; v < kernel.input_count; ++v)
    out +=
        fmt::format("{}{} {}", v == 0 ? "" : " ", kernel.values[v].name, suffix_name(suffix_of(kernel.values[v].kind)));
  out += fmt::format(") OVER {}", kernel.values[kernel.over].name);
  if (kernel.repeated > 0) out += fmt::format(" REPEATED {}", kernel.repeated);
  out += '\n';
  for (const Kernel::Step& step : kernel.steps) {
    for (KernelVar v : step.results) (out += kernel.values[v].name) += ' ';
    out += "= ";
    append_instruction(out, program, step_instruction(step), SIZE_MAX);
    append_names(out, kernel, step.operands);
    if (step.site != kNoSite) append_site(out += ' ', program.sites[step.site], program.inlined, numbers);
    out += '\n';
  }
  append_names(out += "OUT", kernel, kernel.outputs);
  out += "\nRET\n\n";
}

/// Appends a comment with the operations of a program that classic interpreters do not know; nothing if there are none.
void append_extensions(std::string& out, const Program& program) {
  std::vector<bool> used(kOps);
  for (const Function& function : program.functions)
    for (const Instruction& instruction : function.body)
      if (instruction.statement == Statement::kOp) used[static_cast<std::size_t>(instruction.op)] = true;
  std::string names;
  for (const OpInfo& row : all_ops())
    if (row.is_extension() && used[static_cast<std::size_t>(row.op)]) (names += ' ') += row.text;
  if (!names.empty()) out += fmt::format("{{operations beyond the VCODE of 1995:{}}}\n\n", names);
}

}  // namespace

std::string print_vcode(const Program& program) {
  std::string out;
  if (program.is_fcode)
    out += fmt::format("FCODE {}\n\n", kFcodeVersion);
  else
    append_extensions(out, program);
  CallNumbers numbers;
  for (const Kernel& kernel : program.kernels) append_kernel(out, program, kernel, numbers);
  for (const Function& function : program.functions) {
    append_function(out, program, function, numbers);
    out += '\n';
  }
  return out;
}

std::string print_instruction(const Program& program, const Instruction& instruction, std::size_t max_elements) {
  std::string out;
  append_instruction(out, program, instruction, max_elements);
  return out;
}

}  // namespace vcode
