#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/loop_plan.h"
#include "verify_loop.h"

namespace kernels {

using vcode::Kernel;
using vcode::Kind;
using vcode::Producer;

namespace {

/// Verifies what the stages of a plan have in common: its values, its steps and how stages share them.
class PlanVerifier {
 public:
  explicit PlanVerifier(const LoopPlan& plan)
      : plan_(plan), kernel_(plan.kernel), facts_(vcode::look_at(plan.kernel)), mistake_(plan.kernel) {}

  std::string run() {
    mistake_.expect(facts_.error.empty(), "the kernel: {}", facts_.error);
    mistake_.expect(plan_.values.size() == kernel_.values.size(), "{} values instead of {}", plan_.values.size(),
                    kernel_.values.size());
    for (const auto verify : {&PlanVerifier::values, &PlanVerifier::segmentations, &PlanVerifier::steps,
                              &PlanVerifier::numbers, &PlanVerifier::epilogues, &PlanVerifier::stages,
                              &PlanVerifier::kept_values})
      if (!mistake_.found()) (this->*verify)();
    for (const Part part : {Part::kAll, Part::kBefore, Part::kAfter})
      if (!mistake_.found() && has(part)) verify_loop(plan_, part, mistake_);
    return mistake_.text();
  }

 private:
  bool has(Part part) const {
    return part == Part::kAll || (part == Part::kBefore ? plan_.before.has_value() : plan_.after.has_value());
  }

  /// Types, and places of values in memory. Since look_at() has checked the kinds of operands, operands have the types
  /// that their steps need if all INTs have one type, and all FLOATs.
  void values() {
    std::vector<ElemType> ints, floats;
    std::vector<bool> slots(static_cast<std::size_t>(std::max(plan_.slots, 0)));
    for (KernelVar v = 0; v < plan_.values.size(); ++v) {
      const LoopPlan::Value& value = plan_.values[v];
      const Kind kind = kernel_.values[v].kind;
      const ElemType type = value.type;
      if (kind == Kind::kBool || kind == Kind::kByte) {
        mistake_.expect(type == (kind == Kind::kBool ? ElemType::kB8 : ElemType::kU8), "{} is stored as {}",
                        mistake_.name(v), vcode::elem_name(type));
      } else {
        const bool is_float = kind == Kind::kFloat;
        const bool fits = is_float ? type == ElemType::kF32 || type == ElemType::kF64
                                   : type == ElemType::kI32 || type == ElemType::kI64;
        std::vector<ElemType>& same = is_float ? floats : ints;
        same.push_back(type);
        mistake_.expect(fits && type == same[0], "{} is stored as {}", mistake_.name(v), vcode::elem_name(type));
      }
      if (value.slot >= 0) {
        const auto slot = static_cast<std::size_t>(value.slot);
        mistake_.expect(!value.materialised, "{} has a tile, although it is in memory as a whole", mistake_.name(v));
        if (mistake_.expect(slot < slots.size() && !slots[slot], "{} has tile {}, which is not its own",
                            mistake_.name(v), slot))
          slots[slot] = true;
      }
    }
    mistake_.expect(std::ranges::count(slots, false) == 0, "a tile has no value");
    for (const KernelVar v : kernel_.outputs)
      mistake_.expect(plan_.values[v].materialised, "the result {} is not in memory", mistake_.name(v));
    std::vector<std::uint32_t> constants(plan_.values.size(), Kernel::kNoConstant);
    for (const Kernel::Step& step : kernel_.steps)
      if (step.is_constant()) constants[step.results[0]] = step.constant;
    for (KernelVar v = 0; v < plan_.values.size(); ++v)
      mistake_.expect(plan_.values[v].constant == constants[v], "{} has another constant", mistake_.name(v));
  }

  void segmentations() {
    std::vector<bool> seen(plan_.values.size());
    for (const KernelVar v : plan_.segmentations) {
      const bool is_descriptor = v < kernel_.input_count && kernel_.values[v].kind == Kind::kSegdes;
      if (mistake_.expect(is_descriptor && !seen[v], "{} is not a descriptor of its own", mistake_.name(v)))
        seen[v] = true;
    }
  }

  bool has_segmentation(int number) const {
    return number >= 0 && static_cast<std::size_t>(number) < plan_.segmentations.size();
  }

