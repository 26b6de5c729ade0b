#include "vcode/validator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "symbolic_run.h"
#include "text/limited_errors.h"
#include "vcode/printer.h"
#include "vcode/stack_effects.h"

namespace vcode {
namespace {

/// Runs each function that the entry can reach once more, as an observer.
class Validator final : RunObserver {
 public:
  Validator(const Program& program, Widths widths, bool strict)
      : program_(program),
        widths_(widths),
        strict_(strict),
        effects_(infer_stack_effects(program, strict)),
        budget_(program),
        acts_(functions_that_act(program)) {}

  void run(base::Diagnostics& diagnostics) {
    std::vector<bool> seen(program_.functions.size());
    const bool entry_is_called = is_called(program_.entry);
    if (entry_is_called) check_entry_needs_nothing();
    to_visit_.push_back(program_.entry);
    for (std::size_t i = 0; i < to_visit_.size(); ++i) {
      function_ = to_visit_[i];
      if (seen[function_]) continue;
      seen[function_] = true;
      check_piece_operands(program_.functions[function_]);
      SymbolicRun({.program = program_,
                   .effects = effects_,
                   .budget = budget_,
                   .strict = strict_,
                   .on_empty_stack = function_ == program_.entry && !entry_is_called,
                   .observer = this},
                  program_.functions[function_])
          .run();
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const base::Diagnostic& a, const base::Diagnostic& b) { return a.span.begin < b.span.begin; });
    LimitedErrors errors(diagnostics);
    for (base::Diagnostic& d : found_) errors.add(d.span, std::move(d.message), std::move(d.notes));
  }

 private:
  /// An instruction of a function.
  struct Position {
    std::uint32_t function;
    std::uint32_t instruction;
  };
  /// The instruction and operand that a demand comes from, and the calls that lead to it, the outermost first.
  struct Blame {
    Position culprit;
    std::uint32_t operand;
    std::vector<Position> calls;
  };

  bool is_called(std::uint32_t callee) const {
    for (std::size_t f = 0; f < program_.functions.size(); ++f)
      if (effects_[f].analysed)
        for (const Instruction& i : program_.functions[f].body)
          if (i.statement == Statement::kCall && i.target == callee) return true;
    return false;
  }

  /// Reports values that the entry needs. A recursive entry runs on an empty stack only the first time, so that an
  /// underflow is an error only if every run needs the value.
  void check_entry_needs_nothing() {
    const StackEffect& effect = effects_[program_.entry];
    if (effect.needed == 0) return;
    const Demand& demand = effect.input_demands[0];
    Blame blame = find_culprit({program_.entry, demand.instruction}, demand.operand, demand_of_input);
    report_at(blame,
              fmt::format("stack underflow: {} reaches below the bottom of the stack",
                          print_instruction(program_, instruction(blame.culprit), kShownElements)),
              "");
  }

  void check_piece_operands(const Function& function) {
    if (function.piece_operands.empty()) return;
    if (acts_[function_])
      report(function.span,
             fmt::format("{} has PIECES, but does more than compute a value: it, or a function it calls, "
                         "reads, writes, exits or draws random numbers",
                         function.name));
    if (effects_[function_].analysed && effects_[function_].needed > function.piece_operands.size())
      report(function.span, fmt::format("{} has PIECES of {}, but takes {}", function.name,
                                        values(function.piece_operands.size()), effects_[function_].needed));
  }

  static Demand demand_of_input(const StackEffect& effect, std::uint32_t number) {
    return number < effect.input_demands.size() ? effect.input_demands[number] : Demand{};
  }

  const Instruction& instruction(Position position) const {
    return program_.functions[position.function].body[position.instruction];
  }

  void reached(std::uint32_t index) override {
    const Instruction& i = instruction({function_, index});
    switch (i.statement) {
      case Statement::kConst:
        check_constant(program_.constants[i.target], i.span);
        break;
      case Statement::kFused:
        for (const Kernel::Step& step : program_.kernels[i.target].steps)
          if (step.is_constant()) check_constant(program_.constants[step.constant], step.span);
        break;
      case Statement::kCall:
        to_visit_.push_back(i.target);
        break;
      default:
        break;
    }
  }

  void underflow(std::uint32_t index, std::uint64_t needed, std::uint32_t input, std::string available,
                 std::string stack) override {
    Blame blame = find_culprit({function_, index}, input, demand_of_input);
    const Instruction& culprit = instruction(blame.culprit);
    std::string message = fmt::format("stack underflow: {} ", print_instruction(program_, culprit, kShownElements));
    message += blame.calls.empty() ? fmt::format("needs {} but the stack has {}", values(needed), available)
                                   : "reaches below the bottom of the stack";
    report_at(blame, std::move(message), std::move(stack));
  }

