#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/check.h"
#include "fcode-opt/passes.h"
#include "ir/call_graph.h"
#include "ir/effects.h"
#include "ir/walk.h"
#include "vcode/kernel_rules.h"
#include "working_set.h"

namespace vcode::letform {
namespace {

/// Size above which functions that are called once are not inlined either, so that a long chain of them takes linear
/// time.
constexpr std::size_t kLargestOnce = 1000;

/// Most arithmetic operations of a function that is inlined into a branch, so that masks may compute it: packing calls
/// larger ones, which may then be run in pieces.
constexpr double kMostWork = 200;

class Inliner {
 public:
  /// `everywhere`: whether all calls are inlined, or only those in branches of lifted conditionals.
  Inliner(Program& program, std::size_t size_limit, SizeMetric metric, bool everywhere)
      : program_(program),
        size_limit_(size_limit),
        metric_(metric),
        everywhere_(everywhere),
        graph_(make_call_graph(program)),
        goes_(program.functions.size()),
        sizes_(program.functions.size()),
        works_(program.functions.size()),
        acts_(program.functions.size()),
        called_whole_(program.functions.size()),
        deepest_(program.functions.size()) {
    for (std::uint32_t f : graph_.order) {
      if (!program.functions[f].piece_operands.empty()) continue;
      for_each_binding(program.functions[f].body, [&](const Binding& binding) {
        if (binding.form == Binding::Form::kCall) called_whole_[binding.target] = true;
      });
    }
  }

  void run() {
    for (std::uint32_t f : graph_.order) {
      function_ = &program_.functions[f];
      same_as_.clear();
      rewrite(function_->body, everywhere_, 0, deepest_[f]);
      acts_[f] = acts(*function_);
      goes_[f] = f != program_.entry && !graph_.recursive[f] && function_->linkage != Linkage::kExternal &&
                 !is_worth_dividing(f) && (everywhere_ || (works_[f] = work()) <= kMostWork) &&
                 (sizes_[f] = size()) <= (is_called_once(f) ? std::max(kLargestOnce, size_limit_) : size_limit_);
    }
    remove_unreachable_functions(program_);
  }

 private:
  /// Number of bindings of the function once the calls in it are inlined.
  std::size_t size() const {
    std::size_t size = count_bindings(*function_, metric_ == SizeMetric::kBindings);
    for_each_binding(function_->body, [&](const Binding& binding) {
      if (binding.form == Binding::Form::kCall && goes_[binding.target]) size += sizes_[binding.target];
    });
    return size;
  }

  /// Arithmetic operations of the function and of the calls in it that will be inlined; too many if masks cannot
  /// compute it.
  double work() const {
    double work = 0;
    for_each_binding(function_->body, [&](const Binding& binding) {
      if (binding.form == Binding::Form::kCall) work += goes_[binding.target] ? works_[binding.target] : 2 * kMostWork;
      if (binding.form == Binding::Form::kSteps) work += 2 * kMostWork;
      if (binding.form != Binding::Form::kOp) return;
      if (!is_maskable(binding.op)) work += 2 * kMostWork;
      if (info(binding.op).op_class == OpClass::kElementwise) work += work_of(binding.op).in_flops();
    });
    return work;
  }

  bool is_called_once(std::uint32_t f) const {
    return graph_.calls[f] == 1 && program_.functions[f].linkage == Linkage::kInternal;
  }

  /// Whether calls of the function stay, since it can be run in pieces and takes less memory so. A function that is
  /// called only by functions with pieces is inlined, as the caller's pieces include it.
  bool is_worth_dividing(std::uint32_t f) const {
    return !function_->piece_operands.empty() && called_whole_[f] && !acts_[f] &&
           outgrows_operands(program_, *function_);
  }

  /// Whether a function may read, write, draw or exit, so that it cannot be run in pieces.
  bool acts(const Function& function) const {
    bool any = function.linkage == Linkage::kExternal;
    for_each_binding(function.body, [&](const Binding& binding) {
      if (binding.form == Binding::Form::kCall) any = any || acts_[binding.target];
      if (binding.form == Binding::Form::kOp)
        any = any || info(binding.op).op_class == OpClass::kSystem || info(binding.op).draws();
    });
    return any;
  }

