#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "generated/kernel_writer.h"
#include "vcode/kernel_rules.h"

namespace cvl::cuda {

using vcode::KernelVar;
using vcode::Op;
using vcode::Producer;
using vcode::Reader;

std::string KernelWriter::step_text(const Step& step) {
  const KernelVar v = step.results[0];
  switch (facts_.producers[v]) {
    case Producer::kScatter:
      return scatter_text(step);
    case Producer::kPack:
      return pack_text(step);
    case Producer::kMap:
      return map_text(step) + keep_text(v);
    case Producer::kSpread:
      return spread_text(step) + keep_text(v);
    default:
      VC_CHECK(facts_.producers[v] == Producer::kGather);
      return gather_text(step) + keep_text(v);
  }
}

std::string KernelWriter::marked(const Step& step, std::string_view text) const {
  std::string lines;
  for (const char c : text) lines += c == '\n' ? fmt::format("{}{}\n", kStepMark, number(step)) : std::string(1, c);
  return lines;
}

std::string KernelWriter::keep_text(KernelVar v) const {
  return held_[v] ? fmt::format("    {}(t, i) = {};\n", items(v), name(v)) : "";
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

std::string KernelWriter::spread_text(const Step& step) {
  const KernelVar v = step.results[0], like = descriptor_like(step, -1);
  // A constant is the same in all segments.
  if (step.op == Op::kDist) {
    const KernelVar spread = step.operands[0];
    const std::string k = facts_.producers[spread] == Producer::kConstant ? "" : segment(like);
    return fmt::format("    const {} {} = {};\n", type(v), name(v), per_segment(spread, k));
  }
  VC_CHECK(step.op == Op::kIndex);
  const std::string k = segment(like);
  return fmt::format("    const {0} {1} = wrap_add<{0}>({2}, wrap_mul<{0}>({3}, {0}(e - start({4}, {5}))));\n", type(v),
                     name(v), per_segment(step.operands[0], k), per_segment(step.operands[1], k), descriptor(like), k);
}

std::string KernelWriter::slice_text(const Step& step) {
  const KernelVar v = step.results[0], starts = step.operands[1], like = descriptor_like(step, -1);
  const std::string positions = fmt::format("slices_{}_{}", name(like), name(starts));
  std::string text;
  // Slices with the same starts share their positions; each reads them in its own table.
  if (sliced_.insert(positions).second)
    text = fmt::format("  Positions {0};\n  find_positions(space, {1}, {2}, [&](i64 k) {{ return i64({3}); }}, {0});\n",
                       positions, descriptor(like), tile_segments(like), per_segment(starts, "k"));
  return text + fmt::format("  Items<{0}> {1};\n  slice(space, {2}, {3}, {4}, {5}, {1});\n", type(v), items(v),
                            positions, vector(step.operands[0]), faults(), number(step));
}

std::string KernelWriter::gather_text(const Step& step) {
  const KernelVar v = step.results[0];
  const std::string k = segment(descriptor_like(step, -1));
  const std::string flag = step.op == Op::kBfpermute ? fmt::format("!{} ? -1 : ", element(step.operands[2])) : "";
  return fmt::format(
      "    const i64 position_{1} = {2}position_in({3}, {4}, {5}, {6}, {7}, e);\n"
      "    const {0} {1} = position_{1} < 0 ? {0}(0) : {8}.as<{0}>()[position_{1}];\n",
      type(v), name(v), flag, descriptor(descriptor_like(step, 0)), k, element(step.operands[1]), faults(),
      number(step), vector(step.operands[0]));
}

std::string KernelWriter::scatter_text(const Step& step) {
  const KernelVar v = step.results[0], to = descriptor_like(step, -1);
  const std::string k = segment(descriptor_like(step, 0)), source = element(step.operands[0]);
  std::string flag;
  for (int o = 0; o < std::ssize(step.operands); ++o)
    if (kernel_.values[step.operands[static_cast<std::size_t>(o)]].kind == vcode::Kind::kBool && o >= 2 &&
        vcode::reader_of(step.op, o) == Reader::kScatter)
      flag = fmt::format("!{} ? -1 : ", element(step.operands[static_cast<std::size_t>(o)]));
  std::string text = fmt::format("    const i64 position_{0} = {1}position_in({2}, {3}, {4}, {5}, {6}, e);\n", name(v),
                                 flag, descriptor(to), k, element(step.operands[1]), faults(), number(step));
  if (vcode::has_defaults(step.op)) {
    if (!is_output(v)) return text;
    return text + fmt::format(
                      "    {0}.as<{1}>()[e] = {2};\n"
                      "    if (position_{3} >= 0) atomic_max({4}.as<u64>() + position_{3}, u64(e) + 1);\n",
                      argument(Role::kSource, step.operands[0], "source_" + name(v), element_bytes(v), false), type(v),
                      source, name(v), argument(Role::kWriters, to, "writers_" + name(v), 8, true));
  }
  text += fmt::format("    if (position_{0} >= 0) mark_written({1}, position_{0}, {2}, {3}, {4}, e);\n", name(v),
                      argument(Role::kWritten, to, "written_" + name(v), 4, true), element(step.operands[1]), faults(),
                      number(step));
  if (is_output(v))
    text += fmt::format("    if (position_{0} >= 0) {1}.as<{2}>()[position_{0}] = {3};\n", name(v), result(v), type(v),
                        source);
  return text;
}

std::string KernelWriter::pack_text(const Step& step) {
  const KernelVar v = step.results[0];
  if (!is_output(v)) return "";
  const std::string flag = element(step.operands[1]), value = element(step.operands[0]);
  return fmt::format("    if ({}) {}.as<{}>()[items_positions_{}(t, i)] = {};\n", flag, result(v), type(v),
                     name(first_pack(step)), value);
}

std::string KernelWriter::ordered_scatter(const Step& step) {
  const KernelVar v = step.results[0];
  KernelVar defaults = 0;
  for (int o = 0; o < std::ssize(step.operands); ++o)
    if (vcode::reader_of(step.op, o) == Reader::kDefaults) defaults = step.operands[static_cast<std::size_t>(o)];
  return fmt::format(
      "  each_number(space, {0}.length, [&](i64 k) {{\n"
      "    const u64 writer = a.writers_{1}.as<u64>()[k];\n"
      "    {0}.as<{2}>()[k] = writer == 0 ? {3}.as<{2}>()[k] : a.source_{1}.as<{2}>()[writer - 1];\n"
      "  }});\n",
      result(v), name(v), type(v), vector(defaults));
}

}  // namespace cvl::cuda
