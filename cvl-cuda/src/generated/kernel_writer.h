#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "generated/generated_kernel.h"
#include "vcode/kernel_rules.h"

namespace cvl::cuda {

/// What ends each line that is written for a step, before the step's number.
inline constexpr std::string_view kStepMark = "  // step ";

/// Writes one kernel. Its function computes a tile in up to two stages: what does not depend on a scan of the kernel,
/// and what does. A stage is a loop over the elements, with values in registers; behind it are the sums of the stage,
/// which one look-back hands from tile to tile.
class KernelWriter {
 public:
  KernelWriter(const vcode::Kernel& kernel, std::span<const vcode::Constant> constants, vcode::Widths widths,
               Form form);
  GeneratedKernel write();

 private:
  using Step = vcode::Kernel::Step;
  using KernelVar = vcode::KernelVar;
  using Role = KernelArgument::Role;
  /// A reduction or scan over what the threads hold of `items`, or what a PACK counts.
  struct Sum {
    const Step* step;
    std::string name;     ///< of the member of the carry
    std::string type;     ///< Plain<…> or FirstPlace<…>
    KernelVar items = 0;  ///< the operand
    std::string cuts;     ///< where segments begin, as an expression
  };
  struct Stage {
    std::vector<const Step*> steps;  ///< of the loop, in order
    std::vector<Sum> sums;
    std::string behind;                           ///< what to do when the carry is known
    std::map<KernelVar, std::string> empty = {};  ///< of each descriptor: what to do for empty segment k
  };

  // kernel_writer.cpp: the whole.
  void plan();
  void plan_step(const Step& step);
  void plan_fold(const Step& step);
  void plan_pack(const Step& step);
  void check_limits();
  void write_functions();
  std::string stage_loop(int s);
  std::string stage_sums(int s);
  std::string epilogue(const Step& step);

  // write_step.cpp: the steps of a loop.
  std::string step_text(const Step& step);
  /// Text for a step, of which each line is to name the step.
  std::string marked(const Step& step, std::string_view text) const;
  std::string keep_text(KernelVar v) const;
  std::string map_text(const Step& step);
  std::string spread_text(const Step& step);
  std::string slice_text(const Step& step);  ///< in front of the loop
  std::string gather_text(const Step& step);
  std::string scatter_text(const Step& step);
  std::string pack_text(const Step& step);
  std::string ordered_scatter(const Step& step);
  std::string eval_text(const Step& step, std::span<const std::string> operands);
  /// Reports what is wrong with the operands, if that can be; else empty.
  std::string fault_text(const Step& step, std::span<const std::string> operands, std::string_view position);

  // Values.
  std::string name(KernelVar v) const;
  std::string type(KernelVar v) const;
  std::string literal(KernelVar v) const;
  std::string items(KernelVar v) const { return "items_" + name(v); }
  std::string element(KernelVar v);  ///< in a loop
  std::string per_segment(KernelVar v, std::string_view k);
  std::string segment(KernelVar descriptor);  ///< the one of an element, in a loop
  std::int64_t element_bytes(KernelVar v) const {
    return static_cast<std::int64_t>(vcode::elem_size(widths_.of(kernel_.values[v].kind)));
  }
  bool is_input(KernelVar v) const { return v < kernel_.input_count; }
  bool is_output(KernelVar v) const;
  bool is_slice(KernelVar v) const;
  int stage_of(KernelVar v) const { return facts_.after_scan[v] ? 1 : 0; }
  std::uint32_t number(const Step& step) const { return static_cast<std::uint32_t>(&step - kernel_.steps.data()); }
  /// The operand that is the descriptor with as many elements as this one; as the result, if it is -1.
  static KernelVar descriptor_like(const Step& step, int operand);
  KernelVar first_pack(const Step& step) const;  ///< elements of the first with the same flags and segments

  // Arguments.
  std::string argument(Role role, KernelVar v, const std::string& member, std::int64_t bytes, bool cleared);
  std::string vector(KernelVar v);
  std::string descriptor(KernelVar v);
  std::string cuts(KernelVar descriptor);  ///< of one over the index space
  std::string result(KernelVar v);
  std::string faults();

  const vcode::Kernel& kernel_;
  std::span<const vcode::Constant> constants_;
  vcode::Widths widths_;
  Form form_;
  vcode::KernelFacts facts_;
  std::vector<const Step*> maker_;  ///< of each value that a step computes
  std::vector<bool> held_;          ///< of each value: threads hold it beyond a loop
  std::vector<bool> loaded_;        ///< of each input: there are items
  std::vector<bool> cut_;           ///< of each input: there are cuts
  Stage stages_[2];
  std::string number_;
  std::vector<const Step*> slices_, epilogues_, ordered_scatters_;
  std::set<std::string> sliced_;  ///< places of slices that are known
  // Of the loop that is being written.
  int loop_ = 0;
  std::vector<bool> at_hand_;  ///< values that loop_head_ defines
  std::vector<bool> located_;  ///< descriptors in which loop_head_ finds the segment of an element
  std::string loop_head_;
  std::map<std::string, KernelArgument> members_;  ///< by name; what is asked for first does not tell
  GeneratedKernel made_;
};

}  // namespace cvl::cuda
