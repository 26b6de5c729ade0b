#include <utility>

#include "ir/walk.h"
#include "legalize/expander.h"

namespace vcode::letform {

namespace {

/// The codes of characters that are read may be negative INTs.
void convert_text(Function& function, Block& block) {
  for (Binding& binding : std::exchange(block.bindings, {})) {
    for (Block& inner : binding.blocks) convert_text(function, inner);
    const bool reads = binding.form == Binding::Form::kOp && binding.op == Op::kFreadChar;
    block.bindings.push_back(std::move(binding));
    if (!reads || block.bindings.back().suffix != Suffix::kByte) continue;
    function.values.push_back({Kind::kInt});
    const auto text = static_cast<Var>(function.values.size() - 1);
    const Var bytes = std::exchange(block.bindings.back().results[0], text);
    block.bindings.push_back({.op = Op::kIntToByte, .operands = {text}, .results = {bytes}});
  }
}

}  // namespace

/// Replaces the type BYTE by INT, for a target without it. Conversions stay, and have expansions of their own.
void bytes_as_ints(Program& program) {
  for (Constant& constant : program.constants)
    if (constant.type == Suffix::kByte) constant.type = constant.size() == 1 ? Suffix::kInt : Suffix::kChar;
  for (Function& function : program.functions) {
    convert_text(function, function.body);
    for (ValueInfo& value : function.values)
      if (value.kind == Kind::kByte) value.kind = Kind::kInt;
    for_each_binding(function.body, [](Binding& binding) {
      if (binding.form == Binding::Form::kOp && binding.suffix == Suffix::kByte)
        binding.suffix = info(binding.op).takes(Suffix::kInt) ? Suffix::kInt : Suffix::kNone;
    });
  }
}

/// BYTE_TO_I a, after bytes_as_ints():
///   a
Var expand_byte_to_int(Expander&, const std::vector<Var>& operands) { return operands[0]; }

/// I_TO_BYTE a, after bytes_as_ints():
///   AND INT a (DIST 255 …)
Var expand_int_to_byte(Expander& to, const std::vector<Var>& operands) {
  return to.op(Op::kAnd, Suffix::kInt, {operands[0], to.spread(255, operands[0])});
}

}  // namespace vcode::letform
