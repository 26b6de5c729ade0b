#include "form_loop.h"

#include <algorithm>

#include "base/check.h"
#include "find_interior.h"

namespace kernels {

using vcode::Op;
using vcode::Producer;

namespace {

/// Whether loops compute a scatter: a PERMUTE, where the sum of the hashes of targets tells whether one is written
/// twice, or one with defaults, where that is no fault.
bool is_written_in_loop(const LoopPlan::Step& step) {
  return !vcode::has_flags(step.step->op) || vcode::has_defaults(step.step->op);
}

class LoopFormer {
 public:
  LoopFormer(const LoopPlan& plan, Part part, LoopPlan::Stage& stage)
      : plan_(plan), part_(part), stage_(stage), loop_(stage.loop), uses_(plan.values.size()) {}

  void form() {
    loop_.repeated = plan_.kernel.repeated;
    for (const LoopPlan::Step& s : stage_.steps) {
      uses_[s.step->results[0]].step = &s;
      if (s.step->op == Op::kSlice && is_unread(s.step->results[0])) read(s.step->results[0]);
      if (LoopPlan::is_in_loop(s, part_)) {
        read_operands(s);
        add(s);
      } else {
        note_readers_around(s);
      }
      if (s.producer == Producer::kReduce || passes_carry_on(s)) {
        read(s.step->operands[0]);
        loop_.folds.push_back({.step = s.step, .number = s.number, .segmentation = s.segmentation});
      }
      if (s.counts && part_ != Part::kAfter) uses_[s.step->operands[1]].in_flat = true;
    }
    for (const LoopPlan::Step& s : stage_.steps) add_output(s);
    find_lanes();
    find_product();
    loop_.interior = find_interior(loop_, plan_.kernel.values.size());
    loop_.add_members(plan_.kernel.values);
  }

 private:
  /// Where a value is used in this stage.
  struct Uses {
    const LoopPlan::Step* step = nullptr;       ///< the step of the stage that makes it
    bool computed = false, read = false;        ///< by the loop
    bool in_flat = false, in_nest = false;      ///< needed in memory, to be read around the loop
    bool by_others = false;                     ///< around the loop, by others than folds and arg-reductions
  };

  bool passes_carry_on(const LoopPlan::Step& s) const {
    return s.producer == Producer::kScan && (part_ == Part::kBefore || plan_.is_by_blocks(s));
  }

  /// Whether no step reads a value. The bounds of a SLICE are checked even then.
  bool is_unread(KernelVar v) const {
    return std::ranges::none_of(plan_.kernel.steps, [&](const vcode::Kernel::Step& step) {
      return std::ranges::find(step.operands, v) != step.operands.end();
    });
  }

  /// Makes a value an input of the loop, unless it computes it.
  void read(KernelVar v) {
    Uses& uses = uses_[v];
    if (uses.computed || uses.read) return;
    uses.read = true;
    loop_.inputs.push_back(input(v));
  }

  void read_operands(const LoopPlan::Step& s) {
    const vcode::Signature& signature = vcode::info(s.step->op).signature;
    for (std::size_t k = 0; k < s.step->operands.size(); ++k) {
      const KernelVar v = s.step->operands[k];
      if (s.producer == Producer::kGather && k == 0) loop_.gathers.push_back({s.step, table(s)});
      if (vcode::goes_over(s.step->op, static_cast<int>(k)) &&
          signature.operands[k].type != vcode::RoleType::kSegdes)
        read(v);
    }
  }

  /// Index of the table of a gather.
  int table(const LoopPlan::Step& gather) {
    const KernelVar value = gather.step->operands[0],
                    descriptor = gather.step->operands[static_cast<std::size_t>(descriptor_like(*gather.step, 0))];
    const auto is_same = [&](const Loop::Table& table) {
      return table.value == value && table.descriptor == descriptor && table.segmentation == gather.segmentation;
    };
    const auto found = std::ranges::find_if(loop_.tables, is_same);
    const auto number = static_cast<int>(found - loop_.tables.begin());
    if (found == loop_.tables.end())
      loop_.tables.push_back({.value = value, .descriptor = descriptor, .segmentation = gather.segmentation});
    return number;
  }

  Loop::Input input(KernelVar v) const {
    Loop::Input input;
    input.value = v;
    const LoopPlan::Step* made = uses_[v].step;
    if (made == nullptr || made->producer != Producer::kSpread) return input;
    const std::vector<KernelVar>& operands = made->step->operands;
    input.segmentation = made->segmentation;
    input.maker = made->step;
    input.segments = operands[made->step->op == Op::kSlice ? 1 : 0];
    if (made->step->op == Op::kDist) {
      input.access = Loop::Access::kSpread;
      input.is_constant = plan_.values[input.segments].constant != vcode::Kernel::kNoConstant;
    } else if (made->step->op == Op::kIndex) {
      input.access = Loop::Access::kProgression;
      input.stride = operands[1];
    } else {
      VC_CHECK(made->step->op == Op::kSlice);
      input.access = Loop::Access::kSlice;
      input.table = operands[0];
    }
    return input;
  }

