#include "kernels/loop.h"

#include <algorithm>
#include <utility>

namespace kernels {

Member ArgumentStruct::add(std::string name, Type type) {
  members_.push_back({std::move(name), type});
  return {static_cast<std::uint32_t>(members_.size() - 1)};
}

std::optional<bool> Loop::Interior::known(KernelVar flag) const {
  const auto found = std::ranges::find(flags, flag, &Flag::flag);
  return found == flags.end() ? std::nullopt : std::optional(found->value);
}

bool Loop::has_nest() const {
  return !folds.empty() || !scans.empty() || !packs.empty() ||
         std::any_of(inputs.begin(), inputs.end(), [](const Input& input) { return input.is_made(); });
}

void Loop::add_members(std::span<const vcode::Kernel::ValueInfo> names) {
  const auto member = [&](KernelVar v, const char* what, ArgumentStruct::Type type) {
    return arguments.add(names[v].name + what, type);
  };
  const auto address = [&](KernelVar v, const char* what) { return member(v, what, ArgumentStruct::Type::kAddress); };
  const auto number = [&](KernelVar v, const char* what) { return member(v, what, ArgumentStruct::Type::kNumber); };
  for (Input& input : inputs) {
    input.elements = address(input.value, "");
    if (!input.is_made()) continue;
    input.per_segment = address(input.segments, " of segments");
    if (!input.is_constant) input.step = number(input.segments, " step");
    if (input.access == Access::kProgression) input.strides = address(input.stride, " strides");
    if (input.access != Access::kSlice) continue;
    input.source = address(input.table, " table");
    input.length = number(input.table, " length");
  }
  for (Output& output : outputs) {
    output.elements = address(output.value, " out");
    if (output.may_stream) output.stream = number(output.value, " streamed");
  }
  for (Table& table : tables) {
    table.elements = address(table.value, " table");
    table.length = number(table.value, " length");
    table.starts = address(table.descriptor, " starts");
    table.step = number(table.descriptor, " step");
  }
  for (Scan& scan : scans) {
    const KernelVar v = scan.step->results[0];
    scan.carry = address(v, " before");
    scan.identity = address(v, " identity");
    scan.whole = number(v, " whole");
    scan.heads = address(v, " heads");
  }
  for (Pack& pack : packs) {
    const KernelVar v = pack.step->results[0];
    pack.result = address(v, " kept");
    pack.position = address(v, " next");
    pack.room = number(v, " room");
    if (!pack.counts) continue;
    pack.lengths = address(v, " counts");
    pack.distance = number(v, " distance");
  }
  for (Scatter& scatter : scatters) {
    const KernelVar v = scatter.step->results[0];
    scatter.result = address(v, " targets");
    scatter.targets = number(v, " length");
    if (!vcode::has_defaults(scatter.step->op)) scatter.hashes = address(v, " hashes");
  }
  for (Fold& fold : folds) fold.result = address(fold.step->results[0], fold.is_carry() ? " carry" : " fold");
  for (ArgReduction& reduction : arg_reductions) reduction.result = address(reduction.step->results[0], " indices");
  if (product) {
    product->row_distance = number(product->rows, " row distance");
    product->column_distance = number(product->columns, " column distance");
    product->columns_count = number(product->columns, " columns");
    product->length = arguments.add("length", ArgumentStruct::Type::kNumber);
  }
  starts = arguments.add("starts", ArgumentStruct::Type::kAddress);
  range_begin = arguments.add("range begin", ArgumentStruct::Type::kNumber);
  range_end = arguments.add("range end", ArgumentStruct::Type::kNumber);
}

}  // namespace kernels
