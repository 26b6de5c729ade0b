#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "generated/fold_text.h"
#include "generated/generated_kernel.h"
#include "generated/kernel_phase.h"
#include "generated/kernel_values.h"
#include "generated/row_text.h"
#include "kernels/loop_plan.h"

namespace cvl::cuda {

namespace {

using kernels::LoopPlan;
using vcode::KernelVar;
using vcode::Producer;
using Step = vcode::Kernel::Step;
using Role = KernelArgument::Role;

/// Prints the plan of a kernel. As blocks wait for the carries of earlier ones, one function computes the whole of the
/// plan, in up to two phases for a tile: steps that need no carries; those after a scan, and the stores of PACKs.
class KernelWriter : KernelValues {
 public:
  KernelWriter(const LoopPlan& plan, std::span<const vcode::Constant> constants, Form form)
      : KernelValues(plan, constants), form_(form) {
    made_.rounds = plan.by_blocks();
    made_.folds = has_reductions_only();
    if (made_.folds) made_.items = kFoldItems;
  }

  GeneratedKernel write() {
    if (is_repeated()) write_rounds();
    for (Phase& phase : phases_) {
      phase_ = &phase;
      for (const LoopPlan::Step& s : plan_.whole.steps) add_step(s);
      load_gathered();
    }
    phase_ = phases_;
    for (const Loop::Input& input : plan_.whole.loop.inputs)
      if (input.access == Loop::Access::kSlice) items(input.value);  // those that no loop reads
    for (const Loop::Output& output : plan_.whole.loop.outputs) add_output(output.value);
    for (const KernelVar v : sources_)
      if (!is_input(v) && !is_output(v)) add_store(v);
    write_functions();
    check_limits();
    return std::move(made_);
  }

 private:
  // --- Steps ---

  /// Adds the part of a step that belongs to the phase.
  void add_step(const LoopPlan::Step& s) {
    const KernelVar v = s.step->results[0];
    const bool is_pack = s.producer == Producer::kPack;
    if ((is_pack || s.after_scan == is_second()) &&
        std::ranges::any_of(s.step->operands, [&](KernelVar operand) { return is_pending(operand); }))
      load_gathered();
    if (s.producer == Producer::kScan) {
      if (!is_second()) add_scan(s);
    } else if (is_pack) {
      if (is_second()) return add_to_loop(*s.step, pack_text(s));
      if (s.counts) add_count(s);
      if (form_ == Form::kPackedLengths && sums_kept(plan_.kernel, number(*s.step)) && is_output(v)) add_kept_sum(s);
    } else if (s.after_scan == is_second()) {
      if (s.producer == Producer::kSpread) return;  // an input
      if (vcode::is_reduction(s.producer)) return add_reduction(s);
      if (s.producer == Producer::kScatter) return add_to_loop(*s.step, scatter_text(*s.step));
      VC_CHECK(s.producer == Producer::kMap || s.producer == Producer::kGather);
      if (s.producer == Producer::kGather) return phase_->pending.push_back(v);
      add_to_loop(*s.step, map_text(*s.step));
      loop().known.insert(v);
      homes_[v] = &loop();
    }
  }

  void write_rounds() {
    const std::vector<KernelVar>& outputs = plan_.kernel.outputs;
    phases_[0].loops[0].round = "    NOT_UNROLLED for (int round = 0; round < kMostRounds; ++round) {\n";
    phases_[0].loops[0].next = fmt::format("    if (!{}) break;\n", name(outputs.back()));
    for (KernelVar v = 0; v < plan_.kernel.repeated; ++v)
      if (inputs_[v] != nullptr) phases_[0].loops[0].next += fmt::format("    {} = {};\n", name(v), name(outputs[v]));
    phases_[0].loops[0].next += "    }\n";
  }

  void add_to_loop(const Step& step, std::string_view text) { loop().body += marked(step, text); }

  void add_output(KernelVar v) {
    if (!is_output(v)) return;
    add_store(v);
  }

  void add_store(KernelVar v) {
    const std::string stored = items(v);
    homes_[v]->stores += fmt::format("  store(space, {}, {});\n", stored, whole(v));
  }

