#include "verify_loop.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kernels {

using vcode::Kind;
using vcode::Op;
using vcode::Producer;

namespace {

class LoopVerifier {
 public:
  LoopVerifier(const LoopPlan& plan, Part part, PlanMistake& mistake)
      : plan_(plan),
        part_(part),
        stage_(plan.stage(part)),
        loop_(stage_.loop),
        mistake_(mistake),
        makers_(plan.values.size()),
        inputs_(plan.values.size()),
        outputs_(plan.values.size()),
        defined_(plan.values.size()) {}

  void run() {
    for (const LoopPlan::Step& s : stage_.steps) makers_[s.step->results[0]] = &s;
    for (const auto verify :
         {&LoopVerifier::inputs, &LoopVerifier::steps, &LoopVerifier::tables, &LoopVerifier::gathers,
          &LoopVerifier::scans, &LoopVerifier::packs, &LoopVerifier::scatters, &LoopVerifier::folds,
          &LoopVerifier::outputs, &LoopVerifier::memory, &LoopVerifier::lanes, &LoopVerifier::product,
          &LoopVerifier::repetition})
      if (!mistake_.found()) (this->*verify)();
    if (!mistake_.found()) verify_arguments(loop_, mistake_);
    if (!mistake_.found() && loop_.interior) verify_interior(plan_, loop_, mistake_);
  }

 private:
  using Step = vcode::Kernel::Step;

  bool exists(KernelVar v) const { return v < plan_.values.size(); }
  std::string name(KernelVar v) const { return mistake_.name(v); }
  std::string name(const Step* step) const { return mistake_.name(step); }

  /// Whether a vector with the value's elements exists before the loop runs.
  bool is_there(KernelVar v) const {
    const bool is_input = v < plan_.kernel.input_count && plan_.kernel.values[v].kind != Kind::kSegdes;
    return is_input || (part_ == Part::kAfter && plan_.values[v].kept);
  }

  void inputs() {
    for (const Loop::Input& input : loop_.inputs) {
      if (!mistake_.expect(exists(input.value), "{} is read", name(input.value))) return;
      mistake_.expect(inputs_[input.value] == nullptr, "{} is read twice", name(input.value));
      inputs_[input.value] = &input;
      defined_[input.value] = true;
      if (!input.is_made())
        mistake_.expect(is_there(input.value), "{} is read, but is not in memory", name(input.value));
      else if (maker(input))
        made(input);
    }
  }

  bool maker(const Loop::Input& input) {
    const LoopPlan::Step* const made = makers_[input.value];
    const bool is_spread = made != nullptr && made->producer == Producer::kSpread;
    return mistake_.expect(is_spread && input.maker == made->step && input.segmentation == made->segmentation,
                           "{} is made by another step", name(input.value));
  }

  /// An input that is made by its step: `segments` and the others are operands of it, and those are in memory.
  void made(const Loop::Input& input) {
    using Access = Loop::Access;
    const Op op = input.maker->op;
    const std::vector<KernelVar>& operands = input.maker->operands;
    const Access access = op == Op::kDist    ? Access::kSpread
                          : op == Op::kIndex ? Access::kProgression
                                             : Access::kSlice;
    const bool is_right = input.access == access && input.segments == operands[access == Access::kSlice ? 1 : 0] &&
                          (access != Access::kProgression || input.stride == operands[1]) &&
                          (access != Access::kSlice || input.table == operands[0]);
    const bool is_constant =
        access == Access::kSpread && plan_.values[operands[0]].constant != vcode::Kernel::kNoConstant;
    if (!mistake_.expect(is_right, "{} is made of other operands than those of its step", name(input.value))) return;
    mistake_.expect(input.is_constant == is_constant, "{} is {}made of a constant", name(input.value),
                    is_constant ? "" : "not ");
    for (const KernelVar v : operands)
      mistake_.expect(v < plan_.kernel.input_count || plan_.values[v].constant != vcode::Kernel::kNoConstant,
                      "{} is made of {}, which is not in memory", name(input.value), name(v));
  }

