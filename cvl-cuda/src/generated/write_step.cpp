#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generated/kernel_writer.h"
#include "generated/row_text.h"

namespace cvl::cuda {

using vcode::KernelVar;
using vcode::Producer;

namespace {

/// The descriptor, an operand of the step, of an operand's elements, or of the result's if `operand` is -1.
KernelVar descriptor_of(const vcode::Kernel::Step& step, int operand) {
  return step.operands[static_cast<std::size_t>(vcode::descriptor_like(step, operand))];
}

constexpr KernelVar kNone = UINT32_MAX;

/// The flags (kBool) or defaults (kSuffix) of a gather or scatter, behind elements and indices; kNone if it has none.
KernelVar operand_of(const vcode::Kernel::Step& step, vcode::RoleType type) {
  for (std::size_t k = 2; k < step.operands.size(); ++k)
    if (vcode::info(step.op).signature.operands[k].type == type) return step.operands[k];
  return kNone;
}

}  // namespace

// --- Sums ---

std::string KernelWriter::add_sum(const PlanStep& s, KernelVar operand, const std::string& name,
                                  const std::string& type) {
  const auto phase = phase_ - phases_;
  const std::string elements = fmt::format("{}, {}", tile_segments(segments_of(s.segmentation)), items(operand));
  phase_->sums.push_back({s.step, name, type});
  phase_->sum_text += marked(*s.step, fmt::format("  TileSums<{0}> sums_{1};\n"
                                                  "  sum_tile(space, {2}, shared, sums_{1}, own_{3}.{1});\n",
                                                  type, name, elements, phase));
  return fmt::format("{0}, sums_{1}, carry_{2}.{1}", elements, name, phase);
}

std::string KernelWriter::fold_type(const PlanStep& s) {
  const vcode::Monoid monoid = vcode::info(s.step->op).monoid;
  made_.monoids.insert(monoid);
  return fmt::format("{}<monoids::{}, {}>", s.producer == Producer::kArgReduce ? "FirstPosition" : "Plain",
                     monoid_name(monoid), type(s.step->operands[0]));
}

void KernelWriter::add_scan(const PlanStep& s) {
  const KernelVar v = s.step->results[0];
  const std::string sums = add_sum(s, s.step->operands[0], name(v), fold_type(s));
  held_.insert(v);
  homes_[v] = &phases_[1];
  phase_->behind += marked(*s.step, fmt::format("  Items<{}> {};\n  scan_items(space, {}, {});\n", type(v), items(v),
                                                sums, items(v)));
}

void KernelWriter::add_reduction(const PlanStep& s) {
  const KernelVar v = s.step->results[0], segments = segments_of(s.segmentation);
  const std::string fold = fold_type(s), sums = add_sum(s, s.step->operands[0], name(v), fold);
  phase_->behind += marked(*s.step, fmt::format("  store_sums<{}>(space, {}, {}, {});\n", type(v), descriptor(segments),
                                                sums, result(v)));
  const std::string empty =
      s.producer == Producer::kArgReduce ? fmt::format("highest<{}>()", type(v)) : fold + "::empty_value()";
  phase_->empty[segments] += marked(*s.step, fmt::format("    {}.as<{}>()[k] = {};\n", result(v), type(v), empty));
}

void KernelWriter::add_count(const PlanStep& s) {
  const KernelVar v = s.step->results[0], lengths = s.step->results[1], segments = segments_of(s.segmentation);
  const std::string positions = fmt::format("positions_of_{}", s.number),
                    sums = add_sum(s, s.step->operands[1], positions, fmt::format("Kept<{}>", type(lengths))),
                    kept = argument(Role::kKept, v, "kept_" + name(v), 8, false);
  phase_->behind += marked(
      *s.step, fmt::format("  Items<u32> items_{0};\n  place_kept(space, {1}, {2}, items_{0}, {3}, {4});\n", positions,
                           descriptor(segments), sums, kept, result(lengths)));
  phase_->empty[segments] +=
      marked(*s.step, fmt::format("    {}.as<{}>()[k] = 0;\n", result(lengths), type(lengths)));
}

// --- Steps ---

std::string KernelWriter::marked(const Step& step, std::string_view text) const {
  std::string lines;
  for (const char c : text) lines += c == '\n' ? fmt::format("{}{}\n", kStepMark, number(step)) : std::string(1, c);
  return lines;
}

std::string KernelWriter::eval_text(const Step& step, std::span<const std::string> operands) {
  made_.rows.insert(step.op);
  return fmt::format("rows::{}::eval<{}>({})", vcode::info(step.op).name, type(step.results[0]),
                     fmt::join(operands, ", "));
}

std::string KernelWriter::fault_text(const Step& step, std::span<const std::string> operands,
                                     std::string_view position) {
  if (!vcode::info(step.op).can_fault(step.suffix)) return "";
  const std::string joined = fmt::format("{}", fmt::join(operands, ", "));
  return fmt::format("    report({0}, rows::{1}::fault<{2}>({3}), {4}, {5}, culprit({3}), bound_of({3}));\n", faults(),
                     vcode::info(step.op).name, type(step.results[0]), joined, number(step), position);
}

std::string KernelWriter::map_text(const Step& step) {
  std::vector<std::string> operands;
  for (const KernelVar v : step.operands) operands.push_back(element(v));
  const KernelVar v = step.results[0];
  return fault_text(step, operands, "e") +
         fmt::format("    const {} {} = {};\n", type(v), name(v), eval_text(step, operands));
}

std::string KernelWriter::made_text(const Input& input) {
  const KernelVar v = input.value, segments = segments_of(input.segmentation);
  // A constant is the same in all segments.
  const bool varies = input.access != kernels::Loop::Access::kSpread || !is_constant(input.segments);
  const std::string k = varies ? segment(segments) : "", value = per_segment(input.segments, k);
  if (input.access == kernels::Loop::Access::kSpread)
    return fmt::format("    const {} {} = {};\n", type(v), name(v), value);
  return fmt::format("    const {0} {1} = wrap_add<{0}>({2}, wrap_mul<{0}>({3}, {0}(e - start({4}, {5}))));\n", type(v),
                     name(v), value, per_segment(input.stride, k), descriptor(segments), k);
}

std::string KernelWriter::slice_text(const Input& input) {
  const KernelVar v = input.value, segments = segments_of(input.segmentation);
  const std::string positions = fmt::format("slices_{}_{}", name(segments), name(input.segments));
  std::string text;
  // Slices with the same starts share their positions; each reads them in its own table.
  if (found_.insert(positions).second)
    text = fmt::format("  Positions {0};\n  find_positions(space, {1}, {2}, [&](i64 k) {{ return i64({3}); }}, {0});\n",
                       positions, descriptor(segments), tile_segments(segments), per_segment(input.segments, "k"));
  return text + fmt::format("  Items<{0}> {1};\n  slice(space, {2}, {3}, {4}, {5}, {1});\n", type(v), items(v),
                            positions, vector(input.table), faults(), number(*input.maker));
}

/// The beginning of an index expression that is -1 where the flag of a gather or scatter is false.
std::string KernelWriter::not_flagged(const Step& step) {
  const KernelVar flags = operand_of(step, vcode::RoleType::kBool);
  return flags == kNone ? "" : fmt::format("!{} ? -1 : ", element(flags));
}

std::string KernelWriter::gather_text(const PlanStep& s) {
  const Step& step = *s.step;
  const KernelVar v = step.results[0];
  const kernels::Loop::Table& table = *tables_[v];
  const std::string k = segment(segments_of(s.segmentation)), index = element(step.operands[1]);
  const std::string flag = not_flagged(step);
  return fmt::format(
      "    const i64 position_{1} = {2}position_in({3}, {4}, {5}, {6}, {7}, e);\n"
      "    const {0} {1} = position_{1} < 0 ? {0}(0) : {8}.as<{0}>()[position_{1}];\n",
      type(v), name(v), flag, descriptor(table.descriptor), k, index, faults(), number(step), vector(table.value));
}

std::string KernelWriter::scatter_text(const Step& step) {
  const KernelVar v = step.results[0], to = descriptor_of(step, -1);
  const std::string k = segment(descriptor_of(step, 0)), source = element(step.operands[0]),
                    index = element(step.operands[1]);
  const std::string flag = not_flagged(step), position = "position_" + name(v);
  std::string text = fmt::format("    const i64 {} = {}position_in({}, {}, {}, {}, {}, e);\n", position, flag,
                                 descriptor(to), k, index, faults(), number(step));
  if (vcode::has_defaults(step.op)) {
    if (!is_output(v)) return text;
    return text + fmt::format(
                      "    {0}.as<{1}>()[e] = {2};\n"
                      "    if ({3} >= 0) atomic_max({4}.as<u64>() + {3}, u64(e) + 1);\n",
                      argument(Role::kSource, step.operands[0], "source_" + name(v), element_bytes(v), false), type(v),
                      source, position, argument(Role::kWriters, to, "writers_" + name(v), 8, true));
  }
  text += fmt::format("    if ({0} >= 0) mark_written({1}, {0}, {2}, {3}, {4}, e);\n", position,
                      argument(Role::kWritten, to, "written_" + name(v), 4, true), index, faults(), number(step));
  if (!is_output(v)) return text;
  // Targets of an FPERMUTE that no element is written to are 0.
  const std::string to_result = result(v, !flag.empty());
  return text + fmt::format("    if ({0} >= 0) {1}.as<{2}>()[{0}] = {3};\n", position, to_result, type(v), source);
}

std::string KernelWriter::pack_text(const PlanStep& s) {
  const KernelVar v = s.step->results[0];
  if (!is_output(v)) return "";
  const std::string flag = element(s.step->operands[1]), value = element(s.step->operands[0]);
  return fmt::format("    if ({}) {}.as<{}>()[items_positions_of_{}(t, i)] = {};\n", flag, result(v), type(v), s.number,
                     value);
}

std::string KernelWriter::ordered_scatter(const Step& step) {
  const KernelVar v = step.results[0];
  return fmt::format(
      "  each_number(space, {0}.length, [&](i64 k) {{\n"
      "    const u64 writer = a.writers_{1}.as<u64>()[k];\n"
      "    {0}.as<{2}>()[k] = writer == 0 ? {3}.as<{2}>()[k] : a.source_{1}.as<{2}>()[writer - 1];\n"
      "  }});\n",
      result(v), name(v), type(v), vector(operand_of(step, vcode::RoleType::kSuffix)));
}

std::string KernelWriter::epilogue(const Step& step) {
  std::vector<std::string> operands;
  for (const KernelVar v : step.operands) operands.push_back(per_segment(v, "k"));
  const KernelVar v = step.results[0];
  return fmt::format("  each_number(space, {0}.length, [&](i64 k) {{\n{1}    {0}.as<{2}>()[k] = {3};\n  }});\n",
                     result(v), fault_text(step, operands, "k"), type(v), eval_text(step, operands));
}

}  // namespace cvl::cuda