  std::string map_text(const Step& step) {
    std::vector<std::string> operands;
    for (const KernelVar v : step.operands) operands.push_back(element(v));
    const KernelVar v = step.results[0];
    return fault_text(step, operands, "e") +
           fmt::format("    const {} {} = {};\n", type(v), name(v), eval_text(step, operands));
  }

  std::string eval_text(const Step& step, std::span<const std::string> operands) {
    made_.rows.insert(step.op);
    return fmt::format("rows::{}::eval<{}>({})", vcode::info(step.op).name, type(step.results[0]),
                       fmt::join(operands, ", "));
  }

  /// The beginning of an index expression that is -1 where the flag of a gather or scatter is false.
  std::string not_flagged(const Step& step) {
    const KernelVar flags = operand_of(step, vcode::flags_of(step.op));
    return flags == kNone ? "" : fmt::format("!{} ? -1 : ", element(flags));
  }

  std::string scatter_text(const Step& step) {
    const KernelVar v = step.results[0], to = descriptor_of(step, -1);
    const KernelVar from = descriptor_of(step, 0);
    const std::string source = element(step.operands[0]), index = element(step.operands[1]), flag = not_flagged(step),
                      position = "position_" + name(v);
    std::string text = fmt::format(
        "    const i64 {} = {}position_in({}, [&] {{ return segment_of({}, {}(t), i); }}, {}, {}, {}, e);\n", position,
        flag, descriptor(to), descriptor(from), tile_segments(from), index, faults(), number(step));
    if (vcode::has_defaults(step.op)) {
      if (!is_output(v)) return text;
      sources_.insert(step.operands[0]);
      return text + fmt::format("    if ({0} >= 0) atomic_max({1}.as<u64>() + {0}, u64(e) + 1);\n", position,
                                argument(Role::kWriters, to, "writers_" + name(v), 8, true));
    }
    text += fmt::format("    if ({0} >= 0) mark_written({1}, {0}, {2}, {3}, {4}, e);\n", position,
                        argument(Role::kWritten, to, "written_" + name(v), 4, true), index, faults(), number(step));
    if (!is_output(v)) return text;
    // Targets of an FPERMUTE that no element is written to are 0.
    const std::string targets = result(v, !flag.empty());
    return text + fmt::format("    if ({0} >= 0) {1}.as<{2}>()[{0}] = {3};\n", position, targets, type(v), source);
  }

  std::string pack_text(const LoopPlan::Step& s) {
    const KernelVar v = s.step->results[0];
    if (!is_output(v)) return "";
    const std::string flag = element(s.step->operands[1]), value = element(s.step->operands[0]);
    return fmt::format("    if ({}) {}.as<{}>()[items_positions_of_{}(t, i)] = {};\n", flag, result(v), type(v),
                       s.number, value);
  }

  // --- Sums ---

  /// Whether blocks can fold shares: all sums are reductions, few enough for a thread to hold three carries of them.
  bool has_reductions_only() const {
    std::size_t count = 0;
    for (const LoopPlan::Step& s : plan_.whole.steps) {
      if (s.producer == Producer::kScan || s.producer == Producer::kPack || vcode::has_defaults(s.step->op))
        return false;
      count += vcode::is_reduction(s.producer) ? 1 : 0;
    }
    return count > 0 && (is_single() || count <= kMostHeldSums);
  }
  bool is_single() const { return form_ == Form::kOneSegment; }

  std::string carry_type(const Phase& phase) const {
    return fmt::format("Carry_{}_{}", plan_.kernel.number, &phase - phases_);
  }

