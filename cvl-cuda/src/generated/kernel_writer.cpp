#include "generated/kernel_writer.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"

namespace cvl::cuda {

using kernels::Loop;
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

KernelWriter::KernelWriter(const kernels::LoopPlan& plan, std::span<const vcode::Constant> constants, Form form)
    : plan_(plan),
      constants_(constants),
      form_(form),
      inputs_(plan.values.size()),
      tables_(plan.values.size()),
      homes_(plan.values.size(), phases_) {
  for (const Input& input : plan.whole.loop.inputs) inputs_[input.value] = &input;
  auto table = plan.whole.loop.tables.begin();
  for (const PlanStep& s : plan.whole.steps)
    if (s.producer == Producer::kGather) tables_[s.step->results[0]] = &*table++;
  made_.rounds = plan.by_blocks();
}

GeneratedKernel KernelWriter::write() {
  const Loop& loop = plan_.whole.loop;
  for (Phase& phase : phases_) {
    phase_ = &phase;
    for (const PlanStep& s : plan_.whole.steps) add_step(s);
    for (const PlanStep& s : plan_.ordered_scatters)
      if (s.after_scan == (phase_ != phases_)) add_to_loop(*s.step, scatter_text(*s.step));
  }
  // Of slices, those that no loop reads.
  phase_ = phases_;
  for (const Input& input : loop.inputs)
    if (input.access == Loop::Access::kSlice) items(input.value);
  for (const Loop::Output& output : loop.outputs)
    if (const KernelVar v = output.value; is_output(v)) {
      phase_ = homes_[v];
      const std::string stored = items(v);
      phase_->stores += fmt::format("  store(space, {}, {});\n", stored, result(v));
    }
  write_functions();
  check_limits();
  return std::move(made_);
}

/// Adds the part of a step that belongs to the phase.
void KernelWriter::add_step(const PlanStep& s) {
  const Step& step = *s.step;
  const KernelVar v = step.results[0];
  const bool is_second = phase_ != phases_;
  if (s.producer == Producer::kScan) {
    if (!is_second) add_scan(s);
  } else if (s.producer == Producer::kPack) {
    if (is_second) return add_to_loop(step, pack_text(s));
    if (s.counts) add_count(s);
  } else if (s.after_scan == is_second) {
    if (vcode::is_reduction(s.producer)) return add_reduction(s);
    if (s.producer == Producer::kScatter) return add_to_loop(step, scatter_text(step));
    if (s.producer == Producer::kSpread) return;  // an input
    VC_CHECK(s.producer == Producer::kMap || s.producer == Producer::kGather);
    add_to_loop(step, s.producer == Producer::kMap ? map_text(step) : gather_text(s));
    phase_->known.insert(v);
    homes_[v] = phase_;
  }
}

void KernelWriter::check_limits() {
  for (const Phase& phase : phases_) {
    if (phase.sums.size() <= kMostSums) continue;
    made_.step = number(*phase.sums[kMostSums].step);
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

// --- Text ---

void KernelWriter::write_functions() {
  const std::int64_t kernel = plan_.kernel.number;
  const std::string argument_type = fmt::format("Arguments_{}", kernel), shared_type = fmt::format("Shared_{}", kernel);
  std::vector<std::string> carry_sizes;
  std::string carries, body, find, finish, members;
  for (const Phase& phase : phases_) {
    body += text_of(phase);
    if (phase.sums.empty()) continue;
    made_.has_sums = true;
    const std::string carry = fmt::format("Carry_{}_{}", kernel, &phase - phases_);
    carry_sizes.push_back(fmt::format("int(sizeof({}))", carry));
    std::string sums, none, joined;
    for (const Sum& sum : phase.sums) {
      sums += fmt::format("  Run<{}> {};\n", sum.type, sum.name);
      none += fmt::format("{}no_elements<{}>()", none.empty() ? "" : ", ", sum.type);
      joined += fmt::format("{0}join(before.{1}, after.{1})", joined.empty() ? "" : ", ", sum.name);
    }
    carries += fmt::format(
        "struct {0} {{\n{1}  CODE static {0} none() {{ return {{{2}}}; }}\n}};\n"
        "CODE {0} join(const {0}& before, const {0}& after) {{\n  return {{{3}}};\n}}\n",
        carry, sums, none, joined);
  }
  const std::string shared = carry_sizes.empty() ? "NothingShared"
                             : carry_sizes.size() == 1
                                 ? fmt::format("Shared<{}>", carry_sizes[0])
                                 : fmt::format("Shared<({0} > {1} ? {0} : {1})>", carry_sizes[0], carry_sizes[1]);
  const std::string ticket =
      carry_sizes.empty() ? "" : argument(Role::kTicket, 0, "ticket", 0, false).replace(0, 1, "arguments");
  for (const KernelVar v : segmented_)
    find += fmt::format("  TileSegments segments_{0};\n  find_segments(space, {1}, segments_{0});\n", name(v),
                        descriptor(v));
  for (const kernels::LoopPlan::Epilogue& e : plan_.epilogues) finish += marked(*e.step, epilogue(*e.step));
  for (const PlanStep& s : plan_.ordered_scatters)
    if (is_output(s.step->results[0])) finish += marked(*s.step, ordered_scatter(*s.step));
  made_.has_finish = !finish.empty();
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
  function(GeneratedKernel::function(kernel), find + body,
           ticket.empty() ? "i64(blockIdx.x)" : fmt::format("blocks_before({})", ticket));
  if (made_.has_finish) function(GeneratedKernel::finish_function(kernel), finish, "i64(blockIdx.x)");
}

std::string KernelWriter::text_of(const Phase& phase) {
  std::string text = phase.loads;
  if (!phase.body.empty() || !phase.keeps.empty())
    text +=
        fmt::format("  EACH_THREAD(t) EACH_ITEM(space, t, i, e) {{\n{}{}{}  }}\n", phase.head, phase.body, phase.keeps);
  text += phase.stores;
  if (phase.sums.empty()) return text;
  const auto number = &phase - phases_;
  const std::string posts =
      argument(Role::kPosts, 0, fmt::format("posts_of_{}", number), kSumBytes * std::ssize(phase.sums), false);
  text += fmt::format(
      "  Carry_{0}_{1}& own_{1} = shared.own<Carry_{0}_{1}>();\n{2}"
      "  const Carry_{0}_{1}& carry_{1} = look_back(space, {3}, own_{1}, shared);\n{4}",
      plan_.kernel.number, number, phase.sum_text, posts, phase.behind);
  for (const auto& [segments, stores] : phase.empty)
    text += fmt::format("  each_empty(space, {}, [&](i64 k) {{\n{}  }});\n", descriptor(segments), stores);
  // The sums of the second phase overwrite the shared memory of the first.
  return number == 0 && !phases_[1].sums.empty() ? text + "  BARRIER();\n" : text;
}

// --- Values and arguments ---

std::string KernelWriter::name(KernelVar v) const {
  std::string text;
  for (const char c : plan_.kernel.values[v].name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) text += c;
  return fmt::format("{}{}_{}", text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0 ? "v" : "", text,
                     v);
}

bool KernelWriter::is_output(KernelVar v) const {
  return std::ranges::find(plan_.kernel.outputs, v) != plan_.kernel.outputs.end();
}

std::string KernelWriter::literal(KernelVar v) const {
  const vcode::Constant& constant = constants_[plan_.values[v].constant];
  switch (plan_.values[v].type) {
    case ElemType::kB8:
      return constant.bools[0] != 0 ? "true" : "false";
    case ElemType::kF32:
      return fmt::format("f32({:a})", static_cast<float>(constant.floats[0]));
    case ElemType::kF64:
      return fmt::format("f64({:a})", constant.floats[0]);
    case ElemType::kI32:
      return fmt::format("i32({})", constant.ints[0]);
    case ElemType::kI64:
      break;
  }
  // INT64_MIN has no literal in C++.
  return constant.ints[0] == INT64_MIN ? "lowest<i64>()" : fmt::format("i64({}ll)", constant.ints[0]);
}

std::string KernelWriter::element(KernelVar v) {
  if (phase_->known.contains(v)) return name(v);
  const Input* const input = inputs_[v];
  const bool in_loop = input != nullptr && input->is_made() && input->access != Loop::Access::kSlice;
  if (in_loop && !phases_[0].known.contains(v)) {
    const std::string text = made_text(*input);
    phase_->head += marked(*input->maker, text);
    homes_[v] = phase_;
  } else {
    const std::string from = items(v);
    phase_->head += fmt::format("    const {} {} = {}(t, i);\n", type(v), name(v), from);
  }
  phase_->known.insert(v);
  return name(v);
}

std::string KernelWriter::items(KernelVar v) {
  std::string items = "items_" + name(v);
  if (!held_.insert(v).second) return items;
  const Input* const input = inputs_[v];
  if (input != nullptr && input->access == Loop::Access::kSlice) {
    const std::string text = slice_text(*input);
    phase_->loads += marked(*input->maker, text);
    homes_[v] = phase_;
    return items;
  }
  const std::string declaration = fmt::format("  Items<{}> {};\n", type(v), items);
  if (is_input(v)) {
    phase_->loads += fmt::format("{}  load(space, {}, {});\n", declaration, vector(v), items);
    return items;
  }
  if (!phases_[0].known.contains(v)) element(v);
  homes_[v]->loads += declaration;
  homes_[v]->keeps += fmt::format("    {}(t, i) = {};\n", items, name(v));
  return items;
}

std::string KernelWriter::per_segment(KernelVar v, std::string_view k) {
  if (is_constant(v)) return literal(v);
  return fmt::format("{}.as<{}>()[{}]", is_input(v) ? vector(v) : result(v), type(v), k);
}

std::string KernelWriter::segment(KernelVar v) {
  const std::string number = "segment_" + name(v);
  if (phase_->known.insert(v).second)
    phase_->head +=
        fmt::format("    const i64 {} = segment_of({}, {}(t), i);\n", number, descriptor(v), tile_segments(v));
  return number;
}

std::string KernelWriter::argument(Role role, KernelVar v, const std::string& member, std::int64_t bytes,
                                   bool cleared) {
  members_.emplace(member, KernelArgument{role, v, bytes, cleared});
  return "a." + member;
}

std::string KernelWriter::tile_segments(KernelVar v) {
  segmented_.insert(v);
  return "segments_" + name(v);
}

}  // namespace cvl::cuda
