#pragma once

#include <optional>
#include <vector>

#include "kernel_shapes.h"
#include "placement.h"
#include "runtime/evaluator.h"

namespace runtime {

/// Runs a kernel on the backend any number of times. Facts and buffers that all runs share are made once: runs over
/// short vectors are so frequent that allocating memory for each would take longer than the kernel.
class KernelRun {
 public:
  /// The kernel, its facts and the plan must outlive the object. `constants` are indexed by the values of the kernel.
  /// `is_exact`: see PreparedKernel.
  KernelRun(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, const std::vector<Value>& constants,
            KernelPlan& plan, vcode::Widths widths, bool is_exact);

  enum class Outcome {
    kDone,
    kImpossible,  ///< the inputs are unchanged; the kernel must be run step by step
    kFailed,      ///< an earlier instruction is at fault, or there is no memory for a kernel that must not be run step
                  ///< by step instead; failure() says which
  };
  /// Replaces the inputs at `base` by the outputs that the backend computes in one traversal. A known fault of the
  /// kernel gives kImpossible, as running it step by step yields a better message. An asynchronous backend reports a
  /// fault later, as a fault of one step.
  Outcome in_one_go(Evaluator& evaluator, Value* base);

 private:
  /// A value of the kernel that the backend stores to memory.
  struct Filled {
    vcode::KernelVar value;
    ElemType type;
    bool is_packed;      ///< result of a PACK; the length of the index space is an upper bound
    bool is_descriptor;  ///< the lengths of the segments that a PACK keeps
  };
  /// An input of the last run: Value::head(), and its length.
  struct Seen {
    std::uint64_t head = UINT64_MAX;
    std::int64_t length = 0;
  };
  struct Pack {
    vcode::KernelVar elements, descriptor;     ///< results
    vcode::KernelVar source, flags;            ///< operands
    vcode::KernelVar first, first_descriptor;  ///< results of the first PACK with its flags and segments
  };

  Outcome run(Evaluator& evaluator, Value* inputs);
  /// `fault` is the backend's, if it ran out of memory.
  Outcome without_memory(Evaluator& evaluator, const std::optional<Fault>& fault = {}) const;
  void note_descriptors(const vcode::Kernel::Step& step, vcode::Producer producer);
  bool place_inputs(Placement& at, Value* inputs);
  bool place_like_before(Value* inputs);
  bool place_results(Evaluator& evaluator, Placement results);
  bool finish_packs(Evaluator& evaluator);
  void find_sums(const Value* inputs);
  void note_sums(const Value* inputs);
  void note_sum_of(vcode::KernelVar v, std::int64_t sum, const Value* inputs);
  static Value trimmed(Evaluator& evaluator, Value vector, std::int64_t length);

  vcode::KernelVar result_of(std::uint32_t step, std::size_t k = 0) const { return kernel_.steps[step].results[k]; }

  const vcode::Kernel& kernel_;
  KernelPlan& plan_;
  const bool is_exact_;
  KernelShapes shapes_;
  std::vector<vcode::KernelVar> constants_;
  std::vector<std::uint8_t> has_heads_;  ///< by input: whether it is a descriptor that tells the segments of elements
  std::vector<Seen> seen_;               ///< by input
  std::vector<Filled> filled_;
  std::vector<Pack> packs_;
  std::vector<std::uint32_t> summable_;  ///< the steps of whose result the sum follows from those of operands
  // Indexed by the values of the kernel.
  std::vector<Value> values_;  ///< the constants; during a run, the results too
  std::vector<Operand> operands_;
  std::vector<SegmentDescriptor> descriptors_;
  std::vector<Result> results_;
  std::vector<std::int64_t> kept_;
  std::vector<std::int64_t> sums_;  ///< see KernelCall; those of other values follow; -1 if not known
  KernelCall call_;                 ///< of the vectors above
  bool has_plain_outputs_;          ///< none is an input or a constant
  std::vector<Value> outputs_;      ///< between the reading of the inputs and the writing of the outputs
};

}  // namespace runtime