  /// The steps of the whole: those of the kernel, but for constants and epilogues, with the facts about them.
  void steps() {
    auto next = plan_.whole.steps.begin();
    std::vector<int> by_blocks;
    bool in_order = false;
    for (const Kernel::Step& step : kernel_.steps) {
      const Producer producer = step.is_constant() ? Producer::kConstant : facts_.producers[step.results[0]];
      if (step.is_constant() || producer == Producer::kEpilogue) continue;
      const std::string name = mistake_.name(&step);
      if (!mistake_.expect(next != plan_.whole.steps.end() && next->step == &step, "the step of {} is missing", name))
        return;
      const LoopPlan::Step& s = *next++;
      in_order |= plan_.depends_on_order(step);
      if (!mistake_.expect(s.producer == producer, "{} has another producer", name)) return;
      const bool after_scan =
          producer == Producer::kScan ||
          std::ranges::any_of(step.operands, [&](KernelVar v) { return bool{facts_.after_scan[v]}; });
      mistake_.expect(s.after_scan == after_scan, "{} does not tell whether it needs carries", name);
      segmentation(s, name);
      if (plan_.is_by_blocks(s) && std::ranges::count(by_blocks, s.segmentation) == 0)
        by_blocks.push_back(s.segmentation);
    }
    mistake_.expect(next == plan_.whole.steps.end(), "there are more steps than in the kernel");
    mistake_.expect(plan_.in_order == in_order, "the order of writes is not that of the scatters");
    mistake_.expect(std::ranges::is_permutation(plan_.block_segmentations, by_blocks),
                    "the descriptors of folds by blocks are others");
  }

  void segmentation(const LoopPlan::Step& s, const std::string& name) {
    if (s.producer == Producer::kMap) {
      mistake_.expect(s.segmentation == -1, "{} has segments, although it is elementwise", name);
      return;
    }
    const int like = s.producer == Producer::kSpread ? -1 : s.producer == Producer::kGather ? 1 : 0;
    const KernelVar descriptor = s.step->operands[static_cast<std::size_t>(vcode::descriptor_like(*s.step, like))];
    mistake_.expect(has_segmentation(s.segmentation) &&
                        plan_.segmentations[static_cast<std::size_t>(s.segmentation)] == descriptor,
                    "{} has other segments than {}", name, mistake_.name(descriptor));
  }

  /// Each scan, reduction and so on has a number of its own, under which its carry or result is kept.
  void numbers() {
    struct Count {
      std::string_view name;
      int expected;
      int seen = 0;
    };
    Count scans{"scan", plan_.scans}, reductions{"reduction", plan_.reductions},
        arg_reductions{"arg-reduction", plan_.arg_reductions}, scatters{"scatter", plan_.scatters},
        packs{"PACK", plan_.packs}, counts{"count", plan_.counts};
    const auto take = [&](Count& count, int number, const LoopPlan::Step& s) {
      mistake_.expect(number == count.seen, "{} {} is {}", count.name, count.seen, mistake_.name(s.step));
      ++count.seen;
    };
    for (const LoopPlan::Step& s : plan_.whole.steps) {
      if (s.producer == Producer::kScan) take(scans, s.number, s);
      if (s.producer == Producer::kReduce) take(reductions, s.number, s);
      if (s.producer == Producer::kArgReduce) take(arg_reductions, s.number, s);
      if (s.producer == Producer::kScatter) take(scatters, s.number, s);
      const bool is_pack = s.producer == Producer::kPack;
      mistake_.expect(is_pack || (!s.counts && s.packed == -1), "{} counts like a PACK", mistake_.name(s.step));
      if (!is_pack) continue;
      take(packs, s.packed, s);
      const auto step = static_cast<std::uint32_t>(s.step - kernel_.steps.data());
      const Kernel::Step* const first = &kernel_.steps[vcode::first_pack_like(kernel_, step)];
      mistake_.expect(s.counts == (s.step == first), "{} counts what another PACK counts", mistake_.name(s.step));
      const auto counting = std::ranges::find(plan_.whole.steps, first, &LoopPlan::Step::step);
      if (s.counts) take(counts, s.number, s);
      mistake_.expect(s.number == counting->number, "{} has another count than {}", mistake_.name(s.step),
                      mistake_.name(first));
    }
    for (const Count& count : {scans, reductions, arg_reductions, scatters, packs, counts})
      mistake_.expect(count.seen == count.expected, "the number of {}s is {}, not {}", count.name, count.seen,
                      count.expected);
  }

