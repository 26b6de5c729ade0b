#include "vcode/piece_operands.h"

#include <fmt/format.h>

#include "vcode/program.h"

namespace vcode {
namespace {

bool acts(Op op) {
  const OpInfo& row = info(op);
  return row.op_class == OpClass::kSystem || row.draws();
}

bool acts(const Program& program, const Instruction& instruction) {
  if (instruction.statement == Statement::kOp) return acts(instruction.op);
  if (instruction.statement != Statement::kFused) return false;
  for (const Kernel::Step& step : program.kernels[instruction.target].steps)
    if (!step.is_constant() && acts(step.op)) return true;
  return false;
}

}  // namespace

std::string complaint_about(const PieceOperands& piece_operands) {
  bool any = piece_operands.empty();
  for (std::uint32_t k = 0; k < piece_operands.size(); ++k) {
    const PieceOperand& cut = piece_operands[k];
    any = any || (cut.how != PieceOperand::How::kShared && cut.of == kIndexSpace);
    if (cut.how == PieceOperand::How::kShared || cut.of == kIndexSpace) continue;
    if (cut.of >= k) return fmt::format("operand {} goes by operand {}, which is not before it", k, cut.of);
    if (piece_operands[cut.of].how != PieceOperand::How::kEach)
      return fmt::format("operand {} goes by operand {}, which is not cut", k, cut.of);
  }
  return any ? "" : "no operand has the elements of the index space";
}

std::vector<bool> functions_that_act(const Program& program) {
  std::vector<std::vector<std::uint32_t>> callers(program.functions.size());
  std::vector<bool> act(program.functions.size());
  std::vector<std::uint32_t> found;
  auto mark = [&](std::uint32_t function) {
    if (act[function]) return;
    act[function] = true;
    found.push_back(function);
  };
  for (std::uint32_t f = 0; f < program.functions.size(); ++f)
    for (const Instruction& instruction : program.functions[f].body) {
      if (instruction.statement == Statement::kCall) callers[instruction.target].push_back(f);
      if (acts(program, instruction)) mark(f);
    }
  while (!found.empty()) {
    const std::uint32_t function = found.back();
    found.pop_back();
    for (const std::uint32_t caller : callers[function]) mark(caller);
  }
  return act;
}

}  // namespace vcode
