#include <algorithm>
#include <map>
#include <utility>

#include "fcode-opt/passes.h"
#include "ir/call_graph.h"
#include "ir/walk.h"

namespace vcode::letform {
namespace {

/// Larger functions that are called once stay as well, so that a long chain of them takes linear time.
constexpr std::size_t kLargestOnce = 1000;

std::size_t size_of(const Function& function, SizeMetric metric) {
  std::size_t size = 0;
  for_each_binding(function.body, [&](const Binding& binding) {
    size += metric == SizeMetric::kBindings || binding.form != Binding::Form::kConst;
  });
  return size;
}

class Inliner {
 public:
  Inliner(Program& program, std::size_t size_limit, SizeMetric metric)
      : program_(program),
        size_limit_(size_limit),
        metric_(metric),
        graph_(make_call_graph(program)),
        goes_(program.functions.size()),
        deepest_(program.functions.size()) {}

  void run() {
    for (std::uint32_t f : graph_.order) {
      function_ = &program_.functions[f];
      same_as_.clear();
      rewrite(function_->body, 0, deepest_[f]);
      goes_[f] =
          f != program_.entry && !graph_.recursive[f] && function_->linkage != Linkage::kExternal &&
          size_of(*function_, metric_) <= (is_called_once(f) ? std::max(kLargestOnce, size_limit_) : size_limit_);
    }
    remove_unreachable_functions(program_);
  }

 private:
  bool is_called_once(std::uint32_t f) const {
    return graph_.calls[f] == 1 && program_.functions[f].linkage == Linkage::kInternal;
  }

  /// `depth` IFs are around the block; `deepest` is how many there are around the innermost in the end.
  void rewrite(Block& block, std::uint32_t depth, std::uint32_t& deepest) {
    deepest = std::max(deepest, depth);
    std::vector<Binding> old = std::move(block.bindings);
    block.bindings.clear();
    for (Binding& binding : old) {
      replace(binding.operands);
      replace(binding.nest);
      if (binding.form == Binding::Form::kCall && goes_[binding.target] &&
          depth + deepest_[binding.target] <= kDeepestIf) {
        deepest = std::max(deepest, depth + deepest_[binding.target]);
        insert(binding, block.bindings);
        continue;
      }
      for (Block& inner : binding.blocks) rewrite(inner, depth + 1, deepest);
      block.bindings.push_back(std::move(binding));
    }
    replace(block.results);
  }

  /// Values that calls returned, in terms of what the functions computed.
  void replace(std::vector<Var>& values) const {
    for (Var& v : values)
      if (v < same_as_.size() && same_as_[v] != kNoVar) v = same_as_[v];
  }

  void insert(const Binding& call, std::vector<Binding>& to) {
    Function& callee = program_.functions[call.target];
    renamed_.assign(callee.values.size(), kNoVar);
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
      renamed_[callee.parameters[k]] = call.operands[k];
      learn(call.operands[k], callee.values[callee.parameters[k]]);
    }
    for (const Binding& binding : callee.body.bindings) rename(to.emplace_back(binding), callee, call);
    for (std::size_t k = 0; k < call.results.size(); ++k) {
      Var result = renamed_[callee.body.results[k]];
      learn(result, function_->values[call.results[k]]);
      if (same_as_.size() < function_->values.size()) same_as_.resize(function_->values.size(), kNoVar);
      same_as_[call.results[k]] = result;
    }
    if (is_called_once(call.target)) callee = Function{};  // a chain of such functions would be kept many times over
  }

  /// Two values have turned out to be one. That the other is scalar may hold only where it is bound.
  void learn(Var v, const ValueInfo& other) {
    ValueInfo& value = function_->values[v];
    if (value.name.empty()) value.name = other.name;
  }

  void rename(Binding& binding, const Function& callee, const Binding& call) {
    for (Var& v : binding.operands) v = renamed_[v];
    for (Var& v : binding.nest) v = renamed_[v];
    for (Block& block : binding.blocks) {
      for (Binding& inner : block.bindings) rename(inner, callee, call);
      for (Var& v : block.results) v = renamed_[v];
    }
    for (Var& v : binding.results) {
      function_->values.push_back(callee.values[v]);
      v = renamed_[v] = static_cast<Var>(function_->values.size() - 1);
    }
    if (binding.site != kNoSite && !binding.place_only)
      place(binding, call);
    else if (binding.form == Binding::Form::kOp)
      name_place(binding, call);
  }

  /// Where the inlined binding is now: what belongs to a library is reported as the call, and the enclosing levels
  /// of the call come to enclose it.
  void place(Binding& binding, const Binding& call) {
    if (call.site != kNoSite && program_.sites[binding.site].file.empty())
      binding.site = site_of_call(call.site, program_.sites[binding.site].message);
    if (binding.outermost) return;
    binding.nest.insert(binding.nest.end(), call.nest.begin(), call.nest.end());
    binding.outermost = call.outermost;
  }

  /// What has no place of its own is at the call.
  void name_place(Binding& binding, const Binding& call) {
    if (call.site == kNoSite || (binding.site != kNoSite && !program_.sites[binding.site].file.empty())) return;
    binding.site = call.site;
    binding.place_only = true;
  }

  std::uint32_t site_of_call(std::uint32_t call, std::string message) {
    if (message.empty() || !program_.sites[call].message.empty()) return call;
    auto [it, is_new] = sites_with_message_.try_emplace({call, message}, program_.sites.size());
    if (is_new) {
      program_.sites.push_back(Site(program_.sites[call]));
      program_.sites.back().message = std::move(message);
    }
    return it->second;
  }

  Program& program_;
  std::size_t size_limit_;
  SizeMetric metric_;
  CallGraph graph_;
  std::vector<bool> goes_;              ///< in place of its calls
  std::vector<std::uint32_t> deepest_;  ///< how many IFs are around the innermost block of a function
  Function* function_ = nullptr;
  std::vector<Var> same_as_;
  std::vector<Var> renamed_;  ///< values of the function being inserted
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> sites_with_message_;
};

}  // namespace

/// Pass "inline": functions that are small, or called once, in place of their calls.
///   before:  function f (x)  y = + INT x x  ret y      entry main (a)  b = CALL f a  ret b
///   after:   entry main (a)  y = + INT a a  ret y
/// Callees first, so that what is put in place has nothing left to inline; recursive functions, the entry and roots
/// stay. Keeps the order of everything. Functions that nobody calls any more are removed. O(size of the result).
void inline_calls(Program& program, std::size_t size_limit, SizeMetric metric) {
  Inliner(program, size_limit, metric).run();
}

}  // namespace vcode::letform