  /// Adds a sum to the phase. Returns the operands of its readers: segments, elements, sums before threads.
  std::string add_sum(const LoopPlan::Step& s, const std::string& items, const std::string& name,
                      const std::string& type) {
    const auto number = phase_ - phases_;
    phase_->sums.push_back(s.step);
    phase_->members += fmt::format("  Run<{}> {};\n", type, name);
    phase_->joins += fmt::format("{0}join(before.{1}, after.{1})", phase_->joins.empty() ? "" : ", ", name);
    phase_->padding = fmt::format("Run<{}>::kPadding", type);
    const std::string declaration = fmt::format("  TileSums<{}> sums_{};\n", type, name),
                      member = fmt::format("&{}::{}", carry_type(*phase_), name);
    if (made_.folds && is_single()) {
      phase_->begin += marked(*s.step, fmt::format("  ThreadSums<{}> sums_{};\n", type, name));
      loop().stores += marked(*s.step, fmt::format("  add_items(space, {}, sums_{});\n", items, name));
      phase_->sum_text +=
          marked(*s.step, fmt::format("  join_lanes(sums_{}, of_warps_{}, {});\n", name, number, member));
      return "";
    }
    const std::string elements = fmt::format("{}, {}", tile_segments(segments_of(s.segmentation)), items);
    phase_->sum_text += marked(*s.step, fmt::format("{}  sum_tile(space, {}, sums_{}, of_warps_{}, {});\n", declaration,
                                                    elements, name, number, member));
    if (!made_.folds)
      phase_->behind += marked(*s.step, fmt::format("  add_carries(sums_{}, carries_{}, {});\n", name, number, member));
    return fmt::format("{}, sums_{}", elements, name);
  }

  std::string fold_type(const LoopPlan::Step& s) {
    const vcode::Monoid monoid = vcode::info(s.step->op).monoid;
    made_.monoids.insert(monoid);
    return fmt::format("{}<monoids::{}, {}>", s.producer == Producer::kArgReduce ? "FirstPosition" : "Plain",
                       monoid_name(monoid), type(s.step->operands[0]));
  }

  void add_scan(const LoopPlan::Step& s) {
    const KernelVar v = s.step->results[0];
    const std::string sums = add_sum(s, items(s.step->operands[0]), name(v), fold_type(s));
    held_.insert(v);
    homes_[v] = &phases_[1].loops[0];
    phase_->behind += marked(
        *s.step, fmt::format("  Items<{0}, kItems> {1};\n  scan_items(space, {2}, {1});\n", type(v), items(v), sums));
  }

  void add_reduction(const LoopPlan::Step& s) {
    const KernelVar v = s.step->results[0], segments = segments_of(s.segmentation);
    const std::string fold = fold_type(s), sums = add_sum(s, items(s.step->operands[0]), name(v), fold),
                      empty = s.producer == Producer::kArgReduce ? fmt::format("highest<{}>()", type(v))
                                                                 : fold + "::empty_value()";
    if (made_.folds && is_single()) {
      phase_->behind += marked(*s.step, fmt::format("    {0}.as<{1}>()[k] = total<{1}>(share, totals->{2}, {3});\n",
                                                    result(v), type(v), name(v), empty));
      return;
    }
    add_empty(s, v, empty);
    const std::string stores = fmt::format("<{}>(space, {}, {}, ", type(v), descriptor(segments), sums);
    if (!made_.folds) {
      phase_->behind += marked(*s.step, fmt::format("  store_sums{}{});\n", stores, result(v)));
      return;
    }
    phase_->behind += marked(*s.step, fmt::format("  store_ends{}before_0, &{}::{}, {}, shared.front());\n", stores,
                                                  carry_type(*phase_), name(v), result(v)));
    phase_->fronts += marked(*s.step, fmt::format("    store_front<{0}, kItems>({1}, e, before.{3}, front.{3}, {2});\n",
                                                  type(v), descriptor(segments), result(v), name(v)));
  }

  void add_count(const LoopPlan::Step& s) {
    const KernelVar v = s.step->results[0], lengths = s.step->results[1];
    const std::string positions = fmt::format("positions_of_{}", s.number),
                      sums = add_sum(s, items(s.step->operands[1]), positions, fmt::format("Kept<{}>", type(lengths)));
    phase_->behind += marked(
        *s.step, fmt::format("  Items<u32, kItems> items_{0};\n  place_kept(space, {1}, {2}, items_{0}, {3}, {4});\n",
                             positions, descriptor(segments_of(s.segmentation)), sums,
                             argument(Role::kKept, v, "kept_" + name(v), 8), result(lengths)));
    add_empty(s, lengths, "0");
    phase_->counts = true;
  }

