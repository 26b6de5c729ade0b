#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "generated/generated_kernel.h"
#include "vcode/kernel_rules.h"

namespace cvl::cuda {

/// Comment at the end of each line that is written for a step; the step's number follows.
inline constexpr std::string_view kStepMark = "  // step ";

/// Writes one kernel. Its function computes a tile in up to two stages: steps that do not depend on a scan of the
/// kernel, and steps that do. A stage is a loop over the elements, with values in registers, followed by the sums of
/// the stage, whose carries one look-back passes from tile to tile.
class KernelWriter {
 public:
  KernelWriter(const vcode::Kernel& kernel, std::span<const vcode::Constant> constants, vcode::Widths widths,
               Form form);
  GeneratedKernel write();

 private:
  using Step = vcode::Kernel::Step;
  using KernelVar = vcode::KernelVar;
  using Role = KernelArgument::Role;
  /// A reduction or scan of the threads' elements of `items`, or the count of a PACK.
  struct Sum {
    const Step* step;
    std::string name;           ///< name of the member of the carry
    std::string type;           ///< Plain<…>, FirstPosition<…> or Kept<…>
    KernelVar items = 0;        ///< the operand
    std::string tile_segments;  ///< name of the head bits of its segments
  };
  struct Stage {
    std::vector<const Step*> steps;  ///< steps of the loop, in order
    std::vector<Sum> sums;
    std::string behind;                           ///< statements after the look-back
    std::map<KernelVar, std::string> empty = {};  ///< by descriptor: statements for empty segment k
  };

  // In kernel_writer.cpp: the structure of the kernel.
  void plan();
  void plan_step(const Step& step);
  void plan_fold(const Step& step);
  void plan_pack(const Step& step);
  void check_limits();
  void write_functions();
  std::string stage_loop(int s);
  std::string stage_sums(int s);
  std::string epilogue(const Step& step);

  // In write_step.cpp: the steps of a loop.
  std::string step_text(const Step& step);
  /// Appends the comment with the step's number to each line of a text.
  std::string marked(const Step& step, std::string_view text) const;
  std::string keep_text(KernelVar v) const;
  std::string map_text(const Step& step);
  std::string spread_text(const Step& step);
  std::string slice_text(const Step& step);  ///< stands before the loop
  std::string gather_text(const Step& step);
  std::string scatter_text(const Step& step);
  std::string pack_text(const Step& step);
  std::string ordered_scatter(const Step& step);
  std::string eval_text(const Step& step, std::span<const std::string> operands);
  /// A statement that reports a fault of the operands; empty if the operation cannot fault.
  std::string fault_text(const Step& step, std::span<const std::string> operands, std::string_view position);

  // Names and types of values.
  std::string name(KernelVar v) const;
  std::string type(KernelVar v) const;
  std::string literal(KernelVar v) const;
  std::string items(KernelVar v) const { return "items_" + name(v); }
  std::string element(KernelVar v);  ///< in a loop
  std::string per_segment(KernelVar v, std::string_view k);
  std::string segment(KernelVar descriptor);  ///< the segment of an element, in a loop
  std::int64_t element_bytes(KernelVar v) const {
    return static_cast<std::int64_t>(vcode::elem_size(widths_.of(kernel_.values[v].kind)));
  }
  bool is_input(KernelVar v) const { return v < kernel_.input_count; }
  bool is_output(KernelVar v) const;
  bool is_slice(KernelVar v) const;
  int stage_of(KernelVar v) const { return facts_.after_scan[v] ? 1 : 0; }
  std::uint32_t number(const Step& step) const { return static_cast<std::uint32_t>(&step - kernel_.steps.data()); }
  /// The descriptor, an operand of the step, of an operand's elements, or of the result's if `operand` is -1.
  static KernelVar descriptor_like(const Step& step, int operand);
  KernelVar first_pack(const Step& step) const;  ///< elements of the first pack with the same flags and segments

  // Members of the argument structure.
  std::string argument(Role role, KernelVar v, const std::string& member, std::int64_t bytes, bool cleared);
  std::string vector(KernelVar v);
  std::string descriptor(KernelVar v);
  std::string tile_segments(KernelVar descriptor);  ///< of a descriptor over the index space
  std::string result(KernelVar v);
  std::string faults();

  const vcode::Kernel& kernel_;
  std::span<const vcode::Constant> constants_;
  vcode::Widths widths_;
  Form form_;
  vcode::KernelFacts facts_;
  std::vector<const Step*> maker_;    ///< by value: the step that computes it
  std::vector<bool> held_;            ///< by value: kept in registers after its loop
  std::vector<bool> loaded_;          ///< by input: its elements are loaded
  std::vector<bool> needs_segments_;  ///< by input: its head bits are computed
  Stage stages_[2];
  std::string number_;
  std::vector<const Step*> slices_, epilogues_, ordered_scatters_;
  std::set<std::string> sliced_;  ///< names of the positions of slices that are already computed
  // State of the loop that is being written.
  int loop_ = 0;
  std::vector<bool> at_hand_;  ///< by value: loop_head_ defines it
  std::vector<bool> located_;  ///< by descriptor: loop_head_ finds the segment of an element
  std::string loop_head_;
  std::map<std::string, KernelArgument> members_;  ///< by name, so that the order does not depend on the order of use
  GeneratedKernel made_;
};

}  // namespace cvl::cuda
