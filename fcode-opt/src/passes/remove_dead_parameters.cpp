#include <algorithm>
#include <utility>

#include "base/check.h"
#include "dead_bindings.h"
#include "fcode-opt/passes.h"
#include "ir/function_queue.h"
#include "ir/walk.h"
#include "shapes/safety.h"

namespace vcode::letform {
namespace {

/// Finds the parameters and results that each function needs: a backward analysis from the results of the entry and of
/// roots, with a work list of functions, since the needs of one function may add needs of its callers and callees.
class Search {
 public:
  struct Needs {
    std::vector<bool> parameters, results;
  };

  Search(const Program& program, const ShapeFacts& lengths, const std::vector<bool>& effects)
      : program_(program), lengths_(lengths), effects_(effects), queue_(program.functions.size()) {
    for (const Function& function : program.functions) {
      needs_.push_back(
          {std::vector<bool>(function.parameters.size()), std::vector<bool>(function.body.results.size())});
      callers_.emplace_back();
    }
    for (std::uint32_t f = 0; f < program.functions.size(); ++f)
      for_each_binding(program.functions[f].body, [&](const Binding& binding) {
        if (binding.form == Binding::Form::kCall) callers_[binding.target].push_back(f);
      });
  }

  std::vector<Needs> run() {
    for (std::uint32_t f = 0; f < program_.functions.size(); ++f) {
      if (f != program_.entry && program_.functions[f].linkage == Linkage::kInternal) continue;
      needs_[f].parameters.flip();
      needs_[f].results.flip();
    }
    for (std::uint32_t f = 0; f < program_.functions.size(); ++f) queue_.add(f);
    while (!queue_.empty()) look_at(queue_.take());
    return std::move(needs_);
  }

 private:
  void look_at(std::uint32_t f) {
    const Function& function = program_.functions[f];
    live_.assign(function.values.size(), false);
    Safety safety(program_, function, lengths_);
    for_each_binding(function.body, [&](const Binding& binding) { safety.note(binding); });
    look_at(function.body, needs_[f].results, safety);
    keep_for_pieces(function);
    bool more = false;
    for (std::size_t k = 0; k < function.parameters.size(); ++k) {
      if (!live_[function.parameters[k]] || needs_[f].parameters[k]) continue;
      needs_[f].parameters[k] = more = true;
    }
    if (more)
      for (std::uint32_t caller : callers_[f]) queue_.add(caller);
  }

  /// Keeps parameters that running in pieces needs: those by which a needed parameter is divided, and the last whole
  /// parameter, which numbers the instances of the function's code in reports of errors. Parameters are divided by
  /// earlier parameters.
  void keep_for_pieces(const Function& function) {
    const PieceOperands& piece_operands = function.piece_operands;
    const auto last = std::find_if(piece_operands.rbegin(), piece_operands.rend(),
                                   [](PieceOperand cut) { return cut.how == PieceOperand::How::kWhole; });
    if (last != piece_operands.rend() && last->of != kIndexSpace)
      live_[function.parameters[static_cast<std::size_t>(piece_operands.rend() - last - 1)]] = true;
    for (std::size_t k = piece_operands.size(); k-- > 0;)
      if (live_[function.parameters[k]] && piece_operands[k].of != kIndexSpace)
        live_[function.parameters[piece_operands[k].of]] = true;
  }

  /// Marks live values of a block. Returns whether anything in the block has an effect.
  bool look_at(const Block& block, const std::vector<bool>& needed, const Safety& safety) {
    for (std::size_t k = 0; k < block.results.size(); ++k)
      if (needed[k]) live_[block.results[k]] = true;
    bool effect = false;
    for (auto binding = block.bindings.rbegin(); binding != block.bindings.rend(); ++binding) {
      std::vector<bool> live_results;
      for (Var v : binding->results) live_results.push_back(live_[v]);
      const bool is_if = binding->form == Binding::Form::kIf;
      bool has_effect = is_if && safety.can_stop(*binding);
      if (is_if)
        for (const Block& inner : binding->blocks) has_effect = look_at(inner, live_results, safety) || has_effect;
      else
        has_effect = safety.has_effect(*binding, effects_);
      effect = effect || has_effect;
      if (!has_effect && std::find(live_results.begin(), live_results.end(), true) == live_results.end()) continue;
      use(*binding, live_results);
    }
    return effect;
  }

  void use(const Binding& binding, const std::vector<bool>& live_results) {
    for (Var v : binding.nest) live_[v] = true;
    const bool is_call = binding.form == Binding::Form::kCall;
    for (std::size_t k = 0; k < binding.operands.size(); ++k)
      if (!is_call || needs_[binding.target].parameters[k]) live_[binding.operands[k]] = true;
    if (!is_call) return;
    for (std::size_t k = 0; k < live_results.size(); ++k) {
      if (!live_results[k] || needs_[binding.target].results[k]) continue;
      needs_[binding.target].results[k] = true;
      queue_.add(binding.target);
    }
  }

  const Program& program_;
  const ShapeFacts& lengths_;
  const std::vector<bool>& effects_;
  std::vector<Needs> needs_;
  std::vector<std::vector<std::uint32_t>> callers_;
  FunctionQueue queue_;
  std::vector<bool> live_;  ///< values of the function being visited
};

void keep(std::vector<Var>& values, const std::vector<bool>& needed) {
  VC_CHECK(values.size() == needed.size());
  std::size_t kept = 0;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (needed[k]) values[kept++] = values[k];
  values.resize(kept);
}

/// PieceOperands of the needed parameters; none if no parameter of the index space is left.
PieceOperands kept(const PieceOperands& piece_operands, const std::vector<bool>& needed) {
  PieceOperands result;
  std::vector<std::uint32_t> numbers;
  for (std::size_t k = 0; k < piece_operands.size(); ++k) {
    numbers.push_back(static_cast<std::uint32_t>(result.size()));
    if (!needed[k]) continue;
    result.push_back(piece_operands[k]);
    if (piece_operands[k].of != kIndexSpace) result.back().of = numbers[piece_operands[k].of];
  }
  return complaint_about(result).empty() ? result : PieceOperands();
}

}  // namespace

/// Pass "dead-parameters": removes parameters and results that no function needs.
///   before:  function f (a, b)  c = + INT a a  ret c b      entry main (x)  y, z = CALL f x x  ret y
///   after:   function f (a)     c = + INT a a  ret c        entry main (x)  y = CALL f x       ret y
/// Parameters that a recursive function only passes on to itself are removed, too. The entry, roots and external
/// functions keep their parameters and results. Removes dead bindings, too. O(size of the program × changes found),
/// usually two visits of each function.
void remove_dead_parameters(Program& program) {
  const ShapeFacts lengths = length_facts(program);
  const std::vector<bool> effects = functions_with_effects(program, lengths);
  const std::vector<Search::Needs> needs = Search(program, lengths, effects).run();
  // Safety objects are made before parameters are removed, since facts about lengths may depend on these.
  std::vector<Safety> safeties;
  for (const Function& function : program.functions) safeties.emplace_back(program, function, lengths);
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
    Function& function = program.functions[f];
    keep(function.parameters, needs[f].parameters);
    function.piece_operands = kept(function.piece_operands, needs[f].parameters);
    keep(function.body.results, needs[f].results);
    for_each_binding(function.body, [&](Binding& binding) {
      if (binding.form != Binding::Form::kCall) return;
      keep(binding.operands, needs[binding.target].parameters);
      keep(binding.results, needs[binding.target].results);
    });
    remove_dead_bindings(function, std::move(safeties[f]), effects);
  }
}

}  // namespace vcode::letform
