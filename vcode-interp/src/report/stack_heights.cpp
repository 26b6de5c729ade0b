#include "report/stack_heights.h"

#include "base/check.h"

namespace interp {

using vcode::Statement;

namespace {

/// The change of height by an instruction; nothing if control never reaches the next instruction, or the change is
/// unknown.
std::optional<std::int64_t> height_change(const vcode::Program& program, const vcode::Instruction& in,
                                          const vcode::StackEffects& effects) {
  switch (in.statement) {
    case Statement::kOp:
      if (in.op == vcode::Op::kExit) return std::nullopt;
      return vcode::info(in.op).signature.result_count - vcode::info(in.op).signature.operand_count;
    case Statement::kConst:
    case Statement::kUnpair:
      return 1;
    case Statement::kCopy:
      return in.count;
    case Statement::kPop:
      return -in.count;
    case Statement::kPair:
    case Statement::kIf:
      return -1;
    case Statement::kCall: {
      const vcode::StackEffect& effect = effects[in.target];
      if (!effect.exact || !effect.returns) return std::nullopt;
      return static_cast<std::int64_t>(effect.outputs.size()) - static_cast<std::int64_t>(effect.inputs.size());
    }
    case Statement::kCpop:
    case Statement::kElse:
    case Statement::kEndif:
      return 0;
    case Statement::kFused: {
      const vcode::Kernel& kernel = program.kernels[in.target];
      return static_cast<std::int64_t>(kernel.outputs.size()) - static_cast<std::int64_t>(kernel.input_count);
    }
  }
  return std::nullopt;
}

}  // namespace

StackHeights::StackHeights(const vcode::Program& program, bool strict)
    : program_(program), effects_(vcode::infer_stack_effects(program, strict)) {}

StackHeights::Heights StackHeights::measure(const vcode::Function& function) const {
  struct Branch {
    std::optional<std::int64_t> at_if, after_first;
    bool has_else = false;
  };
  std::vector<Branch> open;
  std::optional<std::int64_t> height = 0;
  Heights heights;
  heights.reserve(function.body.size() + 1);
  for (const vcode::Instruction& in : function.body) {
    VC_CHECK(!open.empty() || (in.statement != Statement::kElse && in.statement != Statement::kEndif));
    if (in.statement == Statement::kElse) {
      open.back().after_first = height;
      open.back().has_else = true;
      height = open.back().at_if;
    } else if (in.statement == Statement::kEndif) {
      // A branch that does not reach ENDIF does not determine the height.
      const std::optional<std::int64_t> other = open.back().has_else ? open.back().after_first : open.back().at_if;
      if (!height) height = other;
      if (other && height != other) height.reset();
      open.pop_back();
    }
    heights.push_back(height);
    const std::optional<std::int64_t> change = height_change(program_, in, effects_);
    if (!change)
      height.reset();
    else if (height)
      *height += *change;
    if (in.statement == Statement::kIf) open.push_back({height, {}});
  }
  heights.push_back(height);
  return heights;
}

std::optional<std::int64_t> StackHeights::before(LinkedProgram::Origin origin) {
  auto [it, is_new] = heights_.try_emplace(origin.function);
  if (is_new) it->second = measure(program_.functions[origin.function]);
  return it->second[origin.instruction];
}

std::optional<std::int64_t> StackHeights::reach(std::uint32_t function) const {
  const vcode::StackEffect& effect = effects_[function];
  if (!effect.analysed || !effect.exact) return std::nullopt;
  return static_cast<std::int64_t>(effect.inputs.size());
}

}  // namespace interp
