#include "generated/kernel_writer.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "generated/row_text.h"
#include "vcode/kernel_rules.h"

namespace cvl::cuda {

using vcode::ElemType;
using vcode::KernelVar;
using vcode::Producer;

namespace {

/// The most sums whose carries fit in the shared memory of a block: 34 carries of as many sums are 48 KB.
constexpr std::size_t kMostSums = 58;
/// Bytes of arguments that a launch may have from CUDA 12.1 on.
constexpr std::size_t kMostArgumentBytes = 32764;
/// Size of one sum in a carry: an extreme of 8 bytes, its index, and whether there is a head.
constexpr std::int64_t kSumBytes = 24;

/// The type of a member, defined in kernel_prelude.h.
std::string_view type_name(KernelArgument::Role role, Form form) {
  using Role = KernelArgument::Role;
  switch (role) {
    case Role::kDescriptor:
      return form == Form::kOneSegment ? "OneSegment" : "Segments";
    case Role::kFaults:
      return "Faults";
    case Role::kTicket:
      return "Ticket";
    case Role::kPosts:
      return "Posts";
    default:
      return "Vector";
  }
}

}  // namespace

KernelWriter::KernelWriter(const vcode::Kernel& kernel, std::span<const vcode::Constant> constants,
                           vcode::Widths widths, Form form)
    : kernel_(kernel),
      constants_(constants),
      widths_(widths),
      form_(form),
      facts_(vcode::look_at(kernel)),
      maker_(kernel.values.size()),
      held_(kernel.values.size()),
      loaded_(kernel.input_count),
      needs_segments_(kernel.input_count),
      number_(std::to_string(kernel.number)) {
  VC_CHECK(facts_.error.empty());
}

GeneratedKernel KernelWriter::write() {
  plan();
  write_functions();
  check_limits();
  return std::move(made_);
}

// --- Plan ---

void KernelWriter::plan() {
  for (const Step& step : kernel_.steps)
    for (const KernelVar v : step.results) maker_[v] = &step;
  for (const Step& step : kernel_.steps)
    if (!step.is_constant()) plan_step(step);
  for (KernelVar v = kernel_.input_count; v < kernel_.values.size(); ++v) {
    const Producer producer = facts_.producers[v];
    const bool elements = producer == Producer::kMap || producer == Producer::kSpread || producer == Producer::kGather;
    if (!elements) continue;
    if (is_output(v)) held_[v] = true;
    // Values of the first loop that the second loop reads are kept.
    for (const Step* step : stages_[1].steps)
      if (stage_of(v) == 0 && std::find(step->operands.begin(), step->operands.end(), v) != step->operands.end())
        held_[v] = true;
  }
}

void KernelWriter::plan_step(const Step& step) {
  switch (facts_.producers[step.results[0]]) {
    case Producer::kMap:
    case Producer::kSpread:
    case Producer::kGather:
      (is_slice(step.results[0]) ? slices_ : stages_[stage_of(step.results[0])].steps).push_back(&step);
      break;
    case Producer::kScatter:
      stages_[stage_of(step.results[0])].steps.push_back(&step);
      if (vcode::has_defaults(step.op) && is_output(step.results[0])) ordered_scatters_.push_back(&step);
      break;
    case Producer::kScan:
    case Producer::kReduce:
    case Producer::kArgReduce:
      plan_fold(step);
      break;
    case Producer::kPack:
      plan_pack(step);
      break;
    case Producer::kEpilogue:
      epilogues_.push_back(&step);
      break;
    case Producer::kInput:
    case Producer::kConstant:
      break;
  }
  made_.has_finish = !epilogues_.empty() || !ordered_scatters_.empty();
}

void KernelWriter::plan_fold(const Step& step) {
  const KernelVar operand = step.operands[0], v = step.results[0];
  const bool scans = facts_.producers[v] == Producer::kScan, positions = facts_.producers[v] == Producer::kArgReduce;
  const vcode::Monoid monoid = vcode::info(step.op).monoid;
  made_.monoids.insert(monoid);
  held_[operand] = true;
  const int s = stage_of(operand);
  Stage& stage = stages_[s];
  const std::string segments = descriptor(step.operands[1]), in_tile = tile_segments(step.operands[1]),
                    sums = "sums_" + name(v);
  const std::string fold =
      fmt::format("{}<monoids::{}, {}>", positions ? "FirstPosition" : "Plain", monoid_name(monoid), type(operand));
  stage.sums.push_back({&step, name(v), fold, operand, in_tile});
  if (scans) {
    stage.behind += marked(step, fmt::format("  Items<{}> {};\n  scan_items(space, {}, {}, {}, carry_{}.{}, {});\n",
                                             type(v), items(v), in_tile, items(operand), sums, s, name(v), items(v)));
    return;
  }
  stage.behind += marked(step, fmt::format("  store_sums<{}>(space, {}, {}, {}, {}, carry_{}.{}, {});\n", type(v),
                                           segments, in_tile, items(operand), sums, s, name(v), result(v)));
  const std::string empty_value = positions ? fmt::format("highest<{}>()", type(v)) : fold + "::empty_value()";
  stage.empty[step.operands[1]] +=
      marked(step, fmt::format("    {}.as<{}>()[k] = {};\n", result(v), type(v), empty_value));
}

void KernelWriter::plan_pack(const Step& step) {
  stages_[1].steps.push_back(&step);
  const KernelVar elements = step.results[0], flags = step.operands[1];
  if (first_pack(step) != elements) return;
  held_[flags] = true;
  Stage& stage = stages_[0];
  const KernelVar lengths = step.results[1];
  const std::string positions = "positions_" + name(elements), segments = descriptor(step.operands[2]),
                    in_tile = tile_segments(step.operands[2]);
  stage.sums.push_back({&step, positions, fmt::format("Kept<{}>", vcode::elem_name(widths_.int_type)), flags, in_tile});
  const std::string kept = argument(Role::kKept, elements, "kept_" + name(elements), 8, false);
  stage.behind +=
      marked(step, fmt::format("  Items<u32> items_{0};\n"
                               "  place_kept(space, {1}, {2}, {3}, sums_{0}, carry_0.{0}, items_{0}, {4}, {5});\n",
                               positions, segments, in_tile, items(flags), kept, result(lengths)));
  stage.empty[step.operands[2]] +=
      marked(step, fmt::format("    {}.as<{}>()[k] = 0;\n", result(lengths), vcode::elem_name(widths_.int_type)));
}

void KernelWriter::check_limits() {
  for (const Stage& stage : stages_) {
    if (stage.sums.size() <= kMostSums) continue;
    made_.step = number(*stage.sums[kMostSums].step);
    made_.obstacle = fmt::format("more than {} sums at a time", kMostSums);
  }
  std::size_t bytes = 8;
  for (const KernelArgument& a : made_.arguments) bytes += bytes_of(a.role);
  if (bytes > kMostArgumentBytes) {
    made_.step = static_cast<std::uint32_t>(kernel_.steps.size()) - 1;
    made_.obstacle = fmt::format("{} bytes of arguments, of which a launch takes {}", bytes, kMostArgumentBytes);
  }
  if (!made_.obstacle.empty()) made_.text.clear();
}

// --- Text ---

void KernelWriter::write_functions() {
  const std::string argument_type = "Arguments_" + number_, shared_type = "Shared_" + number_;
  std::vector<std::string> carry_sizes;
  std::string carries;
  for (int s = 0; s < 2; ++s) {
    const std::vector<Sum>& sums = stages_[s].sums;
    if (sums.empty()) continue;
    made_.has_sums = true;
    const std::string carry = fmt::format("Carry_{}_{}", number_, s);
    carry_sizes.push_back(fmt::format("int(sizeof({}))", carry));
    std::string members, none, joined;
    for (const Sum& sum : sums) {
      members += fmt::format("  Run<{}> {};\n", sum.type, sum.name);
      none += fmt::format("{}no_elements<{}>()", none.empty() ? "" : ", ", sum.type);
      joined += fmt::format("{0}join(before.{1}, after.{1})", joined.empty() ? "" : ", ", sum.name);
    }
    carries += fmt::format(
        "struct {0} {{\n{1}  CODE static {0} none() {{ return {{{2}}}; }}\n}};\n"
        "CODE {0} join(const {0}& before, const {0}& after) {{\n  return {{{3}}};\n}}\n",
        carry, members, none, joined);
  }
  const std::string shared = carry_sizes.empty() ? "NothingShared"
                             : carry_sizes.size() == 1
                                 ? fmt::format("Shared<{}>", carry_sizes[0])
                                 : fmt::format("Shared<({0} > {1} ? {0} : {1})>", carry_sizes[0], carry_sizes[1]);
  const std::string ticket =
      carry_sizes.empty() ? "" : argument(Role::kTicket, 0, "ticket", 0, false).replace(0, 1, "arguments");
  std::string body, finish;
  for (int s = 0; s < 2; ++s) {
    body += stage_loop(s);
    body += stage_sums(s);
  }
  std::string find;
  for (KernelVar v = 0; v < kernel_.input_count; ++v)
    if (needs_segments_[v])
      find += fmt::format("  TileSegments segments_{0};\n  find_segments(space, {1}, segments_{0});\n", name(v),
                          descriptor(v));
  if (made_.has_finish) {
    for (const Step* step : epilogues_) finish += marked(*step, epilogue(*step));
    for (const Step* step : ordered_scatters_) finish += marked(*step, ordered_scatter(*step));
  }
  std::string members;
  for (const auto& [name, member] : members_) {
    members += fmt::format("  {} {};\n", type_name(member.role, form_), name);
    made_.arguments.push_back(member);
  }
  made_.text = fmt::format("struct {} {{\n  i64 elements;\n{}}};\n{}using {} = {};\n", argument_type, members, carries,
                           shared_type, shared);
  const auto function = [&](const std::string& name, const std::string& text, const std::string& tile) {
    made_.text += fmt::format(
        "\nCODE void {0}_block(const {1}& a, i64 tile, [[maybe_unused]] {2}& shared) {{\n"
        "  const Space space = space_of(a.elements, tile);\n{3}}}\nLAUNCHED({0}, {1}, {2}, {4})\n",
        name, argument_type, shared_type, text, tile);
  };
  function(GeneratedKernel::function(kernel_.number), find + body,
           ticket.empty() ? "i64(blockIdx.x)" : fmt::format("blocks_before({})", ticket));
  if (made_.has_finish) function(GeneratedKernel::finish_function(kernel_.number), finish, "i64(blockIdx.x)");
}

std::string KernelWriter::stage_loop(int s) {
  const Stage& stage = stages_[s];
  loop_ = s;
  at_hand_.assign(kernel_.values.size(), false);
  located_.assign(kernel_.values.size(), false);
  loop_head_.clear();
  std::string body, loads, stores;
  for (const Step* step : stage.steps) body += marked(*step, step_text(*step));
  // Inputs are loaded before the first loop that reads them or sums them.
  for (KernelVar v = 0; v < kernel_.input_count; ++v) {
    const bool summed =
        std::any_of(stage.sums.begin(), stage.sums.end(), [&](const Sum& sum) { return sum.items == v; });
    if (!(at_hand_[v] || summed) || (s == 1 && loaded_[v])) continue;
    loaded_[v] = true;
    loads += fmt::format("  Items<{}> {};\n  load(space, {}, {});\n", type(v), items(v), vector(v), items(v));
  }
  // Slices are loaded from memory, like inputs, and depend on no other step.
  if (s == 0)
    for (const Step* step : slices_) loads += marked(*step, slice_text(*step));
  for (KernelVar v = kernel_.input_count; v < kernel_.values.size(); ++v) {
    const Producer producer = facts_.producers[v];
    const bool scanned = producer == Producer::kScan;
    if (!held_[v] && !(scanned && is_output(v))) continue;
    if (scanned ? s == 0 : stage_of(v) != s) continue;
    if (!scanned && !is_slice(v)) loads += fmt::format("  Items<{}> {};\n", type(v), items(v));
    if (is_output(v)) stores += fmt::format("  store(space, {}, {});\n", items(v), result(v));
  }
  if (stage.steps.empty()) return loads + stores;
  return fmt::format("{}  EACH_THREAD(t) EACH_ITEM(space, t, i, e) {{\n{}{}  }}\n{}", loads, loop_head_, body, stores);
}

std::string KernelWriter::stage_sums(int s) {
  const Stage& stage = stages_[s];
  if (stage.sums.empty()) return "";
  std::string text = fmt::format("  Carry_{0}_{1}& own_{1} = shared.own<Carry_{0}_{1}>();\n", number_, s);
  for (const Sum& sum : stage.sums)
    text += marked(*sum.step, fmt::format("  TileSums<{0}> sums_{1};\n"
                                          "  sum_tile(space, {2}, {3}, shared, sums_{1}, own_{4}.{1});\n",
                                          sum.type, sum.name, sum.tile_segments, items(sum.items), s));
  const std::string posts =
      argument(Role::kPosts, 0, fmt::format("posts_{}", s), kSumBytes * std::ssize(stage.sums), false);
  text += fmt::format("  const Carry_{0}_{1}& carry_{1} = look_back(space, {2}, own_{1}, shared);\n{3}", number_, s,
                      posts, stage.behind);
  for (const auto& [segments, stores] : stage.empty)
    text += fmt::format("  each_empty(space, {}, [&](i64 k) {{\n{}  }});\n", descriptor(segments), stores);
  // The sums of the second stage overwrite the shared memory of the first.
  return s == 0 && !stages_[1].sums.empty() ? text + "  BARRIER();\n" : text;
}

std::string KernelWriter::epilogue(const Step& step) {
  std::vector<std::string> operands;
  for (const KernelVar v : step.operands) operands.push_back(per_segment(v, "k"));
  const KernelVar v = step.results[0];
  return fmt::format("  each_number(space, {0}.length, [&](i64 k) {{\n{1}    {0}.as<{2}>()[k] = {3};\n  }});\n",
                     result(v), fault_text(step, operands, "k"), type(v), eval_text(step, operands));
}

// --- Values and arguments ---

std::string KernelWriter::name(KernelVar v) const {
  std::string text;
  for (const char c : kernel_.values[v].name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) text += c;
  return fmt::format("{}{}_{}", text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0 ? "v" : "", text,
                     v);
}

std::string KernelWriter::type(KernelVar v) const {
  return std::string(vcode::elem_name(widths_.of(kernel_.values[v].kind)));
}

bool KernelWriter::is_output(KernelVar v) const {
  return std::find(kernel_.outputs.begin(), kernel_.outputs.end(), v) != kernel_.outputs.end();
}

bool KernelWriter::is_slice(KernelVar v) const {
  return facts_.producers[v] == Producer::kSpread && maker_[v]->op == vcode::Op::kSlice;
}

std::string KernelWriter::literal(KernelVar v) const {
  const vcode::Constant& constant = constants_[maker_[v]->constant];
  switch (widths_.of(kernel_.values[v].kind)) {
    case ElemType::kB8:
      return constant.bools[0] != 0 ? "true" : "false";
    case ElemType::kF32:
      return fmt::format("f32({:a})", static_cast<float>(constant.floats[0]));
    case ElemType::kF64:
      return fmt::format("f64({:a})", constant.floats[0]);
    case ElemType::kI32:
    case ElemType::kI64:
      break;
  }
  // INT64_MIN has no literal in C++.
  if (constant.ints[0] == INT64_MIN) return "lowest<i64>()";
  return fmt::format("{}({}{})", type(v), constant.ints[0], widths_.int_type == ElemType::kI64 ? "ll" : "");
}

KernelVar KernelWriter::descriptor_like(const Step& step, int operand) {
  return step.operands[static_cast<std::size_t>(vcode::descriptor_like(step, operand))];
}

KernelVar KernelWriter::first_pack(const Step& step) const {
  return kernel_.steps[vcode::first_pack_like(kernel_, number(step))].results[0];
}

std::string KernelWriter::element(KernelVar v) {
  const Producer producer = facts_.producers[v];
  const bool here = !is_input(v) && !is_slice(v) && producer != Producer::kScan && stage_of(v) == loop_;
  if (!here && !at_hand_[v]) loop_head_ += fmt::format("    const {} {} = {}(t, i);\n", type(v), name(v), items(v));
  at_hand_[v] = true;
  return name(v);
}

std::string KernelWriter::per_segment(KernelVar v, std::string_view k) {
  if (facts_.producers[v] == Producer::kConstant) return literal(v);
  return fmt::format("{}.as<{}>()[{}]", is_input(v) ? vector(v) : result(v), type(v), k);
}

std::string KernelWriter::segment(KernelVar v) {
  const std::string number = "segment_" + name(v);
  if (!located_[v])
    loop_head_ +=
        fmt::format("    const i64 {} = segment_of({}, {}(t), i);\n", number, descriptor(v), tile_segments(v));
  located_[v] = true;
  return number;
}

std::string KernelWriter::argument(Role role, KernelVar v, const std::string& member, std::int64_t bytes,
                                   bool cleared) {
  members_.emplace(member, KernelArgument{role, v, bytes, cleared});
  return "a." + member;
}
std::string KernelWriter::vector(KernelVar v) { return argument(Role::kOperand, v, name(v), element_bytes(v), false); }
std::string KernelWriter::descriptor(KernelVar v) { return argument(Role::kDescriptor, v, name(v), 0, false); }
std::string KernelWriter::tile_segments(KernelVar v) {
  needs_segments_[v] = true;
  return "segments_" + name(v);
}
std::string KernelWriter::result(KernelVar v) {
  // Targets of an FPERMUTE that no element is written to are 0.
  const bool cleared = maker_[v]->op == vcode::Op::kFpermute;
  return argument(Role::kResult, v, name(v), element_bytes(v), cleared);
}
std::string KernelWriter::faults() { return argument(Role::kFaults, 0, "faults", 0, false); }

}  // namespace cvl::cuda
