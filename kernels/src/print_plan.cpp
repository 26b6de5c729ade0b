#include <cstdlib>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/loop_plan.h"

namespace kernels {

namespace {

class PlanPrinter {
 public:
  explicit PlanPrinter(const LoopPlan& plan) : plan_(plan) {}

  std::string print() {
    line(0, fmt::format("plan {}", plan_.kernel.name));
    print("whole", Part::kAll, plan_.whole);
    if (plan_.before) print("before carries are known", Part::kBefore, *plan_.before);
    if (plan_.after) print("after carries are known", Part::kAfter, *plan_.after);
    for (const LoopPlan::Epilogue& epilogue : plan_.epilogues)
      line(1, fmt::format("for each segment of {}: {}", segmentation(epilogue.segmentation), step_text(*epilogue.step)));
    return text_;
  }

 private:
  void print(std::string_view name, Part part, const LoopPlan::Stage& stage) {
    const Loop& loop = stage.loop;
    line(1, fmt::format("{}:", name));
    for (const Loop::Input& input : loop.inputs) line(2, input_text(input));
    for (const vcode::Kernel::Step* step : loop.steps) line(2, step_text(*step));
    if (loop.interior) print(loop, *loop.interior);
    for (const Loop::Fold& fold : loop.folds)
      line(2, fmt::format("fold {} of {} to {}", value(fold.step->operands[0]), segmentation(fold.segmentation),
                          fold.is_carry() ? "the carry of " + value(fold.step->results[0])
                                          : value(fold.step->results[0])));
    for (const Loop::Output& output : loop.outputs)
      line(2, fmt::format("store {}{}{}", value(output.value), output.may_stream ? " past the cache" : "",
                          output.in_flat && output.in_nest ? ""
                          : output.in_flat                 ? " if flat"
                                                           : " in a nest"));
    if (loop.lanes) line(2, "or with one segment a lane");
    if (loop.product)
      line(2, fmt::format("or as a product of rows from {} and columns from {}", value(loop.product->rows),
                          value(loop.product->columns)));
    for (const LoopPlan::Step& s : stage.steps)
      if (!LoopPlan::is_in_loop(s, part) && s.producer != vcode::Producer::kSpread && s.producer != vcode::Producer::kReduce)
        line(2, "around the loop: " + step_text(*s.step));
    if (plan_.kernel.repeated > 0) print_repetition();
    std::vector<std::string> members;
    for (const ArgumentStruct::Entry& member : loop.arguments.members())
      members.push_back(
          fmt::format("{}: {}", member.name, member.type == ArgumentStruct::Type::kAddress ? "address" : "number"));
    line(2, fmt::format("argument {{ {} }}", fmt::join(members, ", ")));
  }

  void print(const Loop& loop, const Loop::Interior& interior) {
    line(2, "interior:");
    const auto table = [&](const Loop::Interior::Gather& gather) {
      return value(loop.tables[static_cast<std::size_t>(gather.table)].value);
    };
    for (const Loop::Interior::Flag& flag : interior.conditions) line(3, "if " + flag_text(flag));
    for (const Loop::Interior::Gather& constant : interior.constants)
      line(3, fmt::format("{} = {} at {}", value(constant.result), table(constant), linear_text(constant.index)));
    for (const Loop::Interior::Choice& choice : interior.choices)
      line(3, fmt::format("{} = {} if {} >= 0 in the longer part, or else {}", value(choice.result),
                          linear_text(choice.if_true), linear_text(choice.condition), linear_text(choice.if_false)));
    for (const Loop::Interior::Bound& bound : interior.bounds)
      line(3, fmt::format("{} {}", linear_text(bound.value), relation_text(bound.relation)));
    for (const Loop::Interior::Flag& flag : interior.flags) line(3, flag_text(flag));
    for (const KernelVar v : interior.faultless) line(3, value(v) + " has no fault");
    for (const Loop::Interior::Gather& run : interior.runs)
      line(3, fmt::format("{} = {} {} {}{}", value(run.result), table(run), run.index.slope == 0 ? "at" : "from",
                          linear_text(run.index),
                          run.index.slope == 0  ? ""
                          : run.index.slope > 0 ? " upwards"
                                                : " downwards"));
  }

  void print_repetition() {
    std::vector<std::string> next;
    for (KernelVar v = 0; v < plan_.kernel.repeated; ++v)
      next.push_back(fmt::format("{} = {}", value(v), value(plan_.kernel.outputs[v])));
    line(2, fmt::format("repeat while {} with {}", value(plan_.kernel.outputs.back()), fmt::join(next, ", ")));
  }

  std::string flag_text(const Loop::Interior::Flag& flag) const {
    return fmt::format("{} is {}", value(flag.flag), flag.value ? "true" : "false");
  }

  std::string linear_text(const Loop::Linear& linear) const {
    std::string text;
    for (const Loop::Linear::Term& term : linear.terms) {
      text += term.times < 0 ? text.empty() ? "-" : " - " : text.empty() ? "" : " + ";
      if (std::abs(term.times) != 1) text += fmt::format("{} * ", std::abs(term.times));
      text += value(term.value);
    }
    if (text.empty()) return fmt::format("{}", linear.constant);
    if (linear.constant != 0) text += fmt::format(" {} {}", linear.constant < 0 ? '-' : '+', std::abs(linear.constant));
    return text;
  }

  static std::string_view relation_text(Loop::Interior::Relation relation) {
    switch (relation) {
      case Loop::Interior::Relation::kNotNegative:
        return ">= 0";
      case Loop::Interior::Relation::kNotZero:
        return "/= 0";
      case Loop::Interior::Relation::kIsInt:
        return "is an INT";
    }
    return "";
  }

  std::string input_text(const Loop::Input& input) const {
    const std::string name = value(input.value);
    switch (input.access) {
      case Loop::Access::kElements:
        return fmt::format("{} = element", name);
      case Loop::Access::kSpread:
        if (input.is_constant) return fmt::format("{} = constant {}", name, value(input.segments));
        return fmt::format("{} = {} of the segment of {}", name, value(input.segments),
                           segmentation(input.segmentation));
      case Loop::Access::kProgression:
        return fmt::format("{} = progression from {} by {} in the segment of {}", name, value(input.segments),
                           value(input.stride), segmentation(input.segmentation));
      case Loop::Access::kSlice:
        return fmt::format("{} = slice of {} from {} in the segment of {}", name, value(input.table),
                           value(input.segments), segmentation(input.segmentation));
    }
    return "";
  }

  std::string step_text(const vcode::Kernel::Step& step) const {
    std::vector<std::string> results, operands;
    for (const KernelVar v : step.results) results.push_back(value(v));
    for (const KernelVar v : step.operands) operands.push_back(value(v));
    const std::string_view suffix = vcode::suffix_name(step.suffix);
    return fmt::format("{} = {}{}{} {}", fmt::join(results, " "), vcode::info(step.op).text, suffix.empty() ? "" : " ",
                       suffix, fmt::join(operands, " "));
  }

  const std::string& value(KernelVar v) const { return plan_.kernel.values[v].name; }
  std::string segmentation(int number) const {
    return number < 0 ? "several" : value(plan_.segmentations[static_cast<std::size_t>(number)]);
  }
  void line(int depth, std::string_view text) { text_ += fmt::format("{:{}}{}\n", "", 2 * depth, text); }

  const LoopPlan& plan_;
  std::string text_;
};

}  // namespace

std::string to_text(const LoopPlan& plan) { return PlanPrinter(plan).print(); }

}  // namespace kernels
