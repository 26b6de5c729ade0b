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
    for (const LoopPlan::Step& s : plan_.ordered_scatters) line(1, "in the end " + step_text(*s.step));
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
    for (const Loop::Fold& fold : loop.folds)
      line(2, fmt::format("fold {} of {} to {}", value(fold.step->operands[0]), segmentation(fold.segmentation),
                          fold.is_carry() ? "the carry of " + value(fold.step->results[0])
                                          : value(fold.step->results[0])));
    for (const Loop::Output& output : loop.outputs)
      line(2, fmt::format("store {}{}{}", value(output.value), output.may_stream ? " past the cache" : "",
                          output.in_flat && output.in_nest ? ""
                          : output.in_flat                 ? " if flat"
                                                           : " in a nest"));
    for (const Loop::ArgReduction& reduction : loop.arg_reductions)
      line(2, "one segment a lane: " + step_text(*reduction.step));
    for (const LoopPlan::Step& s : stage.steps)
      if (!LoopPlan::is_in_loop(s, part) && s.producer != vcode::Producer::kSpread && s.producer != vcode::Producer::kReduce)
        line(2, "around the loop: " + step_text(*s.step));
    std::vector<std::string> members;
    for (const ArgumentStruct::Entry& member : loop.arguments.members())
      members.push_back(
          fmt::format("{}: {}", member.name, member.type == ArgumentStruct::Type::kAddress ? "address" : "number"));
    line(2, fmt::format("argument {{ {} }}", fmt::join(members, ", ")));
  }

  std::string input_text(const Loop::Input& input) const {
    const std::string name = value(input.value);
    switch (input.access) {
      case Loop::Access::kElements:
        return fmt::format("{} = element", name);
      case Loop::Access::kSpread:
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
