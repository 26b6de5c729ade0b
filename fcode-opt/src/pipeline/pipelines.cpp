#include <algorithm>

#include "fcode-opt/pass.h"
#include "fcode-opt/passes.h"
#include "fusion/fuse.h"

namespace fcode_opt {

namespace letform = vcode::letform;

namespace {

/// The pass specialize may add so many bindings.
constexpr std::size_t kSpecializedBindings = 1000;

}  // namespace

const std::vector<Pass>& all_passes() {
  static const std::vector<Pass> kPasses = {
      {"simplify", "constants, copies, identities, common subexpressions, and what nobody uses",
       [](letform::Program& program, PassContext&) { letform::simplify(program); }},
      {"inline", "small functions, and those called once, in place of their calls",
       [](letform::Program& program, PassContext& context) {
         letform::inline_calls(program, context.options.inline_limit, context.options.inline_metric);
       }},
      {"specialize", "versions of functions for constant arguments and single segments",
       [](letform::Program& program, PassContext&) { letform::specialize(program, kSpecializedBindings); }},
      {"scalars", "which values have one element, across calls",
       [](letform::Program& program, PassContext&) { letform::infer_scalars(program); }},
      {"dead-parameters", "parameters and results that nobody needs",
       [](letform::Program& program, PassContext&) { letform::remove_dead_parameters(program); }},
      {"hoist-common", "what both branches of an IF compute is computed before it",
       [](letform::Program& program, PassContext&) { letform::hoist_common_bindings(program); }},
      {"join", "one IF in place of several with one condition",
       [](letform::Program& program, PassContext&) { letform::join_ifs(program); }},
      {"sink", "what only one branch of an IF uses is computed in it",
       [](letform::Program& program, PassContext&) { letform::sink_bindings(program); }},
      {"checks", "ASSERT, in place of conditionals that end the program",
       [](letform::Program& program, PassContext&) { letform::find_checks(program); }},
      {"ranges", "operations that move blocks, in place of vectors of places",
       [](letform::Program& program, PassContext&) { letform::find_ranges(program); }},
      {"moves", "what was moved only to be read in another order is read where it is",
       [](letform::Program& program, PassContext&) { letform::find_moves(program); }},
      {"unpack", "what is cheap is computed for all elements, not for those that flags choose",
       [](letform::Program& program, PassContext&) { letform::unpack(program); }},
      {"fuse", "operations over one index space become kernels", fuse},
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
      {"dead-parameters", 1},
      {"scalars", 1},
      {"simplify", 1},
      {"inline", 1},
      {"specialize", 1},
      {"inline", 1},
      {"simplify", 1},
      {"dead-parameters", 1},
      {"simplify", 1},
      {"hoist-common", 1},
      {"join", 1},
      {"simplify", 1},
      {"sink", 1},
      {"checks", 2},
      {"ranges", 2},
      {"moves", 2},
      {"unpack", 2},
      {"simplify", 2},
      {"scalars", 1},
      {"fuse", 2},
  };
  std::vector<std::string> names;
  for (const Stage& stage : kStages)
    if (stage.level <= level) names.emplace_back(stage.pass);
  return names;
}

}  // namespace fcode_opt