  /// Inlines calls in a block that is inside `depth` IFs; if not `inlines`, only those in branches of lifted
  /// conditionals. Raises `deepest` to the maximal depth of IFs after inlining.
  void rewrite(Block& block, bool inlines, std::uint32_t depth, std::uint32_t& deepest) {
    deepest = std::max(deepest, depth);
    std::vector<Binding> old = std::move(block.bindings);
    block.bindings.clear();
    for (Binding& binding : old) {
      replace(binding.operands);
      replace(binding.nest);
      if (inlines && binding.form == Binding::Form::kCall && goes_[binding.target] &&
          depth + deepest_[binding.target] <= kDeepestIf) {
        deepest = std::max(deepest, depth + deepest_[binding.target]);
        Block inserted;
        insert(binding, inserted.bindings);
        if (!everywhere_) rewrite(inserted, true, depth, deepest);  // the calls that stay in the callee
        std::move(inserted.bindings.begin(), inserted.bindings.end(), std::back_inserter(block.bindings));
        continue;
      }
      const bool is_lifted = binding.form == Binding::Form::kLiftedIf;
      for (Block& inner : binding.blocks) rewrite(inner, inlines || is_lifted, depth + 1, deepest);
      block.bindings.push_back(std::move(binding));
    }
    replace(block.results);
  }

  /// Replaces results of inlined calls by the values that the bodies computed.
  void replace(std::vector<Var>& values) const {
    for (Var& v : values)
      while (v < same_as_.size() && same_as_[v] != kNoVar) v = same_as_[v];
  }

  void insert(const Binding& call, std::vector<Binding>& to) {
    Function& callee = program_.functions[call.target];
    VC_CHECK(call.operands.size() == callee.parameters.size() && call.results.size() == callee.body.results.size());
    renamed_.assign(callee.values.size(), kNoVar);
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
      renamed_[callee.parameters[k]] = call.operands[k];
      learn(call.operands[k], callee.values[callee.parameters[k]]);
    }
    // Calls in libraries do not appear in messages.
    placed_ = {{kNoCall, has_own_location(call.site) ? add_inlined({call.site, call.inlined}) : call.inlined}};
    for (const Binding& binding : callee.body.bindings) rename(to.emplace_back(binding), callee, call);
    for (std::size_t k = 0; k < call.results.size(); ++k) {
      Var result = renamed(callee.body.results[k]);
      learn(result, function_->values[call.results[k]]);
      if (same_as_.size() < function_->values.size()) same_as_.resize(function_->values.size(), kNoVar);
      same_as_[call.results[k]] = result;
    }
    // Frees memory, else quadratic for chains of functions. What is inlined in branches only may be inlined again, with
    // a caller of which the call stays a part.
    if (everywhere_ && is_called_once(call.target)) callee = Function{};
  }

  /// Gives a value the name of an equal value. `scalar` is not copied, since it may hold only where the other value is
  /// bound.
  void learn(Var v, const ValueInfo& other) {
    ValueInfo& value = function_->values[v];
    if (value.name.empty()) value.name = other.name;
  }

  /// New name of a value of the function being inserted; the value must have been bound.
  Var renamed(Var v) const {
    VC_CHECK(renamed_[v] != kNoVar);
    return renamed_[v];
  }

  /// Binds copies of values.
  void bind_again(std::vector<Var>& values, const Function& callee) {
    for (Var& v : values) {
      function_->values.push_back(callee.values[v]);
      v = renamed_[v] = static_cast<Var>(function_->values.size() - 1);
    }
  }

  void rename(Binding& binding, const Function& callee, const Binding& call) {
    for (Var& v : binding.operands) v = renamed(v);
    for (Var& v : binding.nest) v = renamed(v);
    bind_again(binding.state, callee);
    const bool reads_results = binding.form == Binding::Form::kSteps;  // the values of the loop
    if (reads_results) bind_again(binding.results, callee);
    for (Block& block : binding.blocks) {
      for (Binding& inner : block.bindings) rename(inner, callee, call);
      for (Var& v : block.results)
        if (v != kNoVar) v = renamed(v);  // a branch of a lifted conditional may lack a result
    }
    if (!reads_results) bind_again(binding.results, callee);
    binding.inlined = has_own_location(binding.site) ? location(binding.inlined) : call.inlined;
    if (binding.site != kNoSite && !binding.location_only)
      location(binding, call);
    else if (binding.form == Binding::Form::kOp)
      name_location(binding, call);
    if (binding.form == Binding::Form::kFused)
      for (const Binding& step : binding.blocks[0].bindings) include_nest(binding, step);
  }

