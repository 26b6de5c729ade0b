#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "fcode-opt/passes.h"
#include "ir/effects.h"
#include "ir/walk.h"
#include "shapes/safety.h"

namespace vcode::letform {
namespace {

/// Sinks bindings in one backward walk through a function. Positions of uses decrease during the walk, so that the uses
/// in a branch are those in an interval of positions.
class Sinker {
 public:
  Sinker(const Program& program, Function& function, const ShapeFacts& lengths, const std::vector<bool>& effects)
      : function_(function), effects_(effects), safety_(program, function, lengths), uses_(function.values.size()) {
    for_each_binding(function.body, [&](const Binding& binding) { safety_.note(binding); });
  }

  void run() {
    sink_in(function_.body);
    for (Branch& branch : branches_)
      branch.block->bindings.insert(branch.block->bindings.begin(), std::make_move_iterator(branch.sunk.rbegin()),
                                    std::make_move_iterator(branch.sunk.rend()));
  }

 private:
  using Position = std::int64_t;
  struct Uses {
    Position first = 0, last = 0;  ///< 0: no uses
  };
  struct Branch {
    Block* block;
    Position begin = 0, end = 0;      ///< interval of positions in the branch
    std::vector<Branch*> inner = {};  ///< branches inside, the last first
    std::vector<Binding> sunk = {};   ///< bindings to insert at its beginning, the last first
  };

  /// Sinks the bindings of a block. Returns the branches in it, the last first.
  std::vector<Branch*> sink_in(Block& block) {
    std::vector<Branch*> branches;
    use(block.results, --position_);
    std::vector<Binding>& bindings = block.bindings;
    std::size_t first_kept = bindings.size();
    for (std::size_t i = bindings.size(); i-- > 0;) {
      Binding& binding = bindings[i];
      for (std::size_t k = binding.blocks.size(); k-- > 0;) {
        const Position end = position_;
        std::vector<Branch*> inner = sink_in(binding.blocks[k]);
        branches.push_back(&branches_.emplace_back(Branch{&binding.blocks[k], --position_, end, std::move(inner)}));
      }
      Branch* target = destination(binding, branches);
      const Position position = target ? target->begin : --position_;
      if (reads_clock(binding)) clock_ = position;
      use(binding.operands, position);
      use(binding.nest, position);
      if (target)
        target->sunk.push_back(std::move(binding));
      else if (--first_kept != i)
        bindings[first_kept] = std::move(binding);
    }
    bindings.erase(bindings.begin(), bindings.begin() + static_cast<std::ptrdiff_t>(first_kept));
    return branches;
  }

  void use(const std::vector<Var>& values, Position position) {
    for (Var v : values) {
      Uses& uses = uses_[v];
      if (uses.last == 0) uses.last = position;
      uses.first = uses.first == 0 ? position : std::min(uses.first, position);
      uses.last = std::max(uses.last, position);
    }
  }

  /// Innermost branch that contains all uses of a binding, if the binding may move there; else null.
  Branch* destination(const Binding& binding, const std::vector<Branch*>& branches) const {
    if (binding.form == Binding::Form::kIf || safety_.has_effect(binding, effects_)) return nullptr;
    // A move of blocks would take along operations that share kernels with others that stay.
    if (binding.form == Binding::Form::kOp && info(binding.op).moves_blocks()) return nullptr;
    Uses all;
    for (Var v : binding.results) {
      const Uses& uses = uses_[v];
      if (uses.last == 0) continue;
      all.first = all.last == 0 ? uses.first : std::min(all.first, uses.first);
      all.last = all.last == 0 ? uses.last : std::max(all.last, uses.last);
    }
    if (all.last == 0) return nullptr;
    Branch* target = nullptr;
    for (const std::vector<Branch*>* level = &branches; level; level = target ? &target->inner : nullptr) {
      // Skip the branches that begin after the first use.
      const auto found = std::partition_point(level->begin(), level->end(),
                                              [&](const Branch* branch) { return branch->begin > all.first; });
      if (found == level->end() || (*found)->end <= all.last) break;
      if (clock_ != 0 && (*found)->begin > clock_) break;
      target = *found;
    }
    return target && keeps_little(binding, target->begin) ? target : nullptr;
  }

  /// Whether sinking a binding does not extend the live range of a large operand in exchange for that of a smaller
  /// result.
  bool keeps_little(const Binding& binding, Position position) const {
    if (binding.form == Binding::Form::kConst) return true;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < binding.operands.size(); ++k) {
      const Var v = binding.operands[k];
      if (function_.values[v].scalar || uses_[v].last >= position) continue;
      if (binding.form != Binding::Form::kOp || ++kept > 1) return false;
      const Signature& signature = info(binding.op).signature;
      const LengthVar length = signature.operands[k].length;
      const auto is_as_long = [&](const Role& role) { return role.length == length; };
      if (std::none_of(signature.results.begin(), signature.results.begin() + signature.result_count, is_as_long))
        return false;
    }
    return true;
  }

  Function& function_;
  const std::vector<bool>& effects_;
  Safety safety_;
  std::vector<Uses> uses_;
  std::deque<Branch> branches_;
  Position position_ = 0;
  Position clock_ = 0;  ///< position of the earliest visited operation that reads the clock; 0: none
};

}  // namespace

/// Pass "sink": sinks bindings into the branch of an IF that contains all their uses.
///   before:  a = NOT INT b   d = IF c then yield a else yield b   ret d
///   after:   d = IF c then a = NOT INT b  yield a else yield b   ret d
/// Sinks only bindings without effect that do not move blocks, and only if no large operand lives longer in exchange
/// for a small result. Nothing moves across an operation that reads the clock, so that computations that are timed stay
/// between START_TIMER and STOP_TIMER. Nothing is computed more often, since a branch runs at most once. One backward
/// walk, O(n log n).
void sink_bindings(Program& program) {
  const ShapeFacts lengths = length_facts(program);
  const std::vector<bool> effects = functions_with_effects(program, lengths);
  for (Function& function : program.functions) Sinker(program, function, lengths, effects).run();
}

}  // namespace vcode::letform
