#include "vcode/program.h"

#include <algorithm>

namespace vcode {
namespace {

bool same_calls(const Program& p, std::uint32_t a, const Program& q, std::uint32_t b) {
  while (a != kNoCall && b != kNoCall) {
    const InlinedCall &x = p.inlined[a], &y = q.inlined[b];
    if (x.file != y.file || x.line != y.line || x.column != y.column || x.function != y.function) return false;
    a = x.around;
    b = y.around;
  }
  return a == b;
}

bool same_site(const Program& p, std::uint32_t a, const Program& q, std::uint32_t b) {
  if (a == kNoSite || b == kNoSite) return a == b;
  const InstructionSite &x = p.sites[a], &y = q.sites[b];
  return x.site == y.site && x.nest == y.nest && x.outermost == y.outermost && x.location_only == y.location_only &&
         same_calls(p, x.inlined, q, y.inlined);
}

bool equal(const Program& p, const Instruction& a, const Program& q, const Instruction& b) {
  if (a.statement != b.statement || a.op != b.op || a.suffix != b.suffix || a.count != b.count || a.depth != b.depth)
    return false;
  if (!same_site(p, a.site, q, b.site)) return false;
  // Constants may be shared, or stored in another order.
  return a.statement == Statement::kConst ? p.constants[a.target] == q.constants[b.target] : a.target == b.target;
}

bool equal(const Program& p, const Function& a, const Program& q, const Function& b) {
  return a.name == b.name && a.annotation == b.annotation && a.piece_operands == b.piece_operands &&
         std::equal(a.body.begin(), a.body.end(), b.body.begin(), b.body.end(),
                    [&](const Instruction& x, const Instruction& y) { return equal(p, x, q, y); });
}

bool equal(const Program& p, const Kernel::Step& a, const Program& q, const Kernel::Step& b) {
  if (a.operands != b.operands || a.results != b.results || a.is_constant() != b.is_constant()) return false;
  if (!same_site(p, a.site, q, b.site)) return false;
  return a.is_constant() ? p.constants[a.constant] == q.constants[b.constant] : a.op == b.op && a.suffix == b.suffix;
}

bool equal(const Program& p, const Kernel& a, const Program& q, const Kernel& b) {
  return a.number == b.number && a.name == b.name && a.values == b.values && a.input_count == b.input_count &&
         a.over == b.over && a.outputs == b.outputs &&
         std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
                    [&](const Kernel::Step& x, const Kernel::Step& y) { return equal(p, x, q, y); });
}

}  // namespace

Instruction step_instruction(const Kernel::Step& step) {
  Instruction instruction;
  instruction.span = step.span;
  instruction.site = step.site;
  if (step.is_constant()) {
    instruction.statement = Statement::kConst;
    instruction.target = step.constant;
  } else {
    instruction.op = step.op;
    instruction.suffix = step.suffix;
  }
  return instruction;
}

bool operator==(const Program& a, const Program& b) {
  return a.is_fcode == b.is_fcode && a.entry == b.entry &&
         std::equal(a.kernels.begin(), a.kernels.end(), b.kernels.begin(), b.kernels.end(),
                    [&](const Kernel& x, const Kernel& y) { return equal(a, x, b, y); }) &&
         std::equal(a.functions.begin(), a.functions.end(), b.functions.begin(), b.functions.end(),
                    [&](const Function& x, const Function& y) { return equal(a, x, b, y); });
}

}  // namespace vcode
