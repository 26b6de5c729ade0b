#include "vcode-interp/rank_moves.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "machine/source_location.h"
#include "vcode/kernel_rules.h"

namespace interp {

namespace {

using vcode::Op;
using vcode::Producer;

/// The exchange of an operation on divided vectors; empty if it needs none.
std::string_view moves_of(Op op) {
  const vcode::OpInfo& row = vcode::info(op);
  if (row.gathers() || op == Op::kExtract) return "positions to the ranks of the elements, and the elements back";
  if (row.scatters() || row.op_class == vcode::OpClass::kAccumulate || op == Op::kReplace)
    return "elements, with their places, to the ranks of their places";
  if (op == Op::kSlice) return "positions to the ranks of the elements, and the elements back";
  if (row.moves_blocks()) return "elements to the ranks of their places in the result, in runs";
  if (op == Op::kCountInts) return "the counts of each rank, with their places, to the ranks of their places";
  if (op == Op::kRankUp || op == Op::kRankDown)
    return "of segments that continue on other ranks: elements to the rank of their share, and their ranks back";
  switch (vcode::producer_of(op)) {
    case Producer::kSpread:
      return "values of segments, if ranks have others of these than of the elements";
    case Producer::kScan:
    case Producer::kReduce:
    case Producer::kArgReduce:
      return "results of segments that continue on other ranks";
    case Producer::kPack:
      return "kept elements to neighbours, to the division of the shorter vector";
    default:
      return "";
  }
}

/// The location of an instruction in the source program, or of the innermost call around one of a library.
std::string location_of(const vcode::Program& program, std::uint32_t number) {
  if (number == vcode::kNoSite) return "";
  const vcode::InstructionSite& site = program.sites[number];
  if (!site.site.file.empty()) return fmt::format("{}:{}:{}", site.site.file, site.site.line, site.site.column);
  if (site.inlined == vcode::kNoCall) return "";
  const vcode::InlinedCall& call = program.inlined[site.inlined];
  return fmt::format("{}:{}:{}", call.file, call.line, call.column);
}

class MoveLines {
 public:
  explicit MoveLines(const vcode::Program& program) : program_(program) {}

  void add(const vcode::Function& function) {
    std::string location = "in " + function.name;
    for (const vcode::Instruction& instruction : function.body) {
      if (const std::string known = location_of(program_, instruction.site); !known.empty()) location = known;
      if (instruction.statement == vcode::Statement::kOp)
        add(location, instruction.op, "");
      else if (instruction.statement == vcode::Statement::kFused)
        add(program_.kernels[instruction.target], location);
      else if (instruction.statement == vcode::Statement::kCall)
        add_call(location, program_.functions[instruction.target]);
    }
  }
  const std::string& text() const { return text_; }

 private:
  void add_line(const std::string& text) {
    const std::string line = base::printable("  " + text);
    if (lines_.insert(line).second) text_ += line + "\n";
  }
  void add(const std::string& location, Op op, std::string_view of_kernel) {
    const std::string_view moves = moves_of(op);
    if (!moves.empty()) add_line(fmt::format("{}: {}{}: {}", location, vcode::info(op).text, of_kernel, moves));
  }
  void add_call(const std::string& location, const vcode::Function& function) {
    if (!function.piece_operands.empty())
      add_line(fmt::format("{}: CALL {}: in pieces on ranks, operands to the ranks of the pieces, and results back",
                           location, function.name));
  }
  /// The steps of a kernel have locations of their own. Steps over a single segment exchange nothing but results of
  /// reductions if the kernel consists of steps that each rank can compute for its part.
  void add(const vcode::Kernel& kernel, std::string location) {
    const std::string of_kernel = fmt::format(" of kernel {}", kernel.name);
    for (const vcode::Kernel::Step& step : kernel.steps) {
      if (step.is_constant()) continue;
      if (const std::string known = location_of(program_, step.site); !known.empty()) location = known;
      add(location, step.op, of_kernel);
    }
  }

  const vcode::Program& program_;
  std::set<std::string> lines_;
  std::string text_;
};

}  // namespace

std::string describe_moves(const vcode::Program& program) {
  MoveLines lines(program);
  for (const vcode::Function& function : program.functions) lines.add(function);
  return lines.text();
}

}  // namespace interp