  /// Whether a site has a location other than that of a call.
  bool has_own_location(std::uint32_t site) const { return site != kNoSite && !program_.sites[site].file.empty(); }

  /// Number, in the function inserted into, of a call that was inlined into the function being inserted, or of kNoCall.
  /// The call being replaced becomes the outermost of the inlined calls.
  std::uint32_t location(std::uint32_t inlined) {
    std::vector<std::uint32_t> missing;  // innermost call first
    for (; !placed_.contains(inlined); inlined = program_.inlined[inlined].around) missing.push_back(inlined);
    std::uint32_t placed = placed_.at(inlined);
    for (; !missing.empty(); missing.pop_back())
      placed = placed_[missing.back()] = add_inlined({program_.inlined[missing.back()].site, placed});
    return placed;
  }
  std::uint32_t add_inlined(InlinedCall call) {
    program_.inlined.push_back(call);
    return static_cast<std::uint32_t>(program_.inlined.size() - 1);
  }

  /// Adapts the site of an inlined binding: a binding of the library gets the location of the call, and the levels that
  /// enclose the call now enclose the binding.
  void location(Binding& binding, const Binding& call) {
    if (call.site != kNoSite && program_.sites[binding.site].is_of_library())
      binding.site = site_of_call(call.site, binding.site);
    if (binding.outermost) return;
    binding.nest.insert(binding.nest.end(), call.nest.begin(), call.nest.end());
    binding.outermost = call.outermost;
  }

  /// Gives a binding without a location of its own the location of the call.
  void name_location(Binding& binding, const Binding& call) {
    if (call.site == kNoSite || has_own_location(binding.site)) return;
    binding.site = call.site;
    binding.location_only = true;
  }

  std::uint32_t site_of_call(std::uint32_t call, std::uint32_t inlined) {
    const Site &outer = program_.sites[call], &inner = program_.sites[inlined];
    if (inner.said.empty() && (inner.message.empty() || !outer.message.empty())) return call;
    auto [it, is_new] = sites_at_call_.try_emplace({call, inlined}, program_.sites.size());
    if (is_new)
      program_.sites.push_back(
          {outer.file, outer.line, outer.column, outer.function, inner.message, inner.values, inner.said});
    return it->second;
  }

  Program& program_;
  std::size_t size_limit_;
  SizeMetric metric_;
  const bool everywhere_;
  CallGraph graph_;
  std::vector<bool> goes_;              ///< whether a function is inlined
  std::vector<std::size_t> sizes_;      ///< see size(); of functions that are inlined
  std::vector<double> works_;           ///< see work(); of functions that are inlined in branches
  std::vector<bool> acts_;              ///< see acts()
  std::vector<bool> called_whole_;      ///< whether a function without pieces calls it
  std::vector<std::uint32_t> deepest_;  ///< of each function: the depth of its innermost IF
  Function* function_ = nullptr;
  std::vector<Var> same_as_;
  std::vector<Var> renamed_;                       ///< new names of values of the function being inserted
  std::map<std::uint32_t, std::uint32_t> placed_;  ///< see place(); for the call being replaced
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> sites_at_call_;
};

}  // namespace

/// Pass "inline": inlines functions that are small or called once.
///   before:  function f (x)  y = + INT x x  ret y      entry main (a)  b = CALL f a  ret b
///   after:   entry main (a)  y = + INT a a  ret y
/// Visits callees first, so that an inlined body has no calls left to inline. Recursive functions and the entry are not
/// inlined, and neither are functions that can be run in pieces if that saves memory (outgrows_operands()). Keeps the
/// order of bindings. Removes functions that are then unreachable. O(size of the result).
void inline_calls(Program& program, std::size_t size_limit, SizeMetric metric) {
  Inliner(program, size_limit, metric, true).run();
}

/// Inlines such functions, if masks may compute them, where branches of lifted conditionals call them, and what these
/// call there. The choice between masks and packing then sees all operations of a branch.
///   before:  r = LIFTED IF f g u s t m  THEN a, v = PACK x f u   b = CALL square a   yield b  ELSE yield x
///   after:   r = LIFTED IF f g u s t m  THEN a, v = PACK x f u   b = * INT a a   yield b  ELSE yield x
void inline_in_branches(Program& program, std::size_t size_limit, SizeMetric metric) {
  Inliner(program, size_limit, metric, false).run();
}

}  // namespace vcode::letform
