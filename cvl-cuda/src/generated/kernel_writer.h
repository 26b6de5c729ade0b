#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "generated/generated_kernel.h"
#include "kernels/loop_plan.h"

namespace cvl::cuda {

/// Comment at the end of each line that is written for a step; the step's number follows.
inline constexpr std::string_view kStepMark = "  // step ";

/// Prints the plan of a kernel as C++ text. As blocks wait for the carries of earlier ones, one function computes all
/// steps: the whole of the plan, in up to two phases for a tile. The first has the steps that need no carries, the
/// second those after a scan and the stores of PACKs. A phase is a loop over the elements, with values in registers,
/// followed by its sums, whose carries one look-back passes from tile to tile.
class KernelWriter {
 public:
  KernelWriter(const kernels::LoopPlan& plan, std::span<const vcode::Constant> constants, Form form);
  GeneratedKernel write();

 private:
  using Step = vcode::Kernel::Step;
  using PlanStep = kernels::LoopPlan::Step;
  using Input = kernels::Loop::Input;
  using KernelVar = vcode::KernelVar;
  using Role = KernelArgument::Role;
  /// A reduction or scan of the elements of a tile, or the count of a PACK.
  struct Sum {
    const Step* step;
    std::string name;  ///< name of the member of the carry
    std::string type;  ///< Plain<…>, FirstPosition<…> or Kept<…>
  };
  struct Phase {
    std::string loads;              ///< statements before the loop
    std::string head, body, keeps;  ///< statements for an element: values from elsewhere, steps, copies to Items
    std::string stores;             ///< statements behind the loop
    std::set<KernelVar> known;      ///< values that the loop defines, and descriptors of which it finds the segment
    std::vector<Sum> sums;
    std::string sum_text;                    ///< statements before the look-back
    std::string behind;                      ///< statements behind the look-back
    std::map<KernelVar, std::string> empty;  ///< by descriptor: statements for empty segment k
  };

  // In kernel_writer.cpp: phases and functions.
  void add_step(const PlanStep& s);
  void check_limits();
  void write_functions();
  std::string text_of(const Phase& phase);

  // In write_step.cpp: the steps.
  void add_to_loop(const Step& step, std::string_view text) { phase_->body += marked(step, text); }
  void add_scan(const PlanStep& s);
  void add_reduction(const PlanStep& s);
  void add_count(const PlanStep& s);
  /// Adds a sum to the phase. Returns the operands of its readers: segments, elements, sums of threads, carry.
  std::string add_sum(const PlanStep& s, KernelVar operand, const std::string& name, const std::string& type);
  std::string fold_type(const PlanStep& s);
  /// Appends the comment with the step's number to each line of a text.
  std::string marked(const Step& step, std::string_view text) const;
  std::string map_text(const Step& step);
  std::string made_text(const Input& input);   ///< an element of a DIST or INDEX
  std::string slice_text(const Input& input);  ///< stands before the loop
  std::string not_flagged(const Step& step);
  std::string gather_text(const PlanStep& s);
  std::string scatter_text(const Step& step);
  std::string pack_text(const PlanStep& s);
  std::string ordered_scatter(const Step& step);
  std::string epilogue(const Step& step);
  std::string eval_text(const Step& step, std::span<const std::string> operands);
  /// A statement that reports a fault of the operands; empty if the operation cannot fault.
  std::string fault_text(const Step& step, std::span<const std::string> operands, std::string_view position);

  // Names and types of values.
  std::string name(KernelVar v) const;
  std::string type(KernelVar v) const { return std::string(vcode::elem_name(plan_.values[v].type)); }
  std::string literal(KernelVar v) const;
  std::string element(KernelVar v);  ///< in the loop of the phase
  std::string items(KernelVar v);    ///< before or behind the loop
  std::string per_segment(KernelVar v, std::string_view k);
  std::string segment(KernelVar descriptor);  ///< the segment of an element, in the loop of the phase
  KernelVar segments_of(int segmentation) const {
    return plan_.segmentations[static_cast<std::size_t>(segmentation)];
  }
  std::int64_t element_bytes(KernelVar v) const {
    return static_cast<std::int64_t>(vcode::elem_size(plan_.values[v].type));
  }
  bool is_input(KernelVar v) const { return v < plan_.kernel.input_count; }
  bool is_constant(KernelVar v) const { return plan_.values[v].constant != vcode::Kernel::kNoConstant; }
  bool is_output(KernelVar v) const;
  std::uint32_t number(const Step& step) const {
    return static_cast<std::uint32_t>(&step - plan_.kernel.steps.data());
  }

  // Members of the argument structure.
  std::string argument(Role role, KernelVar v, const std::string& member, std::int64_t bytes, bool cleared);
  std::string vector(KernelVar v) { return argument(Role::kOperand, v, name(v), element_bytes(v), false); }
  std::string descriptor(KernelVar v) { return argument(Role::kDescriptor, v, name(v), 0, false); }
  std::string tile_segments(KernelVar descriptor);  ///< of a descriptor over the index space
  std::string result(KernelVar v, bool cleared = false) {
    return argument(Role::kResult, v, name(v), element_bytes(v), cleared);
  }
  std::string faults() { return argument(Role::kFaults, 0, "faults", 0, false); }

  const kernels::LoopPlan& plan_;
  std::span<const vcode::Constant> constants_;
  Form form_;
  std::vector<const Input*> inputs_;  ///< by value; null if it is none of the loop
  std::vector<const kernels::Loop::Table*> tables_;  ///< by the result of a gather
  Phase phases_[2];
  Phase* phase_ = phases_;       ///< the phase that is being written
  std::vector<Phase*> homes_;    ///< by value: the phase that loads or computes it; for a scan, the phase behind it
  std::set<KernelVar> held_;     ///< values with Items
  std::set<std::string> found_;  ///< names of the positions of slices that are computed
  std::set<KernelVar> segmented_;                  ///< descriptors whose head bits are found
  std::map<std::string, KernelArgument> members_;  ///< by name, so that the order does not depend on the order of use
  GeneratedKernel made_;
};

}  // namespace cvl::cuda