  /// Sums the elements that a PACK keeps.
  void add_kept_sum(const LoopPlan::Step& s) {
    const KernelVar v = s.step->results[0], x = s.step->operands[0];
    const std::string sum = "sum_of_" + name(v), items = "items_" + sum,
                      value = fmt::format("{} ? {} : {}(0)", element(s.step->operands[1]), element(x), type(x));
    loop().loads += fmt::format("  Items<{}, kItems> {};\n", type(x), items);
    loop().keeps += marked(*s.step, fmt::format("    {}(t, i) = {};\n", items, value));
    add_sum(s, items, sum, fmt::format("Whole<{}>", type(x)));
    phase_->behind += marked(*s.step, fmt::format("  store_whole(space, {}, sums_{}, {});\n", items, sum,
                                                  argument(Role::kKeptSum, v, "kept_" + sum, 8)));
  }

  /// Stores the result of a sum for segments without elements.
  void add_empty(const LoopPlan::Step& s, KernelVar v, std::string_view value) {
    phase_->empty[segments_of(s.segmentation)] +=
        marked(*s.step, fmt::format("    {}.as<{}>()[k] = {};\n", result(v), type(v), value));
  }

  // --- The second function ---

  /// Statements for segment k.
  std::string epilogue(const Step& step) {
    std::vector<std::string> operands;
    for (const KernelVar v : step.operands) operands.push_back(per_segment(v, "k"));
    const KernelVar v = step.results[0];
    return fmt::format("{}    {}.as<{}>()[k] = {};\n", fault_text(step, operands, "k"), result(v), type(v),
                       eval_text(step, operands));
  }

  /// Each target gets the element that was written last, or its default.
  std::string finish_scatter(const Step& step) {
    const KernelVar v = step.results[0];
    return fmt::format(
        "  each_number({5}, {0}.length, [&](i64 k) {{\n"
        "    const u64 writer = a.writers_{1}.as<u64>()[k];\n"
        "    {0}.as<{2}>()[k] = writer == 0 ? {3}.as<{2}>()[k] : {4}.as<{2}>()[writer - 1];\n"
        "  }});\n",
        result(v), name(v), type(v), vector(operand_of(step, vcode::defaults_of(step.op))), whole(step.operands[0]),
        part());
  }

  // --- Functions ---

  void write_functions() {
    std::vector<std::string> carries;
    std::string text, body, find, finish;
    for (const Phase& phase : phases_) {
      if (!made_.folds) body += phase.loop_text() + sums_of(phase);
      if (phase.sums.empty()) continue;
      carries.push_back(carry_type(phase));
      text += fmt::format(
          "struct {0} {{\n{1}  static constexpr int kPadding = {2};\n}};\n"
          "CODE {0} join(const {0}& before, const {0}& after) {{\n  return {{{3}}};\n}}\n",
          carries.back(), phase.members, phase.padding, phase.joins);
    }
    made_.has_sums = !carries.empty();
    const std::string ticket = made_.has_sums ? argument(Role::kTicket, 0, "ticket") : "",
                      block =
                          made_.has_sums && !made_.folds ? fmt::format("blocks_before({})", ticket) : "i64(blockIdx.x)";
    text += fmt::format("using Shared_{} = {};\n", plan_.kernel.number,
                        made_.folds      ? fmt::format("SharesShared<{}>", carries[0])
                        : made_.has_sums ? fmt::format("Shared<{}>", fmt::join(carries, ", "))
                                         : "NothingShared");
    for (const KernelVar v : segmented_)
      find += fmt::format("  TileSegments segments_{0};\n  find_segments(space, {1}, segments_{0});\n", name(v),
                          descriptor(v));
    const std::string space = "  const Space space = space_of<kItems>(a.elements, tile);\n",
                      share = "  const Share share = share_of<kItems>(a.elements, block);\n";
    const std::string parameter = made_.folds ? "block" : "tile", first = made_.folds ? share : space;
    add_function(text, GeneratedKernel::function(plan_.kernel.number), parameter,
                 first + (made_.folds ? fold_of(phases_[0], space + find) : find + body), block);
    if (!made_.folds || !is_single())
      for (const LoopPlan::Epilogue& e : plan_.epilogues)
        finish += marked(*e.step, fmt::format("  each_number({}, {}.length, [&](i64 k) {{\n{}  }});\n", part(),
                                              result(e.step->results[0]), epilogue(*e.step)));
    for (const LoopPlan::Step& s : plan_.whole.steps)
      if (vcode::has_defaults(s.step->op) && is_output(s.step->results[0]))
        finish += marked(*s.step, finish_scatter(*s.step));
    made_.has_finish = !finish.empty();
    if (made_.has_finish)
      add_function(text, GeneratedKernel::finish_function(plan_.kernel.number), parameter, first + finish,
                   "i64(blockIdx.x)");
    for (const auto& [name, member] : members()) {
      made_.arguments.push_back(member);
      made_.arguments.back().has_heads =
          member.role == Role::kDescriptor && (segmented_.contains(member.value) || headed_.contains(member.value));
    }
    made_.text = fmt::format("struct Arguments_{} {{\n  i64 elements;\n{}}};\n{}", plan_.kernel.number,
                             declarations(form_), text);
  }

