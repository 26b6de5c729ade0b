#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "generated/generated_kernel.h"
#include "generated/kernel_names.h"
#include "generated/kernel_phase.h"
#include "generated/row_text.h"
#include "kernels/loop_plan.h"

namespace cvl::cuda {

namespace {

using kernels::Loop;
using kernels::LoopPlan;
using vcode::KernelVar;
using vcode::Producer;
using Step = vcode::Kernel::Step;
using Role = KernelArgument::Role;

/// Prints the plan of a kernel. As blocks wait for the carries of earlier ones, one function computes the whole of the
/// plan, in up to two phases for a tile: steps that need no carries; those after a scan, and the stores of PACKs.
class KernelWriter : KernelNames {
 public:
  KernelWriter(const LoopPlan& plan, std::span<const vcode::Constant> constants, Form form)
      : KernelNames(plan, constants),
        plan_(plan),
        form_(form),
        inputs_(plan.values.size()),
        tables_(plan.values.size()),
        homes_(plan.values.size(), phases_) {
    for (const Loop::Input& input : plan.whole.loop.inputs) inputs_[input.value] = &input;
    for (const Loop::Gather& gather : plan.whole.loop.gathers)
      tables_[gather.step->results[0]] = &plan.whole.loop.tables[static_cast<std::size_t>(gather.table)];
    made_.rounds = plan.by_blocks();
    made_.folds = form == Form::kOneSegment && has_reductions_only();
  }

