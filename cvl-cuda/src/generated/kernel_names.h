#pragma once

#include <algorithm>
#include <cctype>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generated/generated_kernel.h"
#include "kernels/loop_plan.h"
#include "vcode/kernel_rules.h"

namespace cvl::cuda {

/// The descriptor, an operand of the step, of an operand's elements, or of the result's if `operand` is -1.
inline vcode::KernelVar descriptor_of(const vcode::Kernel::Step& step, int operand) {
  return step.operands[static_cast<std::size_t>(vcode::descriptor_like(step, operand))];
}

inline constexpr vcode::KernelVar kNone = UINT32_MAX;

/// The operand with this number; kNone for -1.
inline vcode::KernelVar operand_of(const vcode::Kernel::Step& step, int number) {
  return number < 0 ? kNone : step.operands[static_cast<std::size_t>(number)];
}

/// Names of the values of a kernel in its text, and the members of the structure `a`, its argument. They are added
/// when the text first names them.
class KernelNames {
 public:
  using KernelVar = vcode::KernelVar;
  using Role = KernelArgument::Role;

  KernelNames(const kernels::LoopPlan& plan, std::span<const vcode::Constant> constants)
      : plan_(plan), constants_(constants) {}

  std::string name(KernelVar v) const {
    std::string text;
    for (const char c : plan_.kernel.values[v].name)
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) text += c;
    return fmt::format("{}{}_{}", text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0 ? "v" : "",
                       text, v);
  }
  std::string_view type(KernelVar v) const { return vcode::elem_name(plan_.values[v].type); }
  bool is_input(KernelVar v) const { return v < plan_.kernel.input_count; }
  bool is_constant(KernelVar v) const { return plan_.values[v].constant != vcode::Kernel::kNoConstant; }
  bool is_output(KernelVar v) const { return std::ranges::find(plan_.kernel.outputs, v) != plan_.kernel.outputs.end(); }
  std::uint32_t number(const vcode::Kernel::Step& step) const {
    return static_cast<std::uint32_t>(&step - plan_.kernel.steps.data());
  }

  /// Appends the comment with the step's number to each line of a text.
  std::string marked(const vcode::Kernel::Step& step, std::string_view text) const {
    std::string lines;
    for (const char c : text) lines += c == '\n' ? fmt::format("{}{}\n", kStepMark, number(step)) : std::string(1, c);
    return lines;
  }

  /// Whether the steps of a loop are repeated: if none can have a fault, which a device may report when the program has
  /// gone on.
  bool is_repeated() const {
    return plan_.kernel.repeated > 0 && std::ranges::none_of(plan_.whole.steps, [](const kernels::LoopPlan::Step& s) {
             return s.producer == vcode::Producer::kGather || vcode::info(s.step->op).can_fault(s.step->suffix);
           });
  }

  std::string literal(KernelVar v) const {
    const vcode::Constant& constant = constants_[plan_.values[v].constant];
    if (!constant.bools.empty()) return constant.bools[0] != 0 ? "true" : "false";
    if (!constant.floats.empty()) return fmt::format("{}({:a})", type(v), constant.floats[0]);
    // INT64_MIN has no literal in C++.
    return constant.ints[0] == INT64_MIN ? "lowest<i64>()" : fmt::format("{}({}ll)", type(v), constant.ints[0]);
  }

  std::string argument(Role role, KernelVar v, const std::string& member, std::int64_t bytes = 0,
                       bool cleared = false) {
    members_.emplace(member, KernelArgument{role, v, bytes, cleared});
    return "a." + member;
  }
  std::string vector(KernelVar v, Role role = Role::kOperand, bool cleared = false) {
    return argument(role, v, name(v), static_cast<std::int64_t>(vcode::elem_size(plan_.values[v].type)), cleared);
  }
  std::string result(KernelVar v, bool cleared = false) { return vector(v, Role::kResult, cleared); }
  std::string descriptor(KernelVar v) { return argument(Role::kDescriptor, v, name(v)); }
  std::string faults() { return argument(Role::kFaults, 0, "faults"); }
  /// A vector over the index space; in working memory if it is neither an input nor an output.
  std::string whole(KernelVar v) {
    return vector(v, is_input(v) ? Role::kOperand : is_output(v) ? Role::kResult : Role::kSource);
  }
  /// A statement that reports a fault of the operands; empty if the operation cannot fault.
  std::string fault_text(const vcode::Kernel::Step& step, std::span<const std::string> operands,
                         std::string_view position) {
    if (!vcode::info(step.op).can_fault(step.suffix)) return "";
    return fmt::format("    report({0}, rows::{1}::fault<{2}>({3}), {4}, {5}, culprit({3}), bound_of({3}));\n",
                       faults(), vcode::info(step.op).name, type(step.results[0]),
                       fmt::to_string(fmt::join(operands, ", ")), number(step), position);
  }
  /// The value for segment `k`.
  std::string per_segment(KernelVar v, std::string_view k) {
    if (is_constant(v)) return literal(v);
    if (!is_input(v)) return fmt::format("{}.as<{}>()[{}]", result(v), type(v), k);
    return fmt::format("{}.of<{}>({})", argument(Role::kPerSegment, v, "each_" + name(v)), type(v), k);
  }

  /// By name, so that the order does not depend on the order of use.
  const std::map<std::string, KernelArgument>& members() const { return members_; }
  /// The members with their types, defined in kernel_prelude.h.
  std::string declarations(Form form) const {
    std::string text;
    for (const auto& [name, member] : members_) {
      const std::string_view type = member.role == Role::kFaults       ? "Faults"
                                    : member.role == Role::kTicket     ? "Ticket"
                                    : member.role == Role::kPosts      ? "Posts"
                                    : member.role == Role::kReply      ? "Reply"
                                    : member.role == Role::kPerSegment ? "PerSegment"
                                    : member.role != Role::kDescriptor ? "Vector"
                                    : form == Form::kOneSegment        ? "OneSegment"
                                                                       : "Segments";
      text += fmt::format("  {} {};\n", type, name);
    }
    return text;
  }

 private:
  const kernels::LoopPlan& plan_;
  std::span<const vcode::Constant> constants_;
  std::map<std::string, KernelArgument> members_;
};

}  // namespace cvl::cuda
