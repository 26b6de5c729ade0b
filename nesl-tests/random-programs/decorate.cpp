#include "decorate.h"

#include <utility>

namespace property {
namespace {

namespace letform = vcode::letform;
using letform::Binding;
using letform::Var;
using vcode::Kind;
using vcode::Suffix;

class Decorator {
 public:
  Decorator(letform::Program& program, cvl::conformance::Rng& rng) : program_(program), rng_(rng) {}

  void run() {
    for (const char* file : {"a.nesl", ""})
      for (const char* message : {"it failed", ""}) program_.sites.push_back({file, 1, 2, "f", message});
    for (letform::Function& function : program_.functions) {
      function_ = &function;
      visible_ = function.parameters;
      decorate(function.body);
    }
  }

 private:
  void decorate(letform::Block& block) {
    const std::size_t outer = visible_.size();
    std::vector<Binding> old = std::exchange(block.bindings, {});
    for (Binding& binding : old) {
      for (letform::Block& inner : binding.blocks) decorate(inner);
      // An EXIT with a site counts as a failed check, which ends with another exit status.
      const bool is_exit = binding.form == Binding::Form::kOp && binding.op == vcode::Op::kExit;
      if (rng_.chance(0.3) && !is_exit) add_site(binding);
      visible_.insert(visible_.end(), binding.results.begin(), binding.results.end());
      block.bindings.push_back(std::move(binding));
      if (!block.bindings.back().results.empty() && rng_.chance(0.05))
        write_length(block.bindings.back().results[0], block);
    }
    visible_.resize(outer);
  }

  void add_site(Binding& binding) {
    binding.site = static_cast<std::uint32_t>(rng_.below(static_cast<std::int64_t>(program_.sites.size())));
    binding.outermost = rng_.chance(0.3);
    for (Var v : visible_)
      if (function_->values[v].kind != Kind::kFloat && function_->values[v].kind != Kind::kByte && rng_.chance(0.05))
        binding.nest.push_back(v);
  }

  void write_length(Var v, letform::Block& block) {
    const Kind kind = function_->values[v].kind;
    if (kind == Kind::kSegdes) return;
    const Suffix suffix = vcode::suffix_of(kind);
    const Var length = fresh(Kind::kInt), message = fresh(Kind::kInt), done = fresh(Kind::kBool);
    block.bindings.push_back({.op = vcode::Op::kLength, .suffix = suffix, .operands = {v}, .results = {length}});
    block.bindings.push_back(
        {.op = vcode::Op::kWrite, .suffix = Suffix::kInt, .operands = {length}, .results = {message, done}});
  }

  Var fresh(Kind kind) {
    function_->values.push_back({kind});
    return static_cast<Var>(function_->values.size() - 1);
  }

  letform::Program& program_;
  cvl::conformance::Rng& rng_;
  letform::Function* function_ = nullptr;
  std::vector<Var> visible_;
};

}  // namespace

void decorate(letform::Program& program, cvl::conformance::Rng& rng) { Decorator(program, rng).run(); }

}  // namespace property