  GeneratedKernel write() {
    if (is_repeated()) write_rounds();
    for (Phase& phase : phases_) {
      phase_ = &phase;
      for (const LoopPlan::Step& s : plan_.whole.steps) add_step(s);
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
    if (s.producer == Producer::kScan) {
      if (!is_second()) add_scan(s);
    } else if (s.producer == Producer::kPack) {
      if (is_second()) return add_to_loop(*s.step, pack_text(s));
      if (s.counts) add_count(s);
      if (form_ == Form::kPackedLengths && sums_kept(plan_.kernel, number(*s.step)) && is_output(v)) add_kept_sum(s);
    } else if (s.after_scan == is_second()) {
      if (s.producer == Producer::kSpread) return;  // an input
      if (vcode::is_reduction(s.producer)) return add_reduction(s);
      if (s.producer == Producer::kScatter) return add_to_loop(*s.step, scatter_text(*s.step));
      VC_CHECK(s.producer == Producer::kMap || s.producer == Producer::kGather);
      add_to_loop(*s.step, s.producer == Producer::kMap ? map_text(*s.step) : gather_text(s));
      phase_->known.insert(v);
      homes_[v] = phase_;
    }
  }

  void write_rounds() {
    const std::vector<KernelVar>& outputs = plan_.kernel.outputs;
    phases_[0].round = "    NOT_UNROLLED for (int round = 0; round < kMostRounds; ++round) {\n";
    phases_[0].next = fmt::format("    if (!{}) break;\n", name(outputs.back()));
    for (KernelVar v = 0; v < plan_.kernel.repeated; ++v)
      if (inputs_[v] != nullptr) phases_[0].next += fmt::format("    {} = {};\n", name(v), name(outputs[v]));
    phases_[0].next += "    }\n";
  }

  void add_to_loop(const Step& step, std::string_view text) { phase_->body += marked(step, text); }

  void add_output(KernelVar v) {
    if (!is_output(v)) return;
    add_store(v);
  }

  void add_store(KernelVar v) {
    phase_ = homes_[v];
    const std::string stored = items(v);
    phase_->stores += fmt::format("  store(space, {}, {});\n", stored, whole(v));
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
      text =
          fmt::format("  Positions {0};\n  find_positions(space, {1}, {2}, [&](i64 k) {{ return i64({3}); }}, {0});\n",
                      at, descriptor(segments), tile_segments(segments), per_segment(input.segments, "k"));
    return text + fmt::format("  Items<{0}> {1};\n  slice(space, {2}, {3}, {4}, {5}, {1});\n", type(v), items(v), at,
                              vector(input.table), faults(), number(*input.maker));
  }

  /// The beginning of an index expression that is -1 where the flag of a gather or scatter is false.
  std::string not_flagged(const Step& step) {
    const KernelVar flags = operand_of(step, vcode::RoleType::kBool);
    return flags == kNone ? "" : fmt::format("!{} ? -1 : ", element(flags));
  }

  std::string gather_text(const LoopPlan::Step& s) {
    const KernelVar v = s.step->results[0];
    const Loop::Table& table = *tables_[v];
    const std::string k = segment(segments_of(s.segmentation)), index = element(s.step->operands[1]),
                      flag = not_flagged(*s.step);
    return fmt::format(
        "    const i64 position_{1} = {2}position_in({3}, {4}, {5}, {6}, {7}, e);\n"
        "    const {0} {1} = position_{1} < 0 ? {0}(0) : {8}.as<{0}>()[position_{1}];\n",
        type(v), name(v), flag, descriptor(table.descriptor), k, index, faults(), number(*s.step), vector(table.value));
  }

  std::string scatter_text(const Step& step) {
    const KernelVar v = step.results[0], to = descriptor_of(step, -1);
    const std::string k = segment(descriptor_of(step, 0)), source = element(step.operands[0]),
                      index = element(step.operands[1]), flag = not_flagged(step), position = "position_" + name(v);
    std::string text = fmt::format("    const i64 {} = {}position_in({}, {}, {}, {}, {}, e);\n", position, flag,
                                   descriptor(to), k, index, faults(), number(step));
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

  /// Whether the kernel can fold: all its sums are reductions, and no second function follows, which would need as many
  /// blocks as there are tiles.
  bool has_reductions_only() const {
    bool has_any = false;
    for (const LoopPlan::Step& s : plan_.whole.steps) {
      if (s.producer == Producer::kScan || s.producer == Producer::kPack || vcode::has_defaults(s.step->op))
        return false;
      has_any = has_any || vcode::is_reduction(s.producer);
    }
    return has_any;
  }

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
    if (made_.folds) {
      phase_->begin += marked(*s.step, declaration);
      phase_->stores += marked(*s.step, fmt::format("  add_items(space, {}, sums_{});\n", items, name));
      phase_->sum_text +=
          marked(*s.step, fmt::format("  sum_threads(sums_{}, of_warps_{}, {});\n", name, number, member));
      return "";
    }
    const std::string elements = fmt::format("{}, {}", tile_segments(segments_of(s.segmentation)), items);
    phase_->sum_text += marked(*s.step, fmt::format("{}  sum_tile(space, {}, sums_{}, of_warps_{}, {});\n", declaration,
                                                    elements, name, number, member));
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
    homes_[v] = &phases_[1];
    phase_->behind +=
        marked(*s.step, fmt::format("  Items<{0}> {1};\n  scan_items(space, {2}, {1});\n", type(v), items(v), sums));
  }

  void add_reduction(const LoopPlan::Step& s) {
    const KernelVar v = s.step->results[0], segments = segments_of(s.segmentation);
    const std::string fold = fold_type(s), sums = add_sum(s, items(s.step->operands[0]), name(v), fold),
                      empty = s.producer == Producer::kArgReduce ? fmt::format("highest<{}>()", type(v))
                                                                 : fold + "::empty_value()";
    if (made_.folds) {
      phase_->behind += marked(*s.step, fmt::format("    {0}.as<{1}>()[k] = total<{1}>(share, totals->{2}, {3});\n",
                                                    result(v), type(v), name(v), empty));
      return;
    }
    phase_->behind += marked(
        *s.step, fmt::format("  store_sums<{}>(space, {}, {}, {});\n", type(v), descriptor(segments), sums, result(v)));
    add_empty(s, v, empty);
  }

  void add_count(const LoopPlan::Step& s) {
    const KernelVar v = s.step->results[0], lengths = s.step->results[1];
    const std::string positions = fmt::format("positions_of_{}", s.number),
                      sums = add_sum(s, items(s.step->operands[1]), positions, fmt::format("Kept<{}>", type(lengths)));
    phase_->behind +=
        marked(*s.step, fmt::format("  Items<u32> items_{0};\n  place_kept(space, {1}, {2}, items_{0}, {3}, {4});\n",
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
    phase_->loads += fmt::format("  Items<{}> {};\n", type(x), items);
    phase_->keeps += marked(*s.step, fmt::format("    {}(t, i) = {};\n", items, value));
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
        "  each_number(space, {0}.length, [&](i64 k) {{\n"
        "    const u64 writer = a.writers_{1}.as<u64>()[k];\n"
        "    {0}.as<{2}>()[k] = writer == 0 ? {3}.as<{2}>()[k] : {4}.as<{2}>()[writer - 1];\n"
        "  }});\n",
        result(v), name(v), type(v), vector(operand_of(step, vcode::RoleType::kSuffix)), whole(step.operands[0]));
  }

  // --- Functions ---

  void write_functions() {
    std::vector<std::string> carries;
    std::string text, body, find, finish;
    for (const Phase& phase : phases_) {
      if (!made_.folds) body += phase.loop() + sums_of(phase);
      if (phase.sums.empty()) continue;
      carries.push_back(carry_type(phase));
      text += fmt::format(
          "struct {0} {{\n{1}  static constexpr int kPadding = {2};\n}};\n"
          "CODE {0} join(const {0}& before, const {0}& after) {{\n  return {{{3}}};\n}}\n",
          carries.back(), phase.members, phase.padding, phase.joins);
    }
    made_.has_sums = !carries.empty();
    const std::string block =
        made_.has_sums ? fmt::format("blocks_before({})", argument(Role::kTicket, 0, "ticket")) : "i64(blockIdx.x)";
    text += fmt::format("using Shared_{} = {};\n", plan_.kernel.number,
                        made_.has_sums ? fmt::format("Shared<{}>", fmt::join(carries, ", ")) : "NothingShared");
    for (const KernelVar v : segmented_)
      find += fmt::format("  TileSegments segments_{0};\n  find_segments(space, {1}, segments_{0});\n", name(v),
                          descriptor(v));
    const std::string space = "  const Space space = space_of(a.elements, tile);\n";
    add_function(text, GeneratedKernel::function(plan_.kernel.number), made_.folds ? "block" : "tile",
                 made_.folds ? fold_of(phases_[0], space + find) : space + find + body, block);
    if (!made_.folds)
      for (const LoopPlan::Epilogue& e : plan_.epilogues)
        finish += marked(*e.step, fmt::format("  each_number(space, {}.length, [&](i64 k) {{\n{}  }});\n",
                                              result(e.step->results[0]), epilogue(*e.step)));
    for (const LoopPlan::Step& s : plan_.whole.steps)
      if (vcode::has_defaults(s.step->op) && is_output(s.step->results[0]))
        finish += marked(*s.step, finish_scatter(*s.step));
    made_.has_finish = !finish.empty();
    VC_CHECK(!(made_.folds && made_.has_finish));
    if (made_.has_finish)
      add_function(text, GeneratedKernel::finish_function(plan_.kernel.number), "tile", space + finish,
                   "i64(blockIdx.x)");
    for (const auto& [name, member] : members()) {
      made_.arguments.push_back(member);
      made_.arguments.back().has_heads = member.role == Role::kDescriptor && segmented_.contains(member.value);
    }
    made_.text = fmt::format("struct Arguments_{} {{\n  i64 elements;\n{}}};\n{}", plan_.kernel.number,
                             declarations(form_), text);
  }

  void add_function(std::string& text, const std::string& name, const std::string& parameter, const std::string& body,
                    const std::string& block) {
    text += fmt::format(
        "\nCODE void {0}_block(const Arguments_{1}& a, i64 {4}, [[maybe_unused]] Shared_{1}& shared) {{\n"
        "{2}}}\nLAUNCHED({0}, Arguments_{1}, Shared_{1}, {3})\n",
        name, plan_.kernel.number, body, block, parameter);
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
    for (const auto& [segments, stores] : phase.empty)
      text += fmt::format("  each_empty(space, {}, [&](i64 k) {{\n{}  }});\n", descriptor(segments), stores);
    return text;
  }

  /// The body of a function whose blocks fold shares of one segment; `begin` is the begin of each tile. Results and
  /// epilogues are of segment 0.
  std::string fold_of(const Phase& phase, std::string_view begin) {
    std::string epilogues;
    for (const LoopPlan::Epilogue& e : plan_.epilogues) epilogues += marked(*e.step, epilogue(*e.step));
    return fmt::format(
        "  const Share share = share_of(a.elements, block);\n{0}"
        "  NOT_UNROLLED for (i64 tile = share.first; tile < share.end; ++tile) {{\n{1}{2}  }}\n"
        "  {3}* const of_warps_0 = shared.sums<{3}>();\n{4}"
        "  const {3}* const totals = join_shares<{3}>(share, {5}, shared);\n"
        "  if (totals == nullptr) return;\n"
        "  EACH_THREAD(t) if (const i64 k = t; k == 0) {{\n{6}{7}  }}\n",
        phase.begin, begin, phase.loop(), carry_type(phase), phase.sum_text, posts_of(phase), phase.behind, epilogues);
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

  // --- Values ---

  bool is_second() const { return phase_ != phases_; }
  KernelVar segments_of(int segmentation) const { return plan_.segmentations[static_cast<std::size_t>(segmentation)]; }

  /// A value in the loop of the phase.
  std::string element(KernelVar v) {
    if (phase_->known.contains(v)) return name(v);
    const Loop::Input* const input = inputs_[v];
    if (is_made_in_loop(input) && !phases_[0].known.contains(v)) {
      const std::string text = made_text(*input);
      phase_->head += marked(*input->maker, text);
      homes_[v] = phase_;
    } else {
      const std::string from = items(v);
      const bool varies = is_repeated() && v < plan_.kernel.repeated;
      phase_->head += fmt::format("    {}{} {} = {}(t, i);\n", varies ? "" : "const ", type(v), name(v), from);
    }
    phase_->known.insert(v);
    return name(v);
  }
  static bool is_made_in_loop(const Loop::Input* input) {
    return input != nullptr && input->is_made() && input->access != Loop::Access::kSlice;
  }

  /// A value outside of loops. Its home loads or computes it.
  std::string items(KernelVar v) {
    const std::string items = "items_" + name(v), declaration = fmt::format("  Items<{}> {};\n", type(v), items);
    if (!held_.insert(v).second) return items;
    const Loop::Input* const input = inputs_[v];
    if (input != nullptr && input->access == Loop::Access::kSlice) {
      phase_->loads += marked(*input->maker, slice_text(*input));
      homes_[v] = phase_;
    } else if (is_input(v)) {
      phase_->loads += fmt::format("{}  load(space, {}, {});\n", declaration, vector(v), items);
    } else {
      if (is_made_in_loop(input) && !phases_[0].known.contains(v)) element(v);
      homes_[v]->loads += declaration;
      homes_[v]->keeps += fmt::format("    {}(t, i) = {};\n", items, name(v));
    }
    return items;
  }

  /// The segment of an element, in the loop of the phase.
  std::string segment(KernelVar descriptor) {
    const std::string number = "segment_" + name(descriptor);
    if (phase_->known.insert(descriptor).second)
      phase_->head += fmt::format("    const i64 {} = segment_of({}, {}(t), i);\n", number,
                                  this->descriptor(descriptor), tile_segments(descriptor));
    return number;
  }

  /// The segments of a tile's elements, of a descriptor over the index space.
  std::string tile_segments(KernelVar v) {
    segmented_.insert(v);
    return "segments_" + name(v);
  }

  const LoopPlan& plan_;
  Form form_;
  std::vector<const Loop::Input*> inputs_;  ///< by value; null if it is none of the loop
  std::vector<const Loop::Table*> tables_;  ///< by the result of a gather
  Phase phases_[2];
  Phase* phase_ = phases_;         ///< the phase that is being written
  std::vector<Phase*> homes_;      ///< by value: the phase that loads or computes it; for a scan, the phase behind it
  std::set<KernelVar> held_;       ///< values with Items
  std::set<KernelVar> sources_;    ///< sources of scatters with defaults, which the second function reads
  std::set<std::string> found_;    ///< names of the positions of slices that are computed
  std::set<KernelVar> segmented_;  ///< descriptors whose head bits are found
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
