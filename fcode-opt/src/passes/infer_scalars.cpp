#include <vector>

#include "base/check.h"
#include "fcode-opt/letform.h"
#include "fcode-opt/passes.h"
#include "ir/function_queue.h"
#include "ir/scalars.h"

namespace vcode::letform {
namespace {

/// An optimistic analysis: assumes that all parameters and results are scalars and withdraws wrong assumptions, to a
/// fixed point. Parameters of the entry, of roots and of external functions are not assumed to be scalar.
class Inference {
 public:
  explicit Inference(const Program& program)
      : program_(program), callers_(program.functions.size()), queue_(program.functions.size()) {
    for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
      const Function& function = program.functions[f];
      const bool is_known = f != program.entry && function.linkage == Linkage::kInternal;
      beliefs_.push_back({std::vector<bool>(function.parameters.size(), is_known),
                          std::vector<bool>(function.body.results.size(), function.linkage != Linkage::kExternal)});
      values_.push_back(function.values);
    }
  }

  std::vector<std::vector<ValueInfo>> run() {
    for (std::uint32_t f = 0; f < program_.functions.size(); ++f) queue_.add(f);
    while (!queue_.empty()) look_at(queue_.take());
    return std::move(values_);
  }

 private:
  struct Belief {
    std::vector<bool> parameters, results;
  };

  void look_at(std::uint32_t f) {
    const Function& function = program_.functions[f];
    if (function.linkage == Linkage::kExternal) return;
    current_ = f;
    values_[f] = function.values;
    for (std::size_t k = 0; k < function.parameters.size(); ++k)
      if (beliefs_[f].parameters[k]) values_[f][function.parameters[k]].scalar = true;
    look_at(function.body);
    for (std::size_t k = 0; k < function.body.results.size(); ++k)
      if (beliefs_[f].results[k] && !values_[f][function.body.results[k]].scalar) {
        beliefs_[f].results[k] = false;
        for (const std::uint32_t caller : callers_[f]) queue_.add(caller);
      }
  }

  void look_at(const Block& block) {
    std::vector<ValueInfo>& values = values_[current_];
    for (const Binding& binding : block.bindings) {
      for (const Block& inner : binding.blocks) look_at(inner);
      switch (binding.form) {
        case Binding::Form::kOp:
          note_scalar_results(binding, values);
          break;
        case Binding::Form::kConst:
          if (program_.constants[binding.target].size() == 1) values[binding.results[0]].scalar = true;
          break;
        case Binding::Form::kCall:
          look_at_call(binding, values);
          break;
        case Binding::Form::kIf:
          for (std::size_t k = 0; k < binding.results.size(); ++k)
            if (values[binding.blocks[0].results[k]].scalar && values[binding.blocks[1].results[k]].scalar)
              values[binding.results[k]].scalar = true;
          break;
        case Binding::Form::kFused:
          for (std::size_t k = 0; k < binding.results.size(); ++k)
            if (values[binding.blocks[0].results[k]].scalar) values[binding.results[k]].scalar = true;
          break;
        case Binding::Form::kLiftedIf:
        case Binding::Form::kSteps:
          VC_CHECK(false);  // choose_masks() has replaced it
          break;
      }
    }
  }

  void look_at_call(const Binding& call, std::vector<ValueInfo>& values) {
    std::vector<std::uint32_t>& callers = callers_[call.target];
    if (callers.empty() || callers.back() != current_) callers.push_back(current_);
    Belief& belief = beliefs_[call.target];
    for (std::size_t k = 0; k < call.operands.size(); ++k)
      if (belief.parameters[k] && !values[call.operands[k]].scalar) {
        belief.parameters[k] = false;
        queue_.add(call.target);
      }
    for (std::size_t k = 0; k < call.results.size(); ++k)
      if (belief.results[k]) values[call.results[k]].scalar = true;
  }

  const Program& program_;
  std::vector<Belief> beliefs_;                      ///< of each function
  std::vector<std::vector<ValueInfo>> values_;       ///< of each function, under the present assumptions
  std::vector<std::vector<std::uint32_t>> callers_;  ///< of each function: the callers visited so far
  FunctionQueue queue_;  ///< functions for which assumptions about themselves or their callees have changed
  std::uint32_t current_ = 0;
};

}  // namespace

/// Pass "scalars": infers which values have one element, across calls.
///   before:  function f (a: Int)  b: Int = + INT a a  ret b
///            entry main ()  x: Int scalar = CONST INT 1  y: Int = CALL f x  ret y
///   after:   function f (a: Int scalar)  b: Int scalar = …     entry main ()  … y: Int scalar = …
/// A parameter is scalar if all calls give it a scalar. Changes nothing else. Visits each function a few times, O(n)
/// each.
void infer_scalars(Program& program) {
  std::vector<std::vector<ValueInfo>> values = Inference(program).run();
  for (std::size_t f = 0; f < program.functions.size(); ++f) program.functions[f].values = std::move(values[f]);
}

}  // namespace vcode::letform
