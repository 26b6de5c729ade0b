#pragma once

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "generated/kernel_names.h"
#include "generated/kernel_phase.h"
#include "kernels/loop_plan.h"

namespace cvl::cuda {

/// Where the values of a kernel are in its text: in a loop over elements, where a name has them, or in Items, from
/// which other loops read them. Asking for a value adds the statements that load or compute it.
class KernelValues : public KernelNames {
 protected:
  using Loop = kernels::Loop;
  using LoopPlan = kernels::LoopPlan;
  using Step = vcode::Kernel::Step;

  KernelValues(const LoopPlan& plan, std::span<const vcode::Constant> constants)
      : KernelNames(plan, constants),
        plan_(plan),
        inputs_(plan.values.size()),
        tables_(plan.values.size()),
        gathers_(plan.values.size()),
        homes_(plan.values.size(), &phases_[0].loops[0]) {
    for (const Loop::Input& input : plan.whole.loop.inputs) inputs_[input.value] = &input;
    for (const Loop::Gather& gather : plan.whole.loop.gathers)
      tables_[gather.step->results[0]] = &plan.whole.loop.tables[static_cast<std::size_t>(gather.table)];
    for (const LoopPlan::Step& s : plan.whole.steps)
      if (s.producer == vcode::Producer::kGather) gathers_[s.step->results[0]] = &s;
  }

  bool is_second() const { return phase_ != phases_; }
  KernelVar segments_of(int segmentation) const { return plan_.segmentations[static_cast<std::size_t>(segmentation)]; }

  ElementLoop& loop() { return phase_->loops.back(); }

  /// A value in the last loop of the phase.
  std::string element(KernelVar v) {
    if (loop().known.contains(v)) return name(v);
    const Loop::Input* const input = inputs_[v];
    if (is_made_in_loop(input) && !made_in_loop_.contains(v)) {
      const std::string text = made_text(*input);
      loop().head += marked(*input->maker, text);
      homes_[v] = &loop();
      made_in_loop_.insert(v);
    } else {
      const std::string from = items(v);
      const bool varies = is_repeated() && v < plan_.kernel.repeated;
      loop().head += fmt::format("    {}{} {} = {}(t, i);\n", varies ? "" : "const ", type(v), name(v), from);
    }
    loop().known.insert(v);
    return name(v);
  }
  static bool is_made_in_loop(const Loop::Input* input) {
    return input != nullptr && input->is_made() && input->access != Loop::Access::kSlice;
  }

  /// A value outside of loops. Its home loads or computes it.
  std::string items(KernelVar v) {
    if (is_pending(v)) load_gathered();
    const std::string items = "items_" + name(v),
                      declaration = fmt::format("  Items<{}, kItems> {};\n", type(v), items);
    if (!held_.insert(v).second) return items;
    const Loop::Input* const input = inputs_[v];
    if (input != nullptr && input->access == Loop::Access::kSlice) {
      loop().loads += marked(*input->maker, slice_text(*input));
      homes_[v] = &loop();
    } else if (is_input(v)) {
      loop().loads += fmt::format("{}  load(space, {}, {});\n", declaration, vector(v), items);
    } else {
      if (is_made_in_loop(input) && !made_in_loop_.contains(v)) element(v);
      homes_[v]->loads += declaration;
      homes_[v]->keeps += fmt::format("    {}(t, i) = {};\n", items, name(v));
    }
    return items;
  }

  /// The segment of an element, in the last loop of the phase.
  std::string segment(KernelVar descriptor) {
    const std::string number = "segment_" + name(descriptor);
    if (loop().known.insert(descriptor).second)
      loop().head += fmt::format("    const i64 {} = segment_of({}, {}(t), i);\n", number, this->descriptor(descriptor),
                                 tile_segments(descriptor));
    return number;
  }

  /// The segments of a tile's elements, of a descriptor over the index space.
  std::string tile_segments(KernelVar v) {
    segmented_.insert(v);
    return "segments_" + name(v);
  }

