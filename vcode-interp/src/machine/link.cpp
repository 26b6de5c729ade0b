#include "machine/link.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/strong_components.h"
#include "io/value_text.h"
#include "machine/source_location.h"

namespace interp {

using runtime::Value;
using vcode::Instruction;
using vcode::OpClass;
using vcode::Statement;
using vcode::Suffix;

namespace {

Value make_constant(runtime::Evaluator& evaluator, const vcode::Constant& constant) {
  switch (constant.type) {
    case Suffix::kFloat:
      return make_floats(evaluator, constant.floats);
    case Suffix::kBool:
      return make_bools(evaluator, constant.bools);
    case Suffix::kByte:
      return make_bytes(evaluator, constant.ints);
    case Suffix::kSegdes: {
      // The length of a single segment may exceed the range of INT.
      if (constant.ints.size() == 1) return Value::single_segment(constant.ints[0]);
      Value lengths = make_ints(evaluator, constant.ints);
      return lengths.tag() == Value::Tag::kNone ? Value() : evaluator.make_segdes(std::move(lengths));
    }
    case Suffix::kInt:
    case Suffix::kChar:
    case Suffix::kNone:
      break;
  }
  VC_CHECK(constant.type != Suffix::kNone);
  return make_ints(evaluator, constant.ints);
}

constexpr Code make(Control control, std::uint32_t a = 0, std::uint32_t b = 0) {
  return {static_cast<std::uint16_t>(control), 0, 0, a, b};
}

// Links COPY, POP and CPOP, with short forms for common cases. An instruction that moves nothing gives no code.
std::optional<Code> link_stack_op(const Instruction& in) {
  constexpr std::int64_t kMost = INT32_MAX;
  if (in.count == 0) return std::nullopt;
  if (in.count > kMost || in.depth > kMost) return make(Control::kTooDeep);
  const auto count = static_cast<std::uint32_t>(in.count), depth = static_cast<std::uint32_t>(in.depth);
  switch (in.statement) {
    case Statement::kCopy:
      return count == 1 ? make(Control::kCopyOne, depth) : make(Control::kCopy, count, depth);
    case Statement::kPop:
      return depth == 0 ? make(Control::kDrop, count) : make(Control::kPop, count, depth);
    default:
      VC_CHECK(in.statement == Statement::kCpop);
      return count == 1 ? make(Control::kCpopOne, depth) : make(Control::kCpop, count, depth);
  }
}

Code link_op(const Instruction& in) {
  const vcode::OpInfo& row = vcode::info(in.op);
  const auto op = static_cast<std::uint8_t>(in.op), suffix = static_cast<std::uint8_t>(in.suffix);
  if (row.op_class == OpClass::kElementwise) return {elementwise_opcode(in.op, in.suffix), op, suffix};
  if (in.op == vcode::Op::kExit) return make(Control::kExit);
  const Control control = row.op_class == OpClass::kSystem  ? Control::kSystem
                          : in.op == vcode::Op::kLengths    ? Control::kLengths
                          : in.op == vcode::Op::kElements   ? Control::kElements
                          : in.op == vcode::Op::kMakeSegdes ? Control::kMakeSegdes
                                                            : Control::kVector;
  return {static_cast<std::uint16_t>(control), op, suffix};
}

/// Whether only RET follows the code at `at`, possibly behind jumps.
bool is_last(const std::vector<Code>& code, std::size_t at) {
  for (++at; is(code[at], Control::kJump);) at = code[at].a;
  return is(code[at], Control::kReturn);
}

struct Recursions {
  std::vector<std::uint32_t> numbers;  ///< for each function; functions that call each other have the same number
  std::vector<bool> is_recursive;
};

Recursions find_recursions(const vcode::Program& program) {
  std::vector<std::vector<std::uint32_t>> callees(program.functions.size());
  std::vector<std::uint32_t> all;
  Recursions recursions{std::vector<std::uint32_t>(callees.size()), std::vector<bool>(callees.size())};
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
    all.push_back(f);
    for (const Instruction& in : program.functions[f].body)
      if (in.statement == Statement::kCall) callees[f].push_back(in.target);
  }
  std::uint32_t number = 0;
  for (const std::vector<std::uint32_t>& component : base::strong_components(callees, all)) {
    for (const std::uint32_t f : component) {
      recursions.numbers[f] = number;
      recursions.is_recursive[f] =
          component.size() > 1 || std::find(callees[f].begin(), callees[f].end(), f) != callees[f].end();
    }
    ++number;
  }
  return recursions;
}

}  // namespace