  /// The steps are those of the stage that loops compute, in SSA form: each value that a step reads element by element
  /// is an input or the result of an earlier step.
  void steps() {
    auto next = loop_.steps.begin();
    for (const LoopPlan::Step& s : stage_.steps) {
      if (!LoopPlan::is_in_loop(s, part_)) continue;
      if (!mistake_.expect(next != loop_.steps.end() && *next == s.step, "the loop lacks the step of {}", name(s.step)))
        return;
      ++next;
      for (std::size_t k = 0; k < s.step->operands.size(); ++k) {
        const KernelVar v = s.step->operands[k];
        if (plan_.kernel.values[v].kind == Kind::kSegdes || !vcode::goes_over(s.step->op, static_cast<int>(k))) continue;
        mistake_.expect(defined_[v], "{} reads {} before it is computed", name(s.step), name(v));
      }
      if (s.producer == Producer::kPack || s.producer == Producer::kScatter) continue;
      const KernelVar v = s.step->results[0];
      mistake_.expect(!defined_[v], "{} is computed, and an input", name(v));
      defined_[v] = true;
    }
    mistake_.expect(next == loop_.steps.end(), "the loop has more steps than the stage");
  }

  void tables() {
    for (std::size_t t = 0; t < loop_.tables.size(); ++t) {
      const Loop::Table& table = loop_.tables[t];
      mistake_.expect(table.value < plan_.kernel.input_count && table.descriptor < plan_.kernel.input_count &&
                          plan_.kernel.values[table.value].kind != Kind::kSegdes &&
                          plan_.kernel.values[table.descriptor].kind == Kind::kSegdes,
                      "table {} is not an input with its descriptor", t);
    }
  }

  /// Calls f(part, step) for each of the parts, which must be of the stage's steps for which `is` holds, in order.
  template <class Parts, class Is, class F>
  void match(const Parts& parts, std::string_view what, Is&& is, F&& f) {
    auto next = parts.begin();
    for (const LoopPlan::Step& s : stage_.steps) {
      if (!is(s)) continue;
      if (!mistake_.expect(next != parts.end() && next->step == s.step, "the loop has no {} for {}", what, name(s.step)))
        return;
      f(*next++, s);
    }
    mistake_.expect(next == parts.end(), "the loop has a {} too many", what);
  }
  auto computed_by(Producer producer) const {
    return [this, producer](const LoopPlan::Step& s) {
      return s.producer == producer && LoopPlan::is_in_loop(s, part_);
    };
  }
  template <class PartOfLoop>
  void same_segments(const PartOfLoop& part, const LoopPlan::Step& s) {
    mistake_.expect(part.segmentation == s.segmentation, "{} is computed in other segments", name(s.step));
  }
  template <class PartOfLoop>
  void same_number(const PartOfLoop& part, int number) {
    mistake_.expect(part.number == number, "{} has number {}, not {}", name(part.step), part.number, number);
  }

  void gathers() {
    match(loop_.gathers, "gather", computed_by(Producer::kGather), [&](const Loop::Gather& gather, const auto& s) {
      const bool has_table = gather.table >= 0 && static_cast<std::size_t>(gather.table) < loop_.tables.size();
      if (!mistake_.expect(has_table, "{} is gathered from no table", name(s.step))) return;
      const Loop::Table& table = loop_.tables[static_cast<std::size_t>(gather.table)];
      const KernelVar descriptor = s.step->operands[static_cast<std::size_t>(vcode::descriptor_like(*s.step, 0))];
      mistake_.expect(table.value == s.step->operands[0] && table.descriptor == descriptor &&
                          table.segmentation == s.segmentation,
                      "{} is gathered from another table", name(s.step));
    });
  }

  void scans() {
    bool by_blocks = false;
    match(loop_.scans, "scan", computed_by(Producer::kScan), [&](const Loop::Scan& scan, const auto& s) {
      same_segments(scan, s);
      same_number(scan, s.number);
      by_blocks |= plan_.is_by_blocks(s);
    });
    mistake_.expect(loop_.scans_by_blocks == by_blocks, "the loop does not tell whether it scans by blocks");
  }