  void wrong_kind(std::uint32_t index, std::uint32_t operand, KindSet actual, std::string stack) override {
    Blame blame = find_culprit({function_, index}, operand, [](const StackEffect& effect, std::uint32_t type) {
      return type < effect.types.size() ? effect.types[type].demand : Demand{};
    });
    const Instruction& culprit = instruction(blame.culprit);
    std::string text = print_instruction(program_, culprit, kShownElements);
    if (culprit.statement == Statement::kCall) {  // the path of calls was lost in a recursion
      report_at(blame, fmt::format("{} cannot work on an argument that is {}", text, kinds_text(actual)),
                std::move(stack));
      return;
    }
    OperandRule rule = operand_rule(program_, culprit, static_cast<int>(blame.operand), strict_);
    report_at(
        blame,
        fmt::format("{}: operand {} must be {} but is {}", text, rule.name, kinds_text(rule.kinds), kinds_text(actual)),
        std::move(stack));
  }

  /// Follows a demand from call to call to the instruction that first made it.
  template <class DemandOf>
  Blame find_culprit(Position position, std::uint32_t operand, DemandOf demand_of) const {
    Blame blame{position, operand, {}};
    while (instruction(blame.culprit).statement == Statement::kCall &&
           blame.calls.size() <= program_.functions.size()) {
      std::uint32_t callee = instruction(blame.culprit).target;
      Demand demand = demand_of(effects_[callee], blame.operand);
      if (demand.instruction == Demand::kNone) break;
      blame.calls.push_back(blame.culprit);
      blame.culprit = {callee, demand.instruction};
      blame.operand = demand.operand;
    }
    return blame;
  }

  void report_at(const Blame& blame, std::string message, std::string stack) {
    base::Span span = instruction(blame.culprit).span;
    if (!reported_.insert({blame.culprit.function, blame.culprit.instruction}).second) return;
    base::Diagnostic& d = report(span, std::move(message));
    auto name = [&](Position position) { return program_.functions[position.function].name; };
    std::string with_stack = fmt::format(", with the stack [{}] (top last)", stack);
    if (blame.calls.empty()) {
      d.notes.push_back({{}, fmt::format("in function {}{}", name(blame.culprit), with_stack), false});
      return;
    }
    d.notes.push_back({{}, fmt::format("in function {}", name(blame.culprit)), false});
    for (std::size_t i = blame.calls.size(); i-- > 0;) {
      if (i > 0 && blame.calls.size() - i > kShownCalls) {
        d.notes.push_back({{}, fmt::format("... and so on, {} calls in all", blame.calls.size()), false});
        i = 0;
      }
      Position position = blame.calls[i];
      d.notes.push_back({instruction(position).span,
                         fmt::format("called in function {}{}", name(position), i == 0 ? with_stack : ""), true});
    }
  }

  base::Diagnostic& report(base::Span span, std::string message) {
    return found_.emplace_back(base::Diagnostic{base::Severity::kError, span, std::move(message)});
  }

  static std::string values(std::uint64_t count) { return fmt::format("{} value{}", count, count == 1 ? "" : "s"); }

  void check_constant(const Constant& constant, base::Span span) {
    if (constant.type == Suffix::kInt && widths_.int_type == ElemType::kI32) {
      for (std::int64_t value : constant.ints)
        if (value != static_cast<std::int32_t>(value) && value != kNegated)
          return void(report(span, fmt::format("{} does not fit in a 32-bit INT; run with --int=64", value)));
    }
    if (constant.type == Suffix::kFloat && widths_.float_type == ElemType::kF32) {
      for (double value : constant.floats)
        if (std::isinf(static_cast<float>(value)))
          return void(report(span, fmt::format("{} does not fit in a 32-bit FLOAT; run with --float=64", value)));
    }
    if (constant.type == Suffix::kSegdes) {
      std::int64_t total = 0;
      for (std::int64_t length : constant.ints) {
        if (length > std::numeric_limits<std::int64_t>::max() - total)
          return void(report(span, "the segment lengths add up to more than 2^63 - 1"));
        total += length;
      }
    }
  }

  static constexpr std::size_t kShownElements = 4, kShownCalls = 6;
  /// The classic compiler translates the literal -2147483648 to the negation of this, which wraps around to the right
  /// value.
  static constexpr std::int64_t kNegated = std::int64_t{1} << 31;

  const Program& program_;
  Widths widths_;
  bool strict_;
  StackEffects effects_;
  WorkBudget budget_;
  const std::vector<bool> acts_;  ///< result of functions_that_act()
  std::vector<std::uint32_t> to_visit_;
  std::uint32_t function_ = 0;  ///< the function being run
  std::set<std::pair<std::uint32_t, std::uint32_t>> reported_;
  std::vector<base::Diagnostic> found_;
};

}  // namespace

void validate(const Program& program, Widths widths, bool strict, base::Diagnostics& diagnostics) {
  if (!program.functions.empty()) Validator(program, widths, strict).run(diagnostics);
}

}  // namespace vcode
