#pragma once

#include <vector>

#include "kernel_shapes.h"
#include "placement.h"
#include "runtime/evaluator.h"

namespace runtime {

/// Runs of a kernel by the backend, one after the other. What can be known of all of them is found once: runs over
/// short vectors are so frequent that allocating memory for each would take longer than the kernel.
class KernelRun {
 public:
  /// The kernel, its facts and the plan outlive this. `constants` are indexed by the kernel's values.
  KernelRun(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, const std::vector<Value>& constants,
            KernelPlan& plan, vcode::Widths widths);

  enum class Outcome {
    kDone,
    kImpossible,  ///< the inputs are still there; the steps are to be computed one after the other
    kFailed,      ///< an instruction before this one is at fault, as failure() says
  };
  /// Lets the backend compute the outputs, in one go, and replaces the inputs at `base` by them. A fault of the kernel
  /// that is not known yet surfaces later, as that of one of its steps; of one that is known the steps tell more.
  Outcome in_one_go(Evaluator& evaluator, Value* base);

 private:
  /// A result that the backend fills.
  struct Filled {
    vcode::KernelVar value = 0;
    ElemType type = ElemType::kI32;
    bool is_packed = false;  ///< the elements of a PACK, which may turn out to be fewer
  };

  Outcome run(Evaluator& evaluator, Value* inputs);
  bool place_operands(Placement operands, Value* inputs);
  bool place_results(Evaluator& evaluator, Placement results);
  bool finish_packs(Evaluator& evaluator);
  static Value trimmed(Evaluator& evaluator, Value vector, std::int64_t length);

  vcode::KernelVar result_of(std::uint32_t step, std::size_t k = 0) const { return kernel_.steps[step].results[k]; }

  const vcode::Kernel& kernel_;
  KernelPlan& plan_;
  KernelShapes shapes_;
  std::vector<vcode::KernelVar> constants_;
  std::vector<Filled> filled_;
  std::vector<std::uint32_t> packs_;  ///< the steps
  // Indexed by the kernel's values.
  std::vector<Value> values_;  ///< the constants, and results from their placing to the end of the run
  std::vector<Operand> operands_;
  std::vector<SegmentMap> maps_;
  std::vector<Result> results_;
  std::vector<std::int64_t> kept_;
  std::vector<Value> outputs_;
};

}  // namespace runtime