  void packs() {
    match(loop_.packs, "PACK", computed_by(Producer::kPack), [&](const Loop::Pack& pack, const auto& s) {
      same_segments(pack, s);
      same_number(pack, s.packed);
      mistake_.expect(pack.count == s.number, "{} has count {}, not {}", name(s.step), pack.count, s.number);
      mistake_.expect(pack.counts == (s.counts && part_ != Part::kAfter), "{} counts in another loop", name(s.step));
    });
  }

  void scatters() {
    match(loop_.scatters, "scatter", computed_by(Producer::kScatter),
          [&](const Loop::Scatter& scatter, const auto& s) { same_number(scatter, s.number); });
  }

  /// Reductions, and what scans pass to later elements: in the stage that finds carries; and of scans by blocks, whose
  /// accumulation in the loop has another grouping.
  void folds() {
    const auto folds = [&](const LoopPlan::Step& s) {
      return s.producer == Producer::kReduce ||
             (s.producer == Producer::kScan && (part_ == Part::kBefore || plan_.is_by_blocks(s)));
    };
    match(loop_.folds, "fold", folds, [&](const Loop::Fold& fold, const auto& s) {
      same_segments(fold, s);
      same_number(fold, s.number);
      mistake_.expect(defined_[s.step->operands[0]], "{} folds {}, which is not computed", name(s.step),
                      name(s.step->operands[0]));
    });
  }

  void outputs() {
    for (const Loop::Output& output : loop_.outputs) {
      const KernelVar v = output.value;
      if (!mistake_.expect(exists(v) && defined_[v], "{} is stored, but is not computed", name(v))) return;
      const LoopPlan::Value& value = plan_.values[v];
      mistake_.expect(outputs_[v] == nullptr, "{} is stored twice", name(v));
      outputs_[v] = &output;
      mistake_.expect(inputs_[v] == nullptr || inputs_[v]->is_made(), "{} is stored where it is read", name(v));
      mistake_.expect(output.in_flat || output.in_nest, "{} is stored in no form of the loop", name(v));
      mistake_.expect(inputs_[v] == nullptr || !output.in_flat, "{} is stored by the flat form, which reads it", name(v));
      mistake_.expect(value.materialised || value.slot >= 0, "{} is stored, but has no memory", name(v));
      mistake_.expect(!output.may_stream || (value.materialised && !value.kept && elem_size(value.type) > 1),
                      "{} is stored past the cache, but read again or of bytes", name(v));
    }
    for (const Loop::Input& input : loop_.inputs)
      mistake_.expect(!input.is_made() || plan_.values[input.value].materialised || plan_.values[input.value].slot >= 0,
                      "the flat form reads {}, which has no memory", name(input.value));
  }

  /// Requires that a value is stored, for steps around the flat form or around a nest. Around a flat form, values that
  /// are made have been written before.
  void need(KernelVar v, bool around_nest, const std::string& reader) {
    const Loop::Output* const output = outputs_[v];
    const bool is_made = inputs_[v] != nullptr && inputs_[v]->is_made();
    const bool in_flat = is_there(v) || is_made || (output != nullptr && output->in_flat);
    const bool in_nest = !around_nest || is_there(v) || (output != nullptr && output->in_nest);
    mistake_.expect(in_flat && in_nest, "{} reads {}, which is not stored{}", reader, name(v),
                    in_flat ? " in a nest" : "");
  }

