#include <algorithm>

#include "fcode-opt/pass.h"

namespace fcode_opt {

namespace letform = vcode::letform;

const std::vector<Pass>& all_passes() {
  static const std::vector<Pass> kPasses = {
      {"simplify", "constants, copies, identities, common subexpressions, and what nobody uses",
       [](letform::Program& program, PassContext&) { letform::simplify(program); }},
      {"inline", "small functions, and those called once, in place of their calls",
       [](letform::Program& program, PassContext& context) {
         letform::inline_calls(program, context.options.inline_limit, context.options.inline_metric);
       }},
      {"scalars", "which values have one element, across calls",
       [](letform::Program& program, PassContext&) { letform::infer_scalars(program); }},
      {"dead-parameters", "parameters and results that nobody needs",
       [](letform::Program& program, PassContext&) { letform::remove_dead_parameters(program); }},
  };
  return kPasses;
}

const Pass* find_pass(std::string_view name) {
  const std::vector<Pass>& passes = all_passes();
  auto it = std::find_if(passes.begin(), passes.end(), [&](const Pass& pass) { return pass.name == name; });
  return it == passes.end() ? nullptr : &*it;
}

std::vector<std::string> passes_of_level(int level) {
  /// A pass that runs from this level on.
  struct Stage {
    std::string_view pass;
    int level;
  };
  // Simplified callees are smaller, so more of them are inlined.
  constexpr Stage kStages[] = {
      {"dead-parameters", 1}, {"scalars", 1},         {"simplify", 1}, {"inline", 1},
      {"simplify", 1},        {"dead-parameters", 1}, {"scalars", 1},  {"simplify", 1},
  };
  std::vector<std::string> names;
  for (const Stage& stage : kStages)
    if (stage.level <= level) names.emplace_back(stage.pass);
  return names;
}

}  // namespace fcode_opt