std::optional<LinkedProgram> link_program(const vcode::Program& program, runtime::Evaluator& evaluator,
                                          base::Diagnostics& diagnostics) {
  LinkedProgram linked;
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
    const vcode::Function& function = program.functions[f];
    linked.function_starts.push_back(static_cast<std::uint32_t>(linked.code.size()));
    std::vector<std::uint32_t> starts(function.body.size());  // index of the first code of each instruction
    const std::size_t first = linked.code.size();
    for (std::uint32_t i = 0; i < function.body.size(); ++i) {
      const Instruction& in = function.body[i];
      starts[i] = static_cast<std::uint32_t>(linked.code.size());
      std::optional<Code> code;
      switch (in.statement) {
        case Statement::kOp:
          code = link_op(in);
          break;
        case Statement::kConst:
          code = make(Control::kConst, in.target);
          break;
        case Statement::kCopy:
        case Statement::kPop:
        case Statement::kCpop:
          code = link_stack_op(in);
          break;
        case Statement::kPair:
          code = make(Control::kPair);
          break;
        case Statement::kUnpair:
          code = make(Control::kUnpair);
          break;
        case Statement::kCall:
          code = make(Control::kCall, in.target);
          break;
        // The targets of jumps are resolved below, when all starts are known.
        case Statement::kIf:
          code = make(Control::kIf, in.target);
          break;
        case Statement::kElse:
          code = make(Control::kJump, in.target);
          break;
        case Statement::kEndif:
          break;
        case Statement::kFused:
          code = make(Control::kFused, in.target);
          break;
      }
      if (!code) continue;
      linked.code.push_back(*code);
      linked.origins.push_back({f, i});
    }
    const auto end = static_cast<std::uint32_t>(linked.code.size());
    linked.code.push_back(make(Control::kReturn));
    linked.origins.push_back({f, static_cast<std::uint32_t>(function.body.size())});
    auto start_after = [&](std::uint32_t instruction) {
      return instruction + 1 < starts.size() ? starts[instruction + 1] : end;
    };
    for (std::size_t at = first; at < end; ++at) {
      Code& code = linked.code[at];
      // IF continues at the first statement of the ELSE branch, ELSE behind ENDIF.
      if (is(code, Control::kIf) || is(code, Control::kJump)) code.a = start_after(code.a);
    }
  }
  Recursions recursions = find_recursions(program);
  for (std::size_t at = 0; at < linked.code.size(); ++at) {
    Code& code = linked.code[at];
    if (!is(code, Control::kCall)) continue;
    const std::uint32_t callee = code.a, start = linked.function_starts[callee];
    const bool is_tail = is_last(linked.code, at);
    // Loops of tail calls do not run in pieces.
    const bool loops = is_tail && recursions.numbers[callee] == recursions.numbers[linked.origins[at].function];
    if (!program.functions[callee].piece_operands.empty() && !loops)
      code = make(Control::kPieces, start, callee);
    else
      code = make(is_tail ? Control::kTailCall : Control::kCall, start);
  }
  linked.is_recursive = std::move(recursions.is_recursive);
  linked.entry = linked.function_starts[program.entry];

  for (std::size_t c = 0; c < program.constants.size(); ++c) {
    linked.constants.push_back(make_constant(evaluator, program.constants[c]));
    if (linked.constants.back().tag() != Value::Tag::kNone) continue;
    base::Span where{};
    for (const vcode::Function& function : program.functions)
      for (const Instruction& in : function.body)
        if (in.statement == Statement::kConst && in.target == c) where = in.span;
    for (const vcode::Kernel& kernel : program.kernels)
      for (const vcode::Kernel::Step& step : kernel.steps)
        if (step.constant == c) where = step.span;
    diagnostics.error(where, evaluator.memory_failure("CONST"));
    break;
  }
  if (diagnostics.has_errors()) return std::nullopt;
  linked.kernels.reserve(program.kernels.size());
  for (const vcode::Kernel& kernel : program.kernels)
    linked.kernels.emplace_back(kernel, linked.constants, evaluator.heap().device(), evaluator.widths(),
                                kernel_location(program, kernel));
  return linked;
}

std::optional<LinkedProgram> link_for_worker(const LinkedProgram& linked, const vcode::Program& program,
                                             runtime::Evaluator& worker) {
  LinkedProgram result{linked.code, linked.origins, linked.function_starts, linked.is_recursive, {}, {}, linked.entry};
  for (const vcode::Constant& constant : program.constants) {
    result.constants.push_back(make_constant(worker, constant));
    if (result.constants.back().tag() == Value::Tag::kNone) return std::nullopt;
  }
  result.kernels.reserve(linked.kernels.size());
  for (const runtime::PreparedKernel& kernel : linked.kernels)
    result.kernels.emplace_back(kernel, result.constants, worker.widths());
  return result;
}

}  // namespace interp
