#include "machine/free_cuts.h"

#include <cstdint>

#include "vcode/grouping.h"
#include "vcode/kernel.h"
#include "vcode/op.h"

namespace interp {

namespace {

using vcode::Op;
using vcode::OpClass;

/// Functions by number.
using Graph = std::vector<std::vector<std::uint32_t>>;

bool sums_floats(Op op, vcode::Suffix suffix) {
  const vcode::OpInfo& row = vcode::info(op);
  const bool folds =
      row.op_class == OpClass::kScan || row.op_class == OpClass::kReduce || row.op_class == OpClass::kAccumulate;
  return folds && suffix == vcode::Suffix::kFloat && vcode::rounds(row.monoid, vcode::ElemType::kF64);
}

bool sums_floats(const vcode::Program& program, const vcode::Instruction& instruction) {
  if (instruction.statement == vcode::Statement::kOp) return sums_floats(instruction.op, instruction.suffix);
  if (instruction.statement != vcode::Statement::kFused) return false;
  for (const vcode::Kernel::Step& step : program.kernels[instruction.target].steps)
    if (!step.is_constant() && sums_floats(step.op, step.suffix)) return true;
  return false;
}

/// Marks all functions that marked ones lead to.
void spread(std::vector<bool>& marked, const Graph& leads_to) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t f = 0; f < marked.size(); ++f)
    if (marked[f]) found.push_back(f);
  while (!found.empty()) {
    const std::uint32_t function = found.back();
    found.pop_back();
    for (const std::uint32_t next : leads_to[function]) {
      if (marked[next]) continue;
      marked[next] = true;
      found.push_back(next);
    }
  }
}

/// The functions that call each function, and those that each function calls.
struct Calls {
  Graph callers, called;

  explicit Calls(const vcode::Program& program) : callers(program.functions.size()), called(program.functions.size()) {
    for (std::uint32_t f = 0; f < program.functions.size(); ++f)
      for (const vcode::Instruction& instruction : program.functions[f].body) {
        if (instruction.statement != vcode::Statement::kCall) continue;
        callers[instruction.target].push_back(f);
        called[f].push_back(instruction.target);
      }
  }
};

}  // namespace

std::vector<bool> functions_cut_anywhere(const vcode::Program& program) {
  const std::size_t count = program.functions.size();
  const auto [callers, called] = Calls(program);
  std::vector<bool> sum(count);
  for (std::uint32_t f = 0; f < count; ++f)
    for (const vcode::Instruction& instruction : program.functions[f].body)
      if (sums_floats(program, instruction)) sum[f] = true;
  spread(sum, callers);
  std::vector<bool> fixed(count);
  for (std::size_t f = 0; f < count; ++f) fixed[f] = sum[f] && !program.functions[f].piece_operands.empty();
  spread(fixed, called);
  std::vector<bool> anywhere(count);
  for (std::size_t f = 0; f < count; ++f) anywhere[f] = !sum[f] && !fixed[f];
  return anywhere;
}

std::vector<bool> functions_for_devices(const vcode::Program& program, const std::vector<bool>& is_recursive) {
  std::vector<bool> suited = is_recursive;
  spread(suited, Calls(program).callers);
  const std::vector<bool> anywhere = functions_cut_anywhere(program);
  for (std::size_t f = 0; f < suited.size(); ++f) suited[f] = suited[f] && anywhere[f];
  return suited;
}

}  // namespace interp
