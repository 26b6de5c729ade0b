#include "fusion_report.h"

#include "vcode/kernel_rules.h"

#include <fmt/format.h>

namespace fcode_opt {
namespace {

using letform::Binding;

std::string name(const letform::Function& function, Var v) {
  const std::string& given = function.values[v].name;
  return given.empty() ? fmt::format("v{}", v) : fmt::format("{}.{}", given, v);
}

std::string operation(const Binding& binding) {
  if (binding.form != Binding::Form::kOp) return "CONST";
  std::string text(vcode::info(binding.op).text);
  if (binding.suffix != vcode::Suffix::kNone) (text += ' ') += vcode::suffix_name(binding.suffix);
  return text;
}

std::string operation(const BasicBlock& basic_block, std::uint32_t node) {
  const Binding& binding = basic_block.bindings[node];
  if (binding.results.empty()) return operation(binding);
  return name(basic_block.function, binding.results[0]) + " = " + operation(binding);
}

/// The location of a binding outside of libraries; without a file if it is unknown.
vcode::Site location_of(const letform::Program& program, const Binding& binding) {
  if (binding.site == vcode::kNoSite) return {};
  vcode::Site site = program.sites[binding.site];
  for (std::uint32_t call = binding.inlined; site.file.empty() && call != vcode::kNoCall;
       call = program.inlined[call].around)
    site = program.sites[program.inlined[call].site];
  return site;
}

/// Reason why an operation that reads a vector made in a kernel is in no kernel; empty if it reads no vector, or if the
/// reason is that it has few elements.
std::string why_outside(const BasicBlock& basic_block, const Edge& edge) {
  const Binding& reader = basic_block.bindings[edge.to];
  if (reader.form != Binding::Form::kOp) return {};
  const vcode::OpClass op_class = vcode::info(reader.op).op_class;
  if (op_class != vcode::OpClass::kVector && op_class != vcode::OpClass::kAccumulate) return {};
  if (vcode::has_defaults(reader.op)) return "it updates a vector, in place if nothing else reads the old value";
  const bool is_whole = vcode::producer_of(reader.op) == vcode::Producer::kInput && reader.op != vcode::Op::kLength &&
                        basic_block.function.values[edge.value].kind != vcode::Kind::kSegdes;
  return is_whole ? fmt::format("{} cannot be in a kernel", vcode::info(reader.op).text) : "";
}

/// Reason why two operations that exchange a value are not in one kernel; empty if they are, or if no reason is worth a
/// line.
std::string why_apart(const Partition& partition, const Partition& alone, const Edge& edge) {
  const std::uint32_t from = partition.set_of(edge.from), to = partition.set_of(edge.to);
  if (from == kNoNumber || from == to || edge.value == letform::kNoVar) return {};
  if (to == kNoNumber) return partition.is_dissolved(edge.to) ? "" : why_outside(partition.basic_block(), edge);
  if (partition.copies(to, edge.from)) return {};
  if (!edge.obstacle.empty()) return std::string(edge.obstacle);
  const std::string_view obstacle = partition.obstacle(from, to);
  if (obstacle.empty()) return "another choice moves fewer bytes";
  const bool as_a_pair = alone.obstacle(edge.from, edge.to).empty();
  return as_a_pair ? fmt::format("not with what else is in their kernels: {}", obstacle) : std::string(obstacle);
}

}  // namespace

Report::Report(PassContext& context) : context_(context) {
  if (context_.options.dot) context_.dot += "digraph fusion {\n  node [shape=box fontname=monospace]\n";
}

Report::~Report() {
  if (context_.options.dot) context_.dot += "}\n";
}

void Report::begin(const letform::Program& program, const letform::Function& function) {
  program_ = &program;
  function_ = &function;
  operations_ = kernels_ = 0;
  before_ = after_ = {};
  copied_.clear();
  unfused_.clear();
}

void Report::add(const Partition& partition) {
  if (context_.options.explain) explain(partition);
  if (context_.options.dot) draw(partition);
}

void Report::explain(const Partition& partition) {
  const BasicBlock& basic_block = partition.basic_block();
  const Partition alone(basic_block);
  const Cost unfused = alone.total(), chosen = partition.total();
  operations_ += unfused.kernels;
  before_.bytes += unfused.bytes;
  before_.vectors += unfused.vectors;
  after_.bytes += chosen.bytes;
  after_.vectors += chosen.vectors;
  after_.kernels += chosen.kernels;
  for (std::uint32_t n = 0; n < basic_block.size(); ++n) {
    const std::size_t kernels = partition.sets_with_copy(n).size() + !partition.is_dissolved(n);
    if (!partition.sets_with_copy(n).empty())
      copied_.insert(fmt::format("    {} is computed in {} traversal{}: storing it would cost more\n",
                                 operation(basic_block, n), kernels, kernels == 1 ? "" : "s"));
  }
  for (std::uint32_t set = 0; set < basic_block.size(); ++set) kernels_ += partition.is_kernel(set);
  for (const Edge& edge : basic_block.edges)
    if (const std::string reason = why_apart(partition, alone, edge); !reason.empty()) {
      unfused_.insert(fmt::format("    {} and {} stay apart: {}\n", operation(basic_block, edge.from),
                                  operation(basic_block, edge.to), reason));
      note_kept_apart(basic_block.bindings[edge.from], basic_block.bindings[edge.to], reason);
    }
}

void Report::note_kept_apart(const Binding& maker, const Binding& reader, const std::string& reason) {
  if (context_.kept_apart != nullptr)
    context_.kept_apart->push_back(
        {location_of(*program_, maker), location_of(*program_, reader), operation(maker), operation(reader), reason});
}

void Report::end() {
  if (operations_ == 0) return;
  const auto counted = [](int n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  context_.explanation +=
      fmt::format("  {}: {} over vectors become {} with {}; {} stored become {}; {} moved for each element become {}\n",
                  function_->name, counted(operations_, "traversal"), after_.kernels, counted(kernels_, "kernel"),
                  counted(before_.vectors, "vector"), after_.vectors, counted(before_.bytes, "byte"), after_.bytes);
  for (const std::string& line : copied_) context_.explanation += line;
  for (const std::string& line : unfused_) context_.explanation += line;
}

void Report::draw(const Partition& partition) {
  const BasicBlock& basic_block = partition.basic_block();
  const std::uint32_t number = drawn_++;
  std::string& dot = context_.dot;
  dot += fmt::format("  subgraph cluster_{} {{\n    label=\"{}\"\n", number, function_->name);
  // A node is drawn in every set that computes it.
  auto name = [&](std::uint32_t n, std::uint32_t set) {
    return set != kNoNumber && partition.copies(set, n) ? fmt::format("n{}_{}_{}", number, n, set)
                                                        : fmt::format("n{}_{}", number, n);
  };
  auto node = [&](std::uint32_t n, std::uint32_t set) {
    return fmt::format("{} [label=\"{}\"{}]\n", name(n, set), operation(basic_block, n),
                       basic_block.nodes[n].role == Node::Role::kKernel ? "" : " style=dashed");
  };
  for (std::uint32_t set = 0; set < basic_block.size(); ++set) {
    if (partition.set_of(set) == kNoNumber && !partition.is_dissolved(set)) dot += "    " + node(set, kNoNumber);
    if (partition.members(set).empty()) continue;
    dot +=
        fmt::format("    subgraph cluster_{}_{} {{\n      label=\"\" style=filled fillcolor=lightgrey\n", number, set);
    for (std::uint32_t member : partition.members(set)) dot += "      " + node(member, set);
    for (std::uint32_t copy : partition.copies(set)) dot += "      " + node(copy, set);
    dot += "    }\n";
  }
  for (const Edge& edge : basic_block.edges) {
    auto draw_edge = [&](std::uint32_t set) {
      dot += fmt::format("    {} -> {}{}\n", name(edge.from, set), name(edge.to, set),
                         edge.value == letform::kNoVar ? " [style=dotted]" : "");
    };
    if (!partition.is_dissolved(edge.to)) draw_edge(partition.set_of(edge.to));
    for (std::uint32_t set : partition.sets_with_copy(edge.to)) draw_edge(set);
  }
  dot += "  }\n";
}

}  // namespace fcode_opt