  void epilogues() {
    auto next = plan_.epilogues.begin();
    std::vector<int> numbers(plan_.values.size(), -1);
    for (const Kernel::Step& step : kernel_.steps) {
      if (step.is_constant() || facts_.producers[step.results[0]] != Producer::kEpilogue) continue;
      const std::string name = mistake_.name(&step);
      if (!mistake_.expect(next != plan_.epilogues.end() && next->step == &step, "the epilogue {} is missing", name))
        return;
      numbers[step.results[0]] = static_cast<int>(next - plan_.epilogues.begin());
      mistake_.expect(next->segmentation == -1 || has_segmentation(next->segmentation), "{} has no segments", name);
      for (const KernelVar v : step.operands) {
        if (next->segmentation < 0)
          mistake_.expect(plan_.values[v].materialised, "{} reads {}, which is not in memory", name, mistake_.name(v));
        else if (facts_.producers[v] != Producer::kInput)
          mistake_.expect(plan_.values[v].segments_of == next->segmentation, "{} reads {}, which has other segments",
                          name, mistake_.name(v));
      }
      ++next;
    }
    mistake_.expect(next == plan_.epilogues.end(), "there are more epilogues than in the kernel");
    for (KernelVar v = 0; v < plan_.values.size(); ++v)
      mistake_.expect(plan_.values[v].epilogue == numbers[v], "{} is of another epilogue", mistake_.name(v));
  }

  /// The steps of a stage are some of the whole ones, in their order, with the same facts.
  void subset(const LoopPlan::Stage& stage, std::string_view name) {
    auto at = plan_.whole.steps.begin();
    for (const LoopPlan::Step& s : stage.steps) {
      at = std::find_if(at, plan_.whole.steps.end(), [&](const LoopPlan::Step& other) { return other.step == s.step; });
      if (!mistake_.expect(at != plan_.whole.steps.end(), "{} carries: {} is no step, or in another order", name,
                           mistake_.name(s.step)))
        return;
      const bool same = s.producer == at->producer && s.after_scan == at->after_scan && s.counts == at->counts &&
                        s.segmentation == at->segmentation && s.number == at->number && s.packed == at->packed;
      mistake_.expect(same, "{} carries: {} is another step", name, mistake_.name(s.step));
      ++at;
    }
  }
  static bool is_in(const LoopPlan::Step& s, const LoopPlan::Stage& stage) {
    return std::ranges::count(stage.steps, s.step, &LoopPlan::Step::step) > 0;
  }

  /// Steps before and after carries are known: those that need carries are behind, but for scans, whose carries the
  /// stage before finds.
  void stages() {
    mistake_.expect(plan_.before.has_value() == plan_.has_carries(), "carries have no stage before them");
    mistake_.expect(plan_.before || !plan_.after, "carries are known without a stage before them");
    if (mistake_.found() || !plan_.before) return;
    static const LoopPlan::Stage kNone;
    const LoopPlan::Stage& before = *plan_.before;
    const LoopPlan::Stage& after = plan_.after ? *plan_.after : kNone;
    subset(before, "before");
    subset(after, "after");
    for (const LoopPlan::Step& s : plan_.whole.steps) {
      const bool is_late = s.after_scan || vcode::has_defaults(s.step->op);
      const std::string name = mistake_.name(s.step);
      if (is_late) mistake_.expect(is_in(s, after), "{} needs carries, but is not computed after them", name);
      if (!is_late || s.producer == Producer::kScan || s.counts)
        mistake_.expect(is_in(s, before), "{} is not computed before carries are known", name);
      else
        mistake_.expect(!is_in(s, before), "{} needs carries, but is computed before them", name);
    }
  }

  /// Values that are kept are computed before the carries are known, and not again.
  void kept_values() {
    std::int64_t bytes = 0;
    for (const LoopPlan::Step& s : plan_.whole.steps) {
      const KernelVar v = s.step->results[0];
      const LoopPlan::Value& value = plan_.values[v];
      const std::string name = mistake_.name(v);
      if (value.kept) {
        const bool is_early = plan_.after && is_in(s, *plan_.before) && !s.after_scan;
        mistake_.expect(is_early && !is_in(s, *plan_.after), "{} is kept, but not computed before carries are known",
                        name);
        mistake_.expect(value.materialised || value.slot >= 0, "{} is kept without memory", name);
      }
      const bool is_packed = plan_.before && s.producer == Producer::kPack && !s.after_scan;
      if (value.kept || is_packed) bytes += static_cast<std::int64_t>(vcode::elem_size(value.type));
      if (!plan_.before || !plan_.only_scans_before || !is_in(s, *plan_.before)) continue;
      const bool is_late = s.after_scan || vcode::has_defaults(s.step->op);
      const bool has_effect = s.counts || (!is_late && (value.kept || value.materialised ||
                                                         s.producer >= Producer::kReduce));
      mistake_.expect(!has_effect, "{} is computed before carries are known, where only scans are", name);
    }
    mistake_.expect(plan_.kept_bytes == bytes, "an element keeps {} bytes, not {}", bytes, plan_.kept_bytes);
  }

  const LoopPlan& plan_;
  const Kernel& kernel_;
  const vcode::KernelFacts facts_;
  PlanMistake mistake_;
};

}  // namespace

std::string verify_plan(const LoopPlan& plan) { return PlanVerifier(plan).run(); }

}  // namespace kernels
