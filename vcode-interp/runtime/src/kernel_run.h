#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <vector>

#include "placement.h"
#include "runtime/evaluator.h"
#include "runtime/prepared_kernel.h"

namespace runtime {

/// One run of a kernel by the backend. The inputs stay as they are until leave_outputs() replaces them.
class KernelRun {
 public:
  KernelRun(Evaluator& evaluator, const PreparedKernel& kernel, Value* inputs);
  KernelRun(const KernelRun&) = delete;

  /// Lets the backend compute the outputs, in one go. Returns false, and reports nothing, if that is not possible.
  bool in_one_go();
  /// Replaces the inputs by the outputs.
  void leave_outputs();

 private:
  /// The lengths of a value, known before the value is computed.
  struct Shape {
    std::int64_t length = -1;    ///< elements of a vector or descriptor; -1: not known yet
    std::int64_t segments = -1;  ///< of a descriptor
  };

  Placement on_device() { return {ev_.at_, false}; }
  bool bind_shapes();
  bool bind_step(const vcode::Kernel::Step& step);
  bool follows_the_index_space(vcode::KernelVar v) const;
  bool place_operands();
  bool place_results();
  bool place_pack(std::uint32_t step);
  bool finish_packs();
  Value trimmed(Value vector, std::int64_t length);

  vcode::KernelVar result_of(std::uint32_t step, std::size_t k = 0) const { return kernel_.steps[step].results[k]; }

  Evaluator& ev_;
  const PreparedKernel& prepared_;
  const vcode::Kernel& kernel_;
  Value* inputs_;

  /// Buffer of the members below, which are indexed by the kernel's values: runs over short vectors are so frequent
  /// that heap allocation would take longer than the kernels.
  std::array<std::byte, 8192> room_;
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
  std::pmr::vector<Value> values_{&memory_};  ///< as far as they exist
  std::pmr::vector<Shape> shapes_{&memory_};
  std::pmr::vector<Operand> operands_{&memory_};
  std::pmr::vector<SegmentMap> maps_{&memory_};
  std::pmr::vector<Result> results_{&memory_};
  std::pmr::vector<std::int64_t> kept_{&memory_};
};

}  // namespace runtime
