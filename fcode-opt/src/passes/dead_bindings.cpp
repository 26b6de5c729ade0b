#include "dead_bindings.h"

#include <algorithm>
#include <utility>

#include "fcode-opt/passes.h"

namespace vcode::letform {
namespace {

class Remover {
 public:
  Remover(const Function& function, Safety safety, const std::vector<bool>& effects)
      : effects_(effects), safety_(std::move(safety)), live_(function.values.size()) {}

  /// Removes dead bindings of a block. Returns whether anything with an effect remains.
  bool run(Block& block) {
    for (const Binding& binding : block.bindings) safety_.note(binding);
    use(block.results);
    bool effect = false;
    std::vector<Binding>& bindings = block.bindings;
    std::size_t first_kept = bindings.size();
    for (std::size_t i = bindings.size(); i-- > 0;) {
      Binding& binding = bindings[i];
      const bool has_effect =
          binding.form == Binding::Form::kIf ? run_branches(binding) : safety_.has_effect(binding, effects_);
      effect = effect || has_effect;
      if (!has_effect && std::none_of(binding.results.begin(), binding.results.end(), [&](Var v) { return live_[v]; }))
        continue;
      use(binding.operands);
      use(binding.nest);
      if (--first_kept != i) bindings[first_kept] = std::move(binding);
    }
    bindings.erase(bindings.begin(), bindings.begin() + static_cast<std::ptrdiff_t>(first_kept));
    return effect;
  }

 private:
  bool run_branches(Binding& binding) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < binding.results.size(); ++k) {
      if (!live_[binding.results[k]]) continue;
      binding.results[kept] = binding.results[k];
      for (Block& block : binding.blocks) block.results[kept] = block.results[k];
      ++kept;
    }
    binding.results.resize(kept);
    for (Block& block : binding.blocks) block.results.resize(kept);
    bool effect = safety_.can_stop(binding);
    for (Block& block : binding.blocks) effect = run(block) || effect;
    return effect;
  }

  void use(const std::vector<Var>& values) {
    for (Var v : values) live_[v] = true;
  }

  const std::vector<bool>& effects_;
  Safety safety_;
  std::vector<bool> live_;
};

}  // namespace

void remove_dead_bindings(Function& function, Safety safety, const std::vector<bool>& effects) {
  Remover(function, std::move(safety), effects).run(function.body);
}

void remove_dead_bindings(Program& program) {
  const ShapeFacts lengths = length_facts(program);
  const std::vector<bool> effects = functions_with_effects(program, lengths);
  for (Function& function : program.functions) remove_dead_bindings(function, {program, function, lengths}, effects);
}

}  // namespace vcode::letform