  void add(const LoopPlan::Step& s) {
    loop_.steps.push_back(s.step);
    if (s.producer == Producer::kScan) loop_.scans_by_blocks |= plan_.is_by_blocks(s);
    if (s.producer == Producer::kScan)
      loop_.scans.push_back({.step = s.step,
                             .number = s.number,
                             .segmentation = s.segmentation});
    if (s.producer == Producer::kPack) {
      loop_.packs.push_back({.step = s.step,
                             .number = s.packed,
                             .count = s.number,
                             .counts = s.counts && part_ != Part::kAfter,
                             .segmentation = s.segmentation});
      return;
    }
    if (s.producer == Producer::kScatter) {
      loop_.scatters.push_back({.step = s.step, .number = s.number});
      return;
    }
    uses_[s.step->results[0]].computed = true;
  }

  /// Notes the values that a step reads around the loop.
  void note_readers_around(const LoopPlan::Step& s) {
    const auto need = [&](KernelVar v, bool in_nest) {
      Uses& uses = uses_[v];
      uses.in_flat = true;
      uses.in_nest |= in_nest;
      uses.by_others |= !vcode::is_reduction(s.producer);
      if (uses.step != nullptr && uses.step->producer == Producer::kSpread) read(v);
    };
    switch (s.producer) {
      case Producer::kScan:
      case Producer::kReduce:
        return need(s.step->operands[0], false);
      case Producer::kArgReduce:
        return need(s.step->operands[0], true);
      case Producer::kPack:
        return need(s.step->operands[1], true);
      case Producer::kScatter:
        for (std::size_t k = 0; k < s.step->operands.size(); ++k)
          if (plan_.kernel.values[s.step->operands[k]].kind != vcode::Kind::kSegdes) need(s.step->operands[k], true);
        return;
      default:
        VC_CHECK(s.producer == Producer::kSpread);
    }
  }

  /// Adds the output for the value that a step makes, if it is needed in memory. A spread value is written around a
  /// flat loop.
  void add_output(const LoopPlan::Step& s) {
    const KernelVar v = s.step->results[0];
    const Uses& uses = uses_[v];
    const LoopPlan::Value& value = plan_.values[v];
    const bool is_spread = s.producer == Producer::kSpread;
    if (!uses.computed && !is_spread) return;
    const bool lasts = value.materialised && (part_ == Part::kAll || s.after_scan == (part_ == Part::kAfter));
    const bool stays = lasts || (part_ == Part::kBefore && value.kept);
    if (!stays && !uses.in_flat) return;
    if (is_spread) {
      if (!stays && !uses.in_nest) return;
      read(v);
    }
    loop_.outputs.push_back({.value = v,
                             .in_flat = !is_spread,
                             .in_nest = stays || uses.in_nest,
                             .may_stream = lasts && !value.kept && !uses.in_flat && elem_size(value.type) > 1});
  }

  /// Sets Loop::lanes and adds the arg-reductions of the stage, if lanes can compute all of it: if all inputs are made
  /// from values per segment and only folds and arg-reductions read what the loop computes.
  void find_lanes() {
    if (plan_.has_carries() || loop_.repeated > 0 || !loop_.scatters.empty()) return;
    const auto is_reduced = [&](const Loop::Output& output) {
      return !plan_.values[output.value].materialised && !uses_[output.value].by_others;
    };
    const auto is_known = [&](const LoopPlan::Step& s) {
      const Uses& uses = uses_[s.step->operands[0]];
      return s.producer != Producer::kArgReduce || uses.computed || uses.read;
    };
    const bool made = std::ranges::all_of(loop_.inputs, [](const Loop::Input& input) { return input.is_made(); });
    if (!made || !std::ranges::all_of(loop_.outputs, is_reduced) || !std::ranges::all_of(stage_.steps, is_known))
      return;
    for (const LoopPlan::Step& s : stage_.steps)
      if (s.producer == Producer::kArgReduce)
        loop_.arg_reductions.push_back({.step = s.step, .segmentation = s.segmentation});
    loop_.lanes = !loop_.arg_reductions.empty() || !loop_.folds.empty();
  }

  /// Sets Loop::product if segments may be pairs of rows and columns, which is known at run time.
  void find_product() {
    if (!loop_.lanes || loop_.folds.size() != 1 || !loop_.arg_reductions.empty() || !loop_.gathers.empty()) return;
    std::optional<KernelVar> rows, columns;
    for (const Loop::Input& input : loop_.inputs) {
      if (input.access == Loop::Access::kSpread) continue;
      if (input.access != Loop::Access::kSlice) return;
      if (!rows) rows = input.segments;
      if (input.segments == rows || input.segments == columns) continue;
      if (columns) return;
      columns = input.segments;
    }
    if (columns) loop_.product = {.rows = *rows, .columns = *columns};
  }

  const LoopPlan& plan_;
  const Part part_;
  LoopPlan::Stage& stage_;
  Loop& loop_;
  std::vector<Uses> uses_;
};

}  // namespace

bool LoopPlan::is_in_loop(const Step& step, Part part) {
  switch (step.producer) {
    case Producer::kMap:
    case Producer::kGather:
      return true;
    case Producer::kScatter:
      return is_written_in_loop(step);
    case Producer::kScan:
      return part != Part::kBefore;
    case Producer::kPack:
      return part != Part::kBefore || !step.after_scan;
    default:
      return false;
  }
}

void form_loop(const LoopPlan& plan, Part part, LoopPlan::Stage& stage) { LoopFormer(plan, part, stage).form(); }

}  // namespace kernels
