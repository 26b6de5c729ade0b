#include "legalize/expander.h"

#include "base/check.h"

namespace vcode::letform {

Var Expander::expand(const Binding& operation, Block& to) {
  const Binding* const outer_operation = std::exchange(operation_, &operation);
  Block* const outer_block = std::exchange(to_, &to);
  const Expansion expansion = expansion_of(operation.op);
  VC_CHECK(expansion != nullptr);
  const Var result = expansion(*this, operation.operands);
  operation_ = outer_operation;
  to_ = outer_block;
  return result;
}

Var Expander::fresh(Kind kind) {
  function_.values.push_back({kind});
  return static_cast<Var>(function_.values.size() - 1);
}

std::vector<Var> Expander::append(Binding binding) {
  if (binding.form == Binding::Form::kOp) {
    const Signature& signature = info(binding.op).signature;
    for (int k = 0; k < signature.result_count; ++k)
      binding.results.push_back(fresh(Signature::kind(signature.results[static_cast<std::size_t>(k)], binding.suffix)));
  }
  binding.inlined = operation_->inlined;
  std::vector<Var> results = binding.results;
  to_->bindings.push_back(std::move(binding));
  return results;
}

Var Expander::op(Op op, Suffix suffix, std::vector<Var> operands) {
  Binding binding{.op = op, .suffix = suffix, .operands = std::move(operands)};
  binding.site = operation_->site;
  binding.location_only = binding.site != kNoSite;
  if (!target_.has(op)) {
    binding.inlined = operation_->inlined;
    return expand(binding, *to_);
  }
  return append(std::move(binding))[0];
}

Var Expander::faulting_op(Op op, Suffix suffix, std::vector<Var> operands) {
  Binding binding{.op = op, .suffix = suffix, .operands = std::move(operands)};
  binding.site = operation_->site;
  binding.nest = operation_->nest;
  binding.outermost = operation_->outermost;
  binding.location_only = operation_->location_only;
  return append(std::move(binding))[0];
}

std::pair<Var, Var> Expander::pack(Suffix suffix, std::vector<Var> operands) {
  const std::vector<Var> results = append({.op = Op::kPack, .suffix = suffix, .operands = std::move(operands)});
  return {results[0], results[1]};
}

Var Expander::number(std::int64_t number) {
  Binding binding{.form = Binding::Form::kConst, .target = static_cast<std::uint32_t>(program_.constants.size())};
  program_.constants.push_back({.type = Suffix::kInt, .ints = {number}});
  binding.results = {fresh(Kind::kInt)};
  function_.values.back().scalar = true;
  return append(std::move(binding))[0];
}

Var Expander::zero(Suffix suffix) {
  Constant zero{.type = suffix};
  if (suffix == Suffix::kBool)
    zero.bools = {0};
  else if (suffix == Suffix::kFloat)
    zero.floats = {0.0};
  else
    zero.ints = {0};
  Binding binding{.form = Binding::Form::kConst, .target = static_cast<std::uint32_t>(program_.constants.size())};
  program_.constants.push_back(std::move(zero));
  binding.results = {fresh(suffix_kind(suffix))};
  function_.values.back().scalar = true;
  return append(std::move(binding))[0];
}

Var Expander::length(Var vector) { return op(Op::kLength, suffix_of(function_.values[vector].kind), {vector}); }

Var Expander::all_of(Var vector) { return op(Op::kMakeSegdes, {length(vector)}); }

void Expander::unless(Var good, const std::function<void()>& otherwise) {
  Binding choice{.form = Binding::Form::kIf, .operands = {good}, .blocks = std::vector<Block>(2)};
  Block* const outer = std::exchange(to_, &choice.blocks[1]);
  otherwise();
  to_ = outer;
  append(std::move(choice));
}

bool Expander::has_message() const {
  if (operation_->site == kNoSite || operation_->location_only) return false;
  const Site& site = program_.sites[operation_->site];
  return !site.message.empty() || !site.said.empty();
}

/// The site of the expanded operation, without the text that only the operation itself has.
std::uint32_t Expander::site_of_exit() {
  const auto [known, is_new] = exit_sites_.try_emplace(operation_->site, operation_->site);
  Site site = program_.sites[operation_->site];
  if (is_new && (!site.values.empty() || !site.said.empty())) {
    if (site.is_nowhere()) return known->second = kNoSite;
    site.values.clear();
    site.said.clear();
    known->second = static_cast<std::uint32_t>(program_.sites.size());
    program_.sites.push_back(std::move(site));
  }
  return known->second;
}

void Expander::exit_with_message(Var flags) {
  if (!has_message()) {  // an index out of range: a plain EXIT would be no error
    const Var zero = number(0);
    faulting_op(Op::kExtract, Suffix::kInt, {zero, number(1), all_of(zero)});
    return;
  }
  Constant words{.type = Suffix::kChar, .bracketed = true};
  const Site& site = program_.sites[operation_->site];
  for (const char c : site.said.empty() ? "\nRUNTIME ERROR: " + site.message + "\n" : site.said)
    words.ints.push_back(static_cast<unsigned char>(c));
  Binding text{.form = Binding::Form::kConst, .target = static_cast<std::uint32_t>(program_.constants.size())};
  program_.constants.push_back(std::move(words));
  text.results = {fresh(Kind::kInt)};
  const Var said = append(std::move(text))[0];
  append({.op = Op::kWrite, .suffix = Suffix::kChar, .operands = {said}});
  Binding exit{.op = Op::kExit};
  exit.site = site_of_exit();
  if (exit.site != kNoSite) {
    exit.nest = operation_->nest;
    exit.nest.insert(exit.nest.begin(), flags);
    exit.outermost = operation_->outermost;
  }
  append(std::move(exit));
}

}  // namespace vcode::letform
