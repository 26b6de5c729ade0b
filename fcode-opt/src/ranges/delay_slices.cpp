#include "delay_slices.h"

#include <algorithm>
#include <utility>

namespace vcode::letform {
namespace {

using Form = Binding::Form;

class Delayer {
 public:
  Delayer(const Function& function, const std::vector<Var>& harmless) : may_move_(function.values.size()) {
    for (Var v : harmless) may_move_[v] = true;
  }

  void run(Block& block) {
    std::vector<Binding> old = std::exchange(block.bindings, {});
    std::vector<Binding> late;
    std::vector<bool> needed(may_move_.size());
    for (Binding& binding : old) {
      if (binding.form == Form::kOp && binding.op == Op::kSlice && may_move_[binding.results[0]]) {
        late.push_back(std::move(binding));
        continue;
      }
      if (!late.empty()) {
        const bool all = !lets_pass(binding);
        use(binding, needed);
        place(late, needed, all, block);
      }
      for (Block& inner : binding.blocks)
        if (binding.form == Form::kIf) run(inner);
      block.bindings.push_back(std::move(binding));
    }
    place(late, needed, true, block);
  }

 private:
  /// Operations, and conditionals without results, unless they read the clock or might.
  static bool lets_pass(const Binding& binding) {
    if (binding.form == Form::kCall || (binding.form == Form::kIf && !binding.results.empty())) return false;
    if (binding.form == Form::kOp && info(binding.op).reads_clock()) return false;
    for (const Block& inner : binding.blocks)
      if (!std::all_of(inner.bindings.begin(), inner.bindings.end(), lets_pass)) return false;
    return true;
  }

  static void use(const Binding& binding, std::vector<bool>& needed) {
    const auto use_all = [&](const std::vector<Var>& values) {
      for (Var v : values) needed[v] = true;
    };
    use_all(binding.operands);
    use_all(binding.nest);
    for (const Block& inner : binding.blocks) {
      for (const Binding& step : inner.bindings) use(step, needed);
      use_all(inner.results);
    }
  }

  /// Appends those that are needed, or all, to the block.
  static void place(std::vector<Binding>& late, std::vector<bool>& needed, bool all, Block& block) {
    std::vector<bool> now(late.size(), all);
    for (std::size_t k = late.size(); k-- > 0;) {
      now[k] = now[k] || needed[late[k].results[0]];
      if (now[k]) use(late[k], needed);
    }
    std::size_t kept = 0;
    for (std::size_t k = 0; k < late.size(); ++k) {
      if (now[k])
        block.bindings.push_back(std::move(late[k]));
      else if (kept++ != k)
        late[kept - 1] = std::move(late[k]);
    }
    late.resize(kept);
  }

  std::vector<bool> may_move_;  ///< by value: what makes it cannot fail
};

}  // namespace

void delay_slices(Function& function, const std::vector<Var>& harmless) {
  if (!harmless.empty()) Delayer(function, harmless).run(function.body);
}

}  // namespace vcode::letform
