#include "split_deep_ifs.h"

#include <utility>

#include "base/check.h"
#include "labels.h"

namespace vcode::letform {
namespace {

/// Maximal depth of IFs. The table of the classic interpreter has 50 entries; a few are kept in reserve.
constexpr std::size_t kDeepest = 45;

/// A function being written, and those of its IFs and ELSEs that have no ENDIF yet.
struct Body {
  std::vector<Instruction> instructions;
  std::vector<std::size_t> open;

  void add(const Instruction& instruction) {
    auto here = static_cast<std::uint32_t>(instructions.size());
    switch (instruction.statement) {
      case Statement::kIf:
        open.push_back(here);
        break;
      case Statement::kElse:
        VC_CHECK(!open.empty());
        instructions[std::exchange(open.back(), here)].target = here;
        break;
      case Statement::kEndif:
        VC_CHECK(!open.empty());
        instructions[open.back()].target = here;
        open.pop_back();
        break;
      default:
        break;
    }
    instructions.push_back(instruction);
  }
};

bool is_too_deep(const vcode::Function& function) {
  std::size_t depth = 0, deepest = 0;
  for (const Instruction& instruction : function.body) {
    depth += instruction.statement == Statement::kIf;
    depth -= instruction.statement == Statement::kEndif;
    deepest = std::max(deepest, depth);
  }
  return deepest > kDeepest;
}

}  // namespace

void split_deep_ifs(vcode::Program& program, Labels& labels) {
  const std::size_t count = program.functions.size();
  for (std::size_t f = 0; f < count; ++f) {
    if (!is_too_deep(program.functions[f])) continue;
    std::vector<Instruction> old = std::move(program.functions[f].body);
    std::vector<Body> bodies(1);
    std::vector<std::uint32_t> targets{static_cast<std::uint32_t>(f)};
    for (const Instruction& instruction : old) {
      if (instruction.statement == Statement::kIf && bodies.back().open.size() == kDeepest) {
        Instruction call;
        call.statement = Statement::kCall;
        call.target = static_cast<std::uint32_t>(program.functions.size());
        bodies.back().add(call);
        bodies.emplace_back();
        targets.push_back(call.target);
        program.functions.emplace_back().name = labels.make(program.functions[f].name);
      }
      bodies.back().add(instruction);
      if (bodies.size() > 1 && bodies.back().open.empty()) {
        program.functions[targets.back()].body = std::move(bodies.back().instructions);
        bodies.pop_back();
        targets.pop_back();
      }
    }
    VC_CHECK(bodies.size() == 1 && bodies.back().open.empty());
    program.functions[f].body = std::move(bodies.back().instructions);
  }
}

}  // namespace vcode::letform
