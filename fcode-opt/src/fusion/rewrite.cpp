#include "rewrite.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "base/check.h"
#include "ir/walk.h"
#include "vcode/kernel_rules.h"

namespace fcode_opt {
namespace {

using letform::Binding;

/// Writes one kernel. Values inside the kernel get new names; its results keep their names.
class KernelWriter {
 public:
  KernelWriter(const Partition& partition, letform::Function& function)
      : partition_(partition), basic_block_(partition.basic_block()), function_(function) {}

  Binding write(std::uint32_t set) {
    const auto &members = partition_.members(set), &copies = partition_.copies(set);
    std::vector<std::uint32_t> nodes;
    std::merge(members.begin(), members.end(), copies.begin(), copies.end(), std::back_inserter(nodes));
    for (std::uint32_t n : nodes) {
      if (partition_.copies(set, n))
        add(basic_block_.bindings[n], false);
      else if (partition_.is_epilogue(n))
        add_epilogue(basic_block_.bindings[n]);
      else
        add(basic_block_.bindings[n], true);
    }
    for (Var v : partition_.interface(set).left) {
      kernel_.blocks[0].results.push_back(inner_.at(v));
      kernel_.results.push_back(v);
    }
    VC_CHECK(over_ != kNoNumber);
    kernel_.target = over_;
    return std::move(kernel_);
  }

 private:
  /// Adds a step, and before it the free nodes that it reads.
  void add(const Binding& binding, bool is_member) {
    Binding step = binding;
    for (std::size_t k = 0; k < step.operands.size(); ++k) {
      const Var v = binding.operands[k];
      step.operands[k] = inside(v, binding, static_cast<int>(k));
      go_over(binding, static_cast<int>(k), v);
    }
    // Nests of free nodes and copies are not needed, since these cannot fault.
    if (!is_member) step.nest.clear();
    append(std::move(step));
  }

  /// Adds a step that goes over segments.
  void add_epilogue(const Binding& binding) {
    Binding step = binding;
    for (Var& v : step.operands) v = inner_.contains(v) ? inner_.at(v) : input(v);
    append(std::move(step));
  }

  /// Appends a step, with new names for its results.
  void append(Binding step) {
    for (Var& v : step.results) {
      function_.values.push_back(function_.values[v]);
      const auto inner = static_cast<Var>(function_.values.size() - 1);
      inner_[v] = inner;
      v = inner;
    }
    include_nest(kernel_, step);
    kernel_.blocks[0].bindings.push_back(std::move(step));
  }

  /// Name inside the kernel of operand k of a step; its name outside is v.
  Var inside(Var v, const Binding& reader, int k) {
    const std::uint32_t definer = basic_block_.definer(v);
    if (definer != kNoNumber &&
        vcode::obstacle(basic_block_.nodes[definer].producer, vcode::reader_of(reader.op, k)).empty()) {
      if (basic_block_.nodes[definer].role == Node::Role::kFree && !inner_.contains(v))
        add(basic_block_.bindings[definer], false);
      if (auto it = inner_.find(v); it != inner_.end()) return it->second;
    }
    return input(v);
  }

  /// Makes v an input of the kernel.
  Var input(Var v) {
    if (std::find(kernel_.operands.begin(), kernel_.operands.end(), v) == kernel_.operands.end())
      kernel_.operands.push_back(v);
    return v;
  }

  /// Chooses the index space of the kernel: a descriptor if there is one, since its length is known at no cost.
  void go_over(const Binding& step, int k, Var v) {
    if (!vcode::goes_over(step.op, k)) return;
    const auto at = std::find(kernel_.operands.begin(), kernel_.operands.end(), v);
    if (at == kernel_.operands.end()) return;
    const bool is_descriptor = function_.values[v].kind == vcode::Kind::kSegdes;
    if (over_ != kNoNumber && (over_is_descriptor_ || !is_descriptor)) return;
    over_ = static_cast<std::uint32_t>(at - kernel_.operands.begin());
    over_is_descriptor_ = is_descriptor;
  }

  const Partition& partition_;
  const BasicBlock& basic_block_;
  letform::Function& function_;
  Binding kernel_{.form = Binding::Form::kFused, .blocks = {{}}};
  std::unordered_map<Var, Var> inner_;
  std::uint32_t over_ = kNoNumber;
  bool over_is_descriptor_ = false;
};

/// Orders the units of a basic block: kernels and single bindings.
class Rewriter {
 public:
  Rewriter(const Partition& partition, letform::Function& function)
      : partition_(partition), basic_block_(partition.basic_block()), function_(function), unit_(basic_block_.size()) {}

  std::vector<Binding> run() {
    for (std::uint32_t n = 0; n < basic_block_.size(); ++n) {
      const std::uint32_t set = partition_.set_of(n);
      unit_[n] = set == kNoNumber ? n : partition_.members(set).back();
    }
    std::vector<std::vector<std::uint32_t>> readers(basic_block_.size());
    std::vector<std::uint32_t> missing(basic_block_.size());
    for (const Edge& edge : basic_block_.edges) {
      if (unit_[edge.from] == unit_[edge.to]) continue;
      readers[unit_[edge.from]].push_back(unit_[edge.to]);
      ++missing[unit_[edge.to]];
    }
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t n = 0; n < basic_block_.size(); ++n)
      if (unit_[n] == n && missing[n] == 0) ready.push(n);
    while (!ready.empty()) {
      const std::uint32_t unit = ready.top();
      ready.pop();
      write(unit);
      for (std::uint32_t reader : readers[unit])
        if (--missing[reader] == 0) ready.push(reader);
    }
    VC_CHECK(std::all_of(missing.begin(), missing.end(), [](std::uint32_t count) { return count == 0; }));
    return std::move(out_);
  }

 private:
  void write(std::uint32_t unit) {
    const std::uint32_t set = partition_.set_of(unit);
    if (partition_.is_dissolved(unit)) return;
    const bool fused = set != kNoNumber && partition_.is_kernel(set);
    out_.push_back(fused ? KernelWriter(partition_, function_).write(set) : basic_block_.bindings[unit]);
    if (basic_block_.nodes[unit].role == Node::Role::kFree) out_.back().nest.clear();
  }

  const Partition& partition_;
  const BasicBlock& basic_block_;
  letform::Function& function_;
  std::vector<std::uint32_t> unit_;  ///< of each node: the last member of its kernel, or the node itself
  std::vector<Binding> out_;
};

}  // namespace

std::vector<letform::Binding> rewrite(const Partition& partition, letform::Function& function) {
  return Rewriter(partition, function).run();
}

}  // namespace fcode_opt