  /// Requires that results, values that are kept and operands of steps around the loop are stored.
  void memory() {
    for (const LoopPlan::Step& s : stage_.steps) {
      const KernelVar v = s.step->results[0];
      const std::string reader = name(s.step);
      const bool is_of_elements = s.producer == Producer::kMap || s.producer == Producer::kSpread ||
                                  s.producer == Producer::kGather || s.producer == Producer::kScan;
      const bool lasts = plan_.values[v].materialised && (part_ == Part::kAll || s.after_scan == (part_ == Part::kAfter));
      const bool is_kept = part_ == Part::kBefore && plan_.values[v].kept;
      if (is_of_elements && (lasts || is_kept) && (s.producer != Producer::kScan || LoopPlan::is_in_loop(s, part_)))
        need(v, true, lasts ? "the kernel's caller" : "the stage after the carries");
      if (s.counts && part_ != Part::kAfter) need(s.step->operands[1], false, reader);
      if (LoopPlan::is_in_loop(s, part_)) continue;
      if (s.producer == Producer::kScan || s.producer == Producer::kReduce) need(s.step->operands[0], false, reader);
      if (s.producer == Producer::kArgReduce) need(s.step->operands[0], true, reader);
      if (s.producer == Producer::kPack) need(s.step->operands[1], true, reader);
      if (s.producer != Producer::kScatter) continue;
      for (std::size_t k = 0; k < s.step->operands.size(); ++k)
        if (const KernelVar operand = s.step->operands[k];
            plan_.kernel.values[operand].kind != Kind::kSegdes && vcode::goes_over(s.step->op, static_cast<int>(k)))
          need(operand, true, reader);
    }
  }

  /// A loop with one segment a lane makes its inputs and stores nothing but folds and arg-reductions.
  void lanes() {
    mistake_.expect(loop_.lanes || loop_.arg_reductions.empty(), "arg-reductions have no lanes");
    if (!loop_.lanes) return;
    mistake_.expect(!plan_.has_carries() && loop_.scatters.empty() && loop_.repeated == 0,
                    "lanes compute a scan, PACK, scatter or repetition");
    mistake_.expect(!loop_.folds.empty() || !loop_.arg_reductions.empty(), "lanes compute nothing");
    match(loop_.arg_reductions, "arg-reduction", [](const auto& s) { return s.producer == Producer::kArgReduce; },
          [&](const Loop::ArgReduction& reduction, const auto& s) {
            same_segments(reduction, s);
            const KernelVar v = s.step->operands[0];
            mistake_.expect(defined_[v], "{} reads {}, which lanes do not compute", name(s.step), name(v));
          });
    for (const Loop::Input& input : loop_.inputs)
      mistake_.expect(input.is_made(), "lanes read the elements of {}", name(input.value));
    for (const Loop::Output& output : loop_.outputs)
      mistake_.expect(!plan_.values[output.value].materialised, "lanes do not store {}", name(output.value));
  }

  /// A product has the lanes' inputs: slices that start by row or by column, and elements that are spread; and one fold.
  void product() {
    if (!loop_.product) return;
    mistake_.expect(loop_.lanes && loop_.folds.size() == 1 && loop_.arg_reductions.empty() && loop_.gathers.empty(),
                    "a product computes more than one fold");
    bool by_row = false, by_column = false;
    for (const Loop::Input& input : loop_.inputs) {
      if (input.access == Loop::Access::kSpread) continue;
      const bool of_row = input.segments == loop_.product->rows, of_column = input.segments == loop_.product->columns;
      mistake_.expect(input.access == Loop::Access::kSlice && of_row != of_column,
                      "{} depends neither on the row nor on the column", name(input.value));
      by_row |= of_row, by_column |= of_column;
    }
    mistake_.expect(by_row && by_column, "a product has no rows or no columns");
  }

  void repetition() {
    const vcode::Kernel& kernel = plan_.kernel;
    mistake_.expect(loop_.repeated == kernel.repeated, "the loop repeats {} values, not {}", loop_.repeated,
                    kernel.repeated);
    if (kernel.repeated == 0) return;
    for (const KernelVar v : kernel.outputs)
      mistake_.expect(outputs_[v] != nullptr, "the loop repeats with {}, which is not stored", name(v));
  }

  const LoopPlan& plan_;
  const Part part_;
  const LoopPlan::Stage& stage_;
  const Loop& loop_;
  PlanMistake& mistake_;
  // By value:
  std::vector<const LoopPlan::Step*> makers_;  ///< the step of the stage with this result
  std::vector<const Loop::Input*> inputs_;
  std::vector<const Loop::Output*> outputs_;
  std::vector<bool> defined_;  ///< computed or read by the loop
};

}  // namespace

void verify_loop(const LoopPlan& plan, Part part, PlanMistake& mistake) { LoopVerifier(plan, part, mistake).run(); }

}  // namespace kernels
