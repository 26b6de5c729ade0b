#include "report.h"

#include <fmt/format.h>

namespace fcode_opt {
namespace {

using letform::Binding;

std::string name(const letform::Function& function, Var v) {
  const std::string& given = function.values[v].name;
  return given.empty() ? fmt::format("v{}", v) : fmt::format("{}.{}", given, v);
}

std::string operation(const Region& region, std::uint32_t node) {
  const Binding& binding = region.bindings[node];
  std::string text;
  if (!binding.results.empty()) text = name(region.function, binding.results[0]) + " = ";
  if (binding.form != Binding::Form::kOp) return text + "CONST";
  text += vcode::info(binding.op).text;
  if (binding.suffix != vcode::Suffix::kNone) (text += ' ') += vcode::suffix_name(binding.suffix);
  return text;
}

}  // namespace

Report::Report(PassContext& context) : context_(context) {
  if (context_.options.dot) context_.dot += "digraph fusion {\n  node [shape=box fontname=monospace]\n";
}

Report::~Report() {
  if (context_.options.dot) context_.dot += "}\n";
}

void Report::begin(const letform::Function& function) {
  function_ = &function;
  operations_ = 0;
  before_ = after_ = {};
  copied_.clear();
  unfused_.clear();
}

void Report::add(const Partition& partition) {
  if (context_.options.explain) explain(partition);
  if (context_.options.dot) draw(partition);
}

void Report::explain(const Partition& partition) {
  const Region& region = partition.region();
  const Cost alone = Partition(region).total(), chosen = partition.total();
  operations_ += alone.kernels;
  before_.bytes += alone.bytes;
  after_.bytes += chosen.bytes;
  after_.kernels += chosen.kernels;
  for (std::uint32_t n = 0; n < region.size(); ++n) {
    const std::size_t kernels = partition.sets_with_copy(n).size() + !partition.is_dissolved(n);
    if (!partition.sets_with_copy(n).empty())
      copied_.insert(fmt::format("  {} is computed in {} traversal{}: storing it would cost more\n",
                                 operation(region, n), kernels, kernels == 1 ? "" : "s"));
  }
  for (const Edge& edge : region.edges) {
    const std::uint32_t from = partition.set_of(edge.from), to = partition.set_of(edge.to);
    if (from == kNone || to == kNone || from == to || edge.value == letform::kNoVar) continue;
    if (partition.copies(to, edge.from)) continue;
    std::string_view reason = edge.obstacle.empty() ? partition.obstacle(from, to) : edge.obstacle;
    if (reason.empty()) reason = "another choice moves fewer bytes";
    unfused_.insert(
        fmt::format("  {} and {} stay apart: {}\n", operation(region, edge.from), operation(region, edge.to), reason));
  }
}

void Report::end() {
  if (operations_ == 0) return;
  context_.explanation += fmt::format(
      "{}: {} vector operations become {} traversal{}; {} bytes for each element become {}\n", function_->name,
      operations_, after_.kernels, after_.kernels == 1 ? "" : "s", before_.bytes, after_.bytes);
  for (const std::string& line : copied_) context_.explanation += line;
  for (const std::string& line : unfused_) context_.explanation += line;
}

void Report::draw(const Partition& partition) {
  const Region& region = partition.region();
  const std::uint32_t number = drawn_++;
  std::string& dot = context_.dot;
  dot += fmt::format("  subgraph cluster_{} {{\n    label=\"{}\"\n", number, function_->name);
  auto node = [&](std::uint32_t n) {
    return fmt::format("n{}_{} [label=\"{}\"{}]\n", number, n, operation(region, n),
                       region.nodes[n].role == Node::Role::kKernel ? "" : " style=dashed");
  };
  for (std::uint32_t n = 0; n < region.size(); ++n) {
    if (partition.set_of(n) == kNone) dot += "    " + node(n);
    if (partition.set_of(n) != n) continue;
    dot += fmt::format("    subgraph cluster_{}_{} {{\n      label=\"\" style=filled fillcolor=lightgrey\n", number, n);
    for (std::uint32_t member : partition.members(n)) dot += "      " + node(member);
    dot += "    }\n";
  }
  for (const Edge& edge : region.edges)
    dot += fmt::format("    n{0}_{1} -> n{0}_{2}{3}\n", number, edge.from, edge.to,
                       edge.value == letform::kNoVar ? " [style=dotted]" : "");
  dot += "  }\n";
}

}  // namespace fcode_opt
