#include "make_kernel.h"

#include <cctype>
#include <unordered_map>

#include <fmt/format.h>

#include "base/check.h"

namespace vcode::letform {
namespace {

/// Makes a label that is not a reserved word of VCODE.
std::string label_of(const std::string& name, std::size_t number) {
  std::string label;
  for (char c : name.substr(0, 30))
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') label += c;
  if (label.empty() || std::isdigit(static_cast<unsigned char>(label[0]))) label = "v" + label;
  return fmt::format("{}.{}", label, number);
}

}  // namespace

Kernel make_kernel(const Function& function, const Binding& binding) {
  VC_CHECK(binding.form == Binding::Form::kFused);
  Kernel kernel;
  std::unordered_map<Var, KernelVar> known;
  auto define = [&](Var v) {
    known[v] = static_cast<KernelVar>(kernel.values.size());
    kernel.values.push_back({label_of(function.values[v].name, kernel.values.size()), function.values[v].kind});
    return known[v];
  };
  for (std::size_t k = 0; k < binding.operands.size(); ++k)
    define(k < binding.state.size() ? binding.state[k] : binding.operands[k]);
  kernel.input_count = static_cast<std::uint32_t>(binding.operands.size());
  kernel.over = binding.target;
  kernel.repeated = static_cast<std::uint32_t>(binding.state.size());
  for (const Binding& inner : binding.blocks[0].bindings) {
    Kernel::Step step;
    if (inner.form == Binding::Form::kConst) {
      step.constant = inner.target;
    } else {
      step.op = inner.op;
      step.suffix = inner.suffix;
    }
    for (Var v : inner.operands) step.operands.push_back(known.at(v));
    for (Var v : inner.results) step.results.push_back(define(v));
    kernel.steps.push_back(std::move(step));
  }
  for (Var v : binding.blocks[0].results) kernel.outputs.push_back(known.at(v));
  return kernel;
}

}  // namespace vcode::letform
