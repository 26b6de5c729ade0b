#include <algorithm>
#include <utility>

#include "fcode-opt/pass.h"
#include "fcode-opt/passes.h"
#include "fusion/fuse.h"

namespace fcode_opt {

namespace letform = vcode::letform;

namespace {

/// Maximal number of bindings that the pass specialize adds.
constexpr std::size_t kSpecializedBindings = 1000;

}  // namespace

const std::vector<Pass>& all_passes() {
  static const std::vector<Pass> kPasses = {
      {"simplify", "constant folding, copy propagation, identities, common subexpressions, dead code",
       [](letform::Program& program, PassContext&) { letform::simplify(program); }},
      {"inline", "replace calls of small functions, and of functions called once, by their bodies",
       [](letform::Program& program, PassContext& context) {
         letform::inline_calls(program, context.options.inline_limit, context.options.inline_metric);
       }},
      {"specialize", "clone functions for constant arguments and single segments",
       [](letform::Program& program, PassContext&) { letform::specialize(program, kSpecializedBindings); }},
      {"scalars", "infer which values have one element, through calls",
       [](letform::Program& program, PassContext&) { letform::infer_scalars(program); }},
      {"dead-parameters", "remove unused parameters and results",
       [](letform::Program& program, PassContext&) { letform::remove_dead_parameters(program); }},
      {"hoist-common", "hoist bindings that both branches of an IF compute",
       [](letform::Program& program, PassContext&) { letform::hoist_common_bindings(program); }},
      {"if-merging", "merge IFs with the same condition",
       [](letform::Program& program, PassContext&) { letform::merge_ifs(program); }},
      {"sink", "sink bindings into the only branch that uses them",
       [](letform::Program& program, PassContext&) { letform::sink_bindings(program); }},
      {"recognize", "recognize checks, moves of blocks and other operations in VCODE that spells them out",
       [](letform::Program& program, PassContext&) { letform::recognize(program); }},
      {"permutation-elimination", "read elements where they are instead of permuting them first",
       [](letform::Program& program, PassContext&) { letform::eliminate_permutations(program); }},
      {"append-merging", "append three sequences by one operation",
       [](letform::Program& program, PassContext&) { letform::merge_appends(program); }},
      {"part-merging", "append the parts of a nested sequence where they are",
       [](letform::Program& program, PassContext&) { letform::merge_parts(program); }},
      {"map-hoisting", "compute costly maps of a sequence once, not for each of its copies",
       [](letform::Program& program, PassContext&) { letform::hoist_maps(program); }},
      {"if-conversion", "compute cheap branches for all elements under a mask instead of packing",
       [](letform::Program& program, PassContext&) { letform::convert_ifs(program); }},
      {"hoist-packs", "pack lengths and starts of sequences in front of lifted conditionals",
       [](letform::Program& program, PassContext&) { letform::hoist_packs(program); }},
      {"legalize", "spell out operations that the target lacks",
       [](letform::Program& program, PassContext& context) { letform::legalize(program, context.options.target); }},
      {"fuse", "fuse operations over one index space into kernels", fuse},
  };
  return kPasses;
}

const Pass* find_pass(std::string_view name) {
  // Earlier names, accepted until 0.3.
  static constexpr std::pair<std::string_view, std::string_view> kOldNames[] = {
      {"block-moves", "recognize"},         {"checks", "recognize"}, {"join", "if-merging"},
      {"moves", "permutation-elimination"}, {"ranges", "recognize"}, {"unpack", "if-conversion"},
  };
  for (const auto& [old, current] : kOldNames)
    if (name == old) name = current;
  const std::vector<Pass>& passes = all_passes();
  auto it = std::find_if(passes.begin(), passes.end(), [&](const Pass& pass) { return pass.name == name; });
  return it == passes.end() ? nullptr : &*it;
}

std::vector<std::string> passes_of_level(int level) {
  /// A pass and the lowest level that runs it.
  struct Stage {
    std::string_view pass;
    int level;
  };
  // Inlining follows simplification, since more callees are below the size limit once simplified.
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
      {"if-merging", 1},
      {"simplify", 1},
      {"sink", 1},
      {"recognize", 2},
      {"permutation-elimination", 2},
      {"append-merging", 2},
      {"part-merging", 2},
      {"map-hoisting", 2},
      {"if-conversion", 2},
      {"hoist-packs", 2},
      {"simplify", 2},
      {"scalars", 1},
      {"fuse", 2},
  };
  std::vector<std::string> names;
  for (const Stage& stage : kStages)
    if (stage.level <= level) names.emplace_back(stage.pass);
  return names;
}

std::vector<std::string> passes_of(const OptimizeOptions& options) {
  std::vector<std::string> names = options.passes.value_or(passes_of_level(options.level));
  if (options.target.has_all()) return names;
  // Behind inlining, which measures functions as they are written, so that most passes improve the expansions; and
  // behind those that make operations.
  names.insert(std::find(names.begin(), names.end(), "fuse"), "legalize");
  names.insert(std::find(names.rbegin(), names.rend(), "inline").base(), "legalize");
  return names;
}

}  // namespace fcode_opt