  bool is_pending(KernelVar v) const { return std::ranges::find(phase_->pending, v) != phase_->pending.end(); }
  /// Ends the loop, if gathers are pending, and loads their elements for the next, all of a thread at once: in a loop
  /// whose steps branch, a thread would wait for each.
  void load_gathered() {
    if (phase_->pending.empty()) return;
    const std::vector<KernelVar> gathered = std::exchange(phase_->pending, {});
    std::string loads;
    for (const KernelVar v : gathered) loads += gather_text(*gathers_[v]);
    ElementLoop& next = phase_->loops.emplace_back();
    next.loads = loads;
    for (const KernelVar v : gathered) {
      held_.insert(v);
      homes_[v] = &next;
    }
  }
  std::string gather_text(const LoopPlan::Step& s) {
    const Step& step = *s.step;
    const Loop::Table& table = *tables_[step.results[0]];
    const KernelVar v = step.results[0], flags = operand_of(step, vcode::flags_of(step.op)),
                    segments = segments_of(s.segmentation);
    const std::string indices = items(step.operands[1]), wanted = flags == kNone ? "EachWanted()" : items(flags);
    // The segments of the indices are found where they matter, which a single table avoids.
    headed_.insert(segments);
    return marked(step,
                  fmt::format("  Items<{0}, kItems> items_{1};\n  gather(space, {2}, {3}, {4}, {5}, {6}, {7}, {8}, "
                              "items_{1});\n",
                              type(v), name(v), descriptor(table.descriptor), descriptor(segments), indices, wanted,
                              vector(table.value), faults(), number(step)));
  }

  const LoopPlan& plan_;
  std::vector<const Loop::Input*> inputs_;  ///< by value; null if it is none of the loop
  // By the result of a gather.
  std::vector<const Loop::Table*> tables_;
  std::vector<const LoopPlan::Step*> gathers_;
  Phase phases_[2];
  Phase* phase_ = phases_;           ///< the phase that is being written
  std::vector<ElementLoop*> homes_;  ///< by value: the loop that loads or computes it; for a scan, the first one behind
  std::set<KernelVar> made_in_loop_;  ///< results of DIST and INDEX that a loop computes
  std::set<KernelVar> held_;          ///< values with Items
  std::set<std::string> found_;       ///< names of the positions of slices that are computed
  std::set<KernelVar> segmented_;     ///< descriptors whose head bits are found for each tile
  std::set<KernelVar> headed_;        ///< those whose head bits may be looked at

 private:
  /// An element of a DIST or INDEX.
  std::string made_text(const Loop::Input& input) {
    const KernelVar v = input.value, segments = segments_of(input.segmentation);
    const bool is_spread = input.access == Loop::Access::kSpread;
    // A constant is the same in all segments.
    const std::string k = is_spread && is_constant(input.segments) ? "" : segment(segments),
                      value = per_segment(input.segments, k);
    if (is_spread) return fmt::format("    const {} {} = {};\n", type(v), name(v), value);
    return fmt::format("    const {0} {1} = wrap_add<{0}>({2}, wrap_mul<{0}>({3}, {0}(e - start({4}, {5}))));\n",
                       type(v), name(v), value, per_segment(input.stride, k), descriptor(segments), k);
  }

  /// All elements of a SLICE, before the loop. Slices with the same starts share their positions; each reads them in
  /// its own table.
  std::string slice_text(const Loop::Input& input) {
    const KernelVar v = input.value, segments = segments_of(input.segmentation);
    const std::string at = fmt::format("slices_{}_{}", name(segments), name(input.segments));
    std::string text;
    if (found_.insert(at).second)
      text = fmt::format(
          "  Positions<kItems> {0};\n  find_positions(space, {1}, {2}, [&](i64 k) {{ return i64({3}); }}, {0});\n", at,
          descriptor(segments), tile_segments(segments), per_segment(input.segments, "k"));
    return text + fmt::format("  Items<{0}, kItems> {1};\n  slice(space, {2}, {3}, {4}, {5}, {1});\n", type(v),
                              items(v), at, vector(input.table), faults(), number(*input.maker));
  }
};

}  // namespace cvl::cuda
