// The machine's answers to requests of the progress line.

#include <algorithm>

#include "io/progress.h"
#include "machine/machine.h"
#include "machine/source_location.h"

namespace interp {

using runtime::Value;

/// The number of elements of the longest operand of the current instruction; 0 if it is no operation.
std::int64_t Machine::present_elements() const {
  const bool fused = pc_->opcode == static_cast<std::uint16_t>(Control::kFused);
  if (!fused && pc_->opcode > static_cast<std::uint16_t>(Control::kSystem)) return 0;
  const std::ptrdiff_t operands = fused ? linked_.kernels[pc_->a].kernel().input_count
                                        : vcode::info(static_cast<vcode::Op>(pc_->op)).signature.operand_count;
  std::int64_t elements = 0;
  for (const Value* operand = top_ - std::min(operands, top_ - bottom_); operand != top_; ++operand) {
    if (operand->is_vector()) elements = std::max(elements, operand->length());
    if (operand->is_segdes()) elements = std::max(elements, operand->elements());
  }
  return elements;
}

void Machine::report_progress() {
  if (!options_.progress->take_request()) return;
  // The innermost recursive function tells most; without one, the current function.
  std::uint32_t function = where().function;
  std::uint64_t level = linked_.is_recursive[function] ? 1 : 0, rounds = 0;
  const std::size_t depth = call_depth();
  for (std::size_t up = 0; up < depth; ++up) {
    const Caller call = caller(up);
    if (level == 0 && linked_.is_recursive[call.origin.function]) {
      function = call.origin.function;
      level = 1;
    } else if (level > 0 && call.origin.function == function) {
      (call.times > 1 ? rounds : level) += call.times;
    }
  }
  std::string name = source_function(program_, function);
  if (name == shown_name("")) name.clear();
  options_.progress->answer(
      {std::move(name), level, rounds, present_elements(), evaluator_.heap().device().memory_use().live});
}

}  // namespace interp