  void add_function(std::string& text, const std::string& name, const std::string& parameter, const std::string& body,
                    const std::string& block) {
    text += fmt::format(
        "\nCODE void {0}_block(const Arguments_{1}& a, i64 {4}, [[maybe_unused]] Shared_{1}& shared) {{\n"
        "  constexpr int kItems = {5};\n{2}}}\nLAUNCHED({0}, Arguments_{1}, Shared_{1}, {3})\n",
        name, plan_.kernel.number, body, block, parameter, made_.items);
  }

  std::string posts_of(const Phase& phase) {
    return argument(Role::kPosts, 0, fmt::format("posts_of_{}", &phase - phases_), kSumBytes * std::ssize(phase.sums));
  }

  std::string sums_of(const Phase& phase) {
    if (phase.sums.empty()) return "";
    std::string text = fmt::format(
        "  {0}* const of_warps_{1} = shared.sums<{0}>();\n{2}"
        "  const {0}* const carries_{1} = look_back<{0}>(space, {3}, shared);\n{4}",
        carry_type(phase), &phase - phases_, phase.sum_text, posts_of(phase), phase.behind);
    if (phase.counts) text += fmt::format("  give_kept(space, {});\n", argument(Role::kReply, 0, "reply"));
    return text + empty_of(phase);
  }

  /// The number of a block and the number of blocks, in a function.
  std::string_view part() const { return made_.folds ? "share.block, share.blocks" : "space.tile, space.tiles"; }

  std::string empty_of(const Phase& phase) {
    std::string text;
    for (const auto& [segments, stores] : phase.empty)
      text += fmt::format("  each_empty({}, {}, [&](i64 k) {{\n{}  }});\n", part(), descriptor(segments), stores);
    return text;
  }

  /// The body of a function whose blocks fold shares; `begin` is the begin of each tile.
  std::string fold_of(const Phase& phase, std::string_view begin) {
    const std::string carry = carry_type(phase), posts = posts_of(phase);
    if (!is_single()) return segmented_fold_text(phase, carry, posts, begin, empty_of(phase));
    std::string epilogues;
    for (const LoopPlan::Epilogue& e : plan_.epilogues) epilogues += marked(*e.step, epilogue(*e.step));
    return fold_text(phase, carry, posts, begin, epilogues);
  }

  void check_limits() {
    for (const Phase& phase : phases_) {
      if (phase.sums.size() <= kMostSums) continue;
      made_.step = number(*phase.sums[kMostSums]);
      made_.obstacle = fmt::format("more than {} sums at a time", kMostSums);
    }
    std::size_t bytes = 8;
    for (const KernelArgument& a : made_.arguments) bytes += bytes_of(a.role);
    if (bytes > kMostArgumentBytes) {
      made_.step = static_cast<std::uint32_t>(plan_.kernel.steps.size()) - 1;
      made_.obstacle = fmt::format("{} bytes of arguments, of which a launch takes {}", bytes, kMostArgumentBytes);
    }
    if (!made_.obstacle.empty()) made_.text.clear();
  }

  Form form_;
  std::set<KernelVar> sources_;  ///< of scatters with defaults, which the second function reads
  GeneratedKernel made_;
};

}  // namespace

GeneratedKernel generate_kernel(const vcode::Kernel& kernel, std::span<const vcode::Constant> constants,
                                vcode::Widths widths, Form form) {
  const vcode::KernelFacts facts = vcode::look_at(kernel);
  VC_CHECK(facts.error.empty());
  return KernelWriter(LoopPlan(kernel, facts, widths), constants, form).write();
}

}  // namespace cvl::cuda
